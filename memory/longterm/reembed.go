package longterm

import (
	"context"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// reembedBatch is the number of texts embedded at a time.
const reembedBatch = 128

// Reembed makes the vectors of a store anew with cfg.Embedder, and returns how
// many it made. It is what [ErrEmbedderMismatch] asks for.
//
// The new vectors are collected beside the old ones and put in use in one
// step at the end. When Reembed is interrupted the store is as before, and the
// next call goes on where this one stopped. Meanwhile no Memory should write
// with the old embedder; what it writes before the last step is picked up.
//
// The store stays open and is still the caller's.
func Reembed(ctx context.Context, cfg Config) (int, error) {
	m, err := prepare(ctx, cfg)
	if err != nil {
		return 0, err
	}
	st, ok := m.store.(Restager)
	if !ok {
		return 0, fmt.Errorf("reembed: %w: export its memories and import them into a new store", ErrUnsupported)
	}
	m.dims = m.info.Dims
	n, fp := 0, ""
	if m.dims != 0 {
		fp = m.info.Fingerprint(m.dims)
	} else {
		// One question tells the length that the vectors will have.
		_, fp, err = m.embed(ctx, []string{"length"}, embed.Document)
		if err != nil {
			return 0, fmt.Errorf("reembed: %w", err)
		}
		m.dims = fingerprintDims(fp)
	}
	for {
		rs, err := st.Unstaged(ctx, fp, reembedBatch)
		if err != nil {
			return n, fmt.Errorf("reembed: %w", storeErr(err))
		}
		if len(rs) > 0 {
			if err := m.restage(ctx, st, fp, rs); err != nil {
				return n, fmt.Errorf("reembed: after %d memories: %w", n, err)
			}
			n += len(rs)
			continue
		}
		done, err := st.Promote(ctx, fp)
		if err != nil {
			return n, fmt.Errorf("reembed: %w", storeErr(err))
		}
		if done {
			return n, nil
		}
		if err := ctx.Err(); err != nil {
			return n, fmt.Errorf("reembed: %w", err)
		}
	}
}

func (m *Memory) restage(ctx context.Context, st Restager, fp string, rs []Record) error {
	texts := make([]string, len(rs))
	for i, r := range rs {
		texts[i] = r.Text
	}
	vs, got, err := m.embed(ctx, texts, embed.Document)
	if err != nil {
		return err
	}
	if got != fp {
		return fmt.Errorf("%w: the length of its vectors changed between two calls", ErrEmbedderMismatch)
	}
	us := make([]Update, len(rs))
	for i, r := range rs {
		us[i] = Update{ID: r.ID, Hash: r.Hash, Vector: vs[i]}
	}
	if err := st.Stage(ctx, fp, us); err != nil {
		return storeErr(err)
	}
	return nil
}
