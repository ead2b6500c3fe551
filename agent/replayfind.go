package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/dom"
)

const (
	// lookEvery is how often a missing element is looked for again. It grows
	// while nothing comes.
	lookEvery = 60 * time.Millisecond
	// loadEvery is how often a page is asked whether it has loaded, and
	// loadMost how long it is given: before that, an element may be there and
	// not listen yet.
	loadEvery = 10 * time.Millisecond
	loadMost  = 3 * time.Second
)

// find waits for a recorded element. What is found by all that was recorded
// counts at once; weaker evidence counts when the page has come to rest and
// still says the same, since the element itself may be on its way.
func (p *player) find(ctx context.Context, want Element, until time.Time) (index int, level dom.Level, err error) {
	id := p.filled(want.Identity)
	rested := false
	begun := time.Now()
	for n := 0; ; n++ {
		index, level, err = p.a.session.Relocate(ctx, id)
		switch {
		case ctx.Err() != nil:
			return 0, level, context.Cause(ctx)
		case err == nil && p.loading() && time.Since(begun) < loadMost:
			if serr := p.r.sleep(ctx, loadEvery); serr != nil {
				return 0, level, serr
			}
			continue
		case err == nil && (level == dom.LevelExact || level == dom.LevelStable || rested):
			return index, level, nil
		case err == nil || errors.Is(err, dom.ErrAmbiguous):
			if rested {
				return 0, level, err
			}
			if _, werr := p.a.session.WaitStable(ctx); werr != nil && ctx.Err() != nil {
				return 0, level, context.Cause(ctx)
			}
			rested = true
			continue
		case browserGone(err):
			return 0, level, err
		}
		rested = false
		if time.Now().After(until) {
			return 0, level, err
		}
		if serr := p.r.sleep(ctx, min(lookEvery<<min(n, 3), time.Until(until)+time.Millisecond)); serr != nil {
			return 0, level, serr
		}
	}
}

// loading reports that the page just looked at has not had its load event.
func (p *player) loading() bool {
	st := p.a.session.LastState()
	return st != nil && st.Page.Ready != "complete"
}

// filled puts the values of variables into what is looked for.
func (p *player) filled(id dom.Identity) dom.Identity {
	id.Name = fill(p.values, id.Name)
	if len(id.Unique) > 0 {
		u := make(map[string]string, len(id.Unique))
		for k, v := range id.Unique {
			u[k] = fill(p.values, v)
		}
		id.Unique = u
	}
	id.Within = slices.Clone(id.Within)
	for i := range id.Within {
		id.Within[i] = fill(p.values, id.Within[i])
	}
	return id
}

// aim finds the elements of an action and writes their numbers of today into
// its arguments. The level is the weakest one used.
func (p *player) aim(ctx context.Context, x Action, args json.RawMessage, until time.Time) (json.RawMessage, string, error) {
	params, _ := indices(args)
	if len(params) == 0 {
		return p.aimAtPoint(ctx, x, args)
	}
	recorded := x.elements()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(args, &m); err != nil {
		return nil, "", fmt.Errorf("the recorded arguments are no JSON object: %w", err)
	}
	level := dom.LevelNone
	for _, param := range params {
		want, ok := recorded[param]
		if !ok {
			return nil, "", fmt.Errorf("%w: the recording does not say which element %s %s is", dom.ErrNoMatch, param, m[param])
		}
		i, l, err := p.find(ctx, want, until)
		if err != nil {
			return nil, "", err
		}
		level = max(level, l)
		m[param] = json.RawMessage(fmt.Sprint(i))
	}
	out, err := encodePlain(m)
	return out, level.String(), err
}

var tagAndID = regexp.MustCompile(`^<([a-zA-Z0-9-]+)(?:#([^ .>…]+))?`)

// aimAtPoint lets an action on a point pass only if the same thing lies there
// as did when it was recorded.
func (p *player) aimAtPoint(ctx context.Context, x Action, args json.RawMessage) (json.RawMessage, string, error) {
	var at struct {
		X     *float64 `json:"coordinate_x"`
		Y     *float64 `json:"coordinate_y"`
		FromX *float64 `json:"from_x"`
		FromY *float64 `json:"from_y"`
	}
	if json.Unmarshal(args, &at) != nil {
		return args, "", nil
	}
	if at.X == nil {
		at.X, at.Y = at.FromX, at.FromY
	}
	if at.X == nil || at.Y == nil {
		return args, "", nil
	}
	was := tagAndID.FindStringSubmatch(effectOf(x).What)
	if was == nil {
		return nil, "", fmt.Errorf("%w: the recording does not say what lay at %g,%g", dom.ErrNoMatch, *at.X, *at.Y)
	}
	if _, err := p.a.session.WaitStable(ctx); err != nil {
		return nil, "", err
	}
	now, err := browser.Evaluate[string](ctx, p.a.session, fmt.Sprintf(
		`(() => { const e = document.elementFromPoint(%g, %g); return e ? e.localName + "#" + (e.id || "") : ""; })()`, *at.X, *at.Y))
	if err != nil {
		return nil, "", err
	}
	if tag, id, _ := strings.Cut(now, "#"); tag != was[1] || was[2] != "" && id != was[2] {
		return nil, "", fmt.Errorf("%w: at %g,%g lies <%s>, not <%s>", dom.ErrNoMatch, *at.X, *at.Y, strings.TrimSuffix(now, "#"), strings.TrimSuffix(was[1]+"#"+was[2], "#"))
	}
	return args, "position", nil
}

// effectOf is what an action was seen to do when it was recorded.
func effectOf(x Action) browser.Effect {
	if x.Result == nil {
		return browser.Effect{}
	}
	return effectIn(x.Result.Metadata)
}

func effectIn(metadata map[string]any) browser.Effect {
	var e browser.Effect
	switch v := metadata["effect"].(type) {
	case *browser.Effect:
		if v != nil {
			e = *v
		}
	case nil:
	default:
		if b, err := json.Marshal(v); err == nil {
			_ = json.Unmarshal(b, &e) // a form that is none says nothing
		}
	}
	return e
}

// candidates describes the elements of an ambiguous match.
func candidates(err error) []string {
	var amb *dom.AmbiguousError
	if !errors.As(err, &amb) {
		return nil
	}
	var out []string
	for _, e := range amb.Elements {
		s := Element{Identity: e}.words()
		if len(e.Within) > 0 {
			s += " in " + e.Within[0]
		}
		out = append(out, s+" at "+e.Path)
	}
	return out
}
