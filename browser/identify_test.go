package browser

import (
	"errors"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

func TestRelocateFindsAnElementInALaterPage(t *testing.T) {
	srv := serve(t, map[string]string{
		"/a": `<button class="btn focus">Save</button><button>Cancel</button>`,
		"/b": `<button>Cancel</button><button class="btn">Save</button>`,
		"/c": `<button class="btn">Save</button><button class="btn">Save</button>`,
		"/f": `<button>Save</button><iframe srcdoc="<p>nothing</p>"></iframe>`,
		"/g": `<button>Other</button><iframe srcdoc="<button>Save</button>"></iframe>`,
	})
	s := newTestSession(t)
	ctx := testContext(t)
	st := look(t, s, srv.URL+"/a", StateOptions{})
	save := mustTarget(t, st, "Save")
	id, err := s.Identify(ctx, save.Index)
	if err != nil {
		t.Fatal(err)
	}
	if i, level, err := s.Relocate(ctx, id); err != nil || i != save.Index || level != dom.LevelExact {
		t.Errorf("on the same page: %d by %s, %v", i, level, err)
	}
	look(t, s, srv.URL+"/b", StateOptions{})
	i, level, err := s.Relocate(ctx, id)
	if err != nil || level != dom.LevelStable || s.LastState().Page.At(i).Name != "Save" {
		t.Errorf("with the focus class gone: %d by %s, %v", i, level, err)
	}
	look(t, s, srv.URL+"/c", StateOptions{})
	if _, _, err := s.Relocate(ctx, id); !errors.Is(err, dom.ErrAmbiguous) {
		t.Errorf("with a decoy twin: %v", err)
	}
	st = look(t, s, srv.URL+"/g", StateOptions{})
	if id, err = s.Identify(ctx, mustTarget(t, st, "Save").Index); err != nil {
		t.Fatal(err)
	}
	look(t, s, srv.URL+"/f", StateOptions{})
	if _, _, err := s.Relocate(ctx, id); !errors.Is(err, dom.ErrNoMatch) {
		t.Errorf("the same button outside of its frame: %v", err)
	}
}

// The rows of an app stand in a box that scrolls, in a page that does not. Of
// sixty buttons alike those in view were counted, so none was found again.
func TestTwinsAreCountedBeyondWhatShows(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<main style="height: 200px; overflow: auto"></main><script>
		document.querySelector('main').innerHTML = '<p style="height: 60px"><button>Delete</button></p>'.repeat(60);
	</script>`})
	s := newTestSession(t)
	ctx := testContext(t)
	first := mustTarget(t, look(t, s, srv.URL, StateOptions{}), "Delete")
	id, err := s.Identify(ctx, first.Index)
	if err != nil || id.Twins != 60 || id.Twin != 1 {
		t.Fatalf("%+v, %v", id, err)
	}
	if i, _, err := s.Relocate(ctx, id); err != nil || i != first.Index {
		t.Errorf("found again as %d, not %d: %v", i, first.Index, err)
	}
}

// What is seen of a page when an element is found in its old place does not tell
// how many are like an element inside of it.
func TestTwinsAreCountedAfterARelocation(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<a href="/1" aria-label=First>1 <button>Save</button></a><a href="/2" aria-label=Second>2 <button>Save</button></a>`})
	s := newTestSession(t)
	ctx := testContext(t)
	st := look(t, s, srv.URL, StateOptions{})
	id, err := s.Identify(ctx, mustTarget(t, st, "First").Index)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Relocate(ctx, id); err != nil {
		t.Fatal(err)
	}
	if id, err := s.Identify(ctx, mustTarget(t, st, "Save").Index); err != nil || id.Twins != 2 {
		t.Errorf("%+v, %v", id, err)
	}
}
