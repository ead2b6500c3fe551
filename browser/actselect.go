package browser

import "context"

func (e *actTarget) chooseOption(ctx context.Context, w *effectWatch) (*Effect, error) {
	return nil, nil
}
