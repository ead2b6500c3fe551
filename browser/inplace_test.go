package browser

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// inPlacePage has targets of many kinds, none a twin of another.
const inPlacePage = `<title>Order</title>
<style>.sr { position: absolute; width: 1px; height: 1px; overflow: hidden } .box { height: 60px; overflow: auto }</style>
<nav><ul><li><a href="/one">One</a></li><li><a href="/two">Two</a></li><li><a href="/three"><img alt="Three" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="> more</a></li></ul></nav>
<main><h1>Your order</h1>
<form aria-label="Address">
  <label for="name">Full name</label><input id="name">
  <label>Email <input name="email" type="email"></label>
  <span id="lbl">Street</span><input aria-labelledby="lbl" name="street">
  <select name="country" aria-label="Country"><option>Austria</option><option>Chile</option></select>
  <fieldset><legend>Delivery</legend>
    <label><input type="radio" name="d" value="slow"> Slow</label>
    <label><input type="radio" name="d" value="fast"> Fast</label>
  </fieldset>
  <input type="checkbox" id="hid" class="sr"><label for="hid">I agree</label>
  <textarea name="note" placeholder="A note"></textarea>
  <div contenteditable="true" aria-label="Rich">text</div>
  <button id="go" class="btn primary"><span aria-hidden="true">→</span> <b>Place</b> order</button>
  <button type="reset" title="Start over"></button>
</form>
<details open><summary>More</summary><p><a href="#x">Inside</a></p></details>
<details><summary>Closed</summary><p><a href="#y">Inside closed</a></p></details>
<div role="button" tabindex="0" onclick="0">Role</div>
<div id="listens">Listens</div>
<div class="box"><p>1</p><p>2</p><p>3</p><p>4</p><button>Far down</button></div>
<svg width="40" height="20"><a href="/svg"><text y="15">Draw</text></a></svg>
<x-card><template shadowrootmode="open"><button>Shadow</button><slot></slot></template><button>Slotted</button></x-card>
<p>Twins: <button class="t">Same</button> <button class="t">Same</button></p>
</main><script>document.getElementById('listens').addEventListener('click', () => {})</script>`

// changes are what may happen to a page between a recording and its replay.
var changes = map[string]string{
	"nothing":       ``,
	"decoys before": `for (const e of document.querySelectorAll('a,button,input,select,textarea,summary,[role],label')) e.before(e.cloneNode(true))`,
	"decoys after":  `for (const e of document.querySelectorAll('a,button,input,select,textarea,summary,[role],label')) e.after(e.cloneNode(true))`,
	"nameless":      `for (const e of document.querySelectorAll('a,button')) { const c = e.cloneNode(true); c.removeAttribute('id'); c.className = 'other'; e.before(c) }`,
	"other words":   `for (const e of document.querySelectorAll('a,button,label,summary')) e.append(' now')`,
	"other labels":  `document.getElementById('lbl').textContent = 'City'; for (const e of document.querySelectorAll('[aria-label]')) e.setAttribute('aria-label', 'other')`,
	"other order":   `for (const p of document.querySelectorAll('form,ul,p')) p.prepend(p.lastElementChild)`,
	"classes":       `for (const e of document.querySelectorAll('*')) e.classList.add('x' + e.localName)`,
	"hidden":        `for (const e of document.querySelectorAll('a,button,input,select')) e.style.visibility = 'hidden'`,
	"gone":          `for (const e of document.querySelectorAll('a,button,input,select')) e.style.display = 'none'`,
	"covered":       `document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#fff">One moment</div>')`,
	"inert":         `document.querySelector('main').inert = true`,
	"wrapped":       `const m = document.querySelector('main'); const d = document.createElement('div'); m.before(d); d.append(m)`,
	"disabled":      `for (const e of document.querySelectorAll('button,input,select')) e.disabled = true`,
	"aria-hidden":   `document.querySelector('form').setAttribute('aria-hidden', 'true')`,
	"a file field":  `document.querySelector('form').insertAdjacentHTML('beforeend', '<input type=file hidden>')`,
	"shadow":        `document.querySelector('main').attachShadow({ mode: 'open' }).innerHTML = '<slot></slot>'`,
}

// TestInPlaceIsWhatTheWholePageSays: the shortcut must never point to another
// element than a look at the whole page would, whatever happened to the page.
func TestInPlaceIsWhatTheWholePageSays(t *testing.T) {
	srv := serve(t, map[string]string{"/": inPlacePage})
	s := newTestSession(t)
	ctx := testContext(t)
	whole := func() ([]dom.Identity, []int) {
		t.Helper()
		st, err := s.State(ctx, StateOptions{Full: true, facts: true, Fresh: true})
		if err != nil {
			t.Fatal(err)
		}
		ids, indices, err := s.identities(ctx, st)
		if err != nil {
			t.Fatal(err)
		}
		return ids, indices
	}
	look(t, s, srv.URL, StateOptions{})
	recorded, _ := whole()
	if len(recorded) < 25 {
		t.Fatalf("only %d targets", len(recorded))
	}
	found := map[string]int{}
	for name, change := range changes {
		for _, first := range []string{"whole page first", "shortcut first"} {
			look := func(id dom.Identity) int {
				t.Helper()
				i, err := s.inPlace(ctx, id)
				if err != nil {
					t.Fatalf("%s: %s: %v", name, id.Path, err)
				}
				return i
			}
			if _, err := s.Navigate(ctx, srv.URL); err != nil {
				t.Fatal(err)
			}
			run(t, s, change)
			var short []int
			if first == "shortcut first" {
				for _, id := range recorded {
					short = append(short, look(id))
				}
			}
			ids, indices := whole()
			for k, id := range recorded {
				if first != "shortcut first" {
					short = append(short, look(id))
				}
				if short[k] == 0 {
					continue
				}
				found[name]++
				i, level, err := dom.Match(id, ids)
				if err != nil || level != dom.LevelExact || indices[i] != short[k] {
					t.Errorf("%s, %s: <%s> %q is %d in place; the whole page says %d by %s, %v", name, first, id.Tag, id.Name, short[k], i, level, err)
				}
			}
		}
	}
	for name, least := range map[string]int{"nothing": 35, "aria-hidden": 30, "disabled": 35} {
		if found[name] < least {
			t.Errorf("%s: the shortcut found %d of twice %d, want %d", name, found[name], len(recorded), least)
		}
	}
	for _, name := range []string{"decoys before", "decoys after", "gone", "covered", "a file field"} {
		if found[name] > 14 {
			t.Errorf("%s: the shortcut found %d", name, found[name])
		}
	}
}

// A look at one branch must not make indices of the rest invalid, elements of
// the next state new, or hide from it what only Chrome can tell.
func TestRelocateInPlaceLeavesTheRestAlone(t *testing.T) {
	srv := serve(t, map[string]string{
		"/": `<title>A</title><button>First</button><div id="d">Listens</div><iframe srcdoc="<button>Framed</button>"></iframe><p id="host"></p>
		<script>
			d.addEventListener('click', () => {});
			host.attachShadow({ mode: 'closed' }).innerHTML = '<button>Closed</button>';
		</script>`,
		"/b": `<title>B</title><button>First</button>`,
	})
	s := newTestSession(t)
	ctx := testContext(t)
	st := look(t, s, srv.URL, StateOptions{})
	framed := mustTarget(t, st, "Framed")
	id, err := s.Identify(ctx, mustTarget(t, st, "First").Index)
	if err != nil {
		t.Fatal(err)
	}
	if i, err := s.inPlace(ctx, id); err != nil || i != mustTarget(t, st, "First").Index {
		t.Fatalf("not found in place: %d, %v", i, err)
	}
	if _, err := s.Click(ctx, framed.Index, ClickOptions{}); err != nil {
		t.Errorf("the index of an element in a frame: %v", err)
	}
	// In a document that was not looked at before.
	if _, err := s.Navigate(ctx, srv.URL+"/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	i, level, err := s.Relocate(ctx, id)
	if err != nil || level != dom.LevelExact || s.LastState().Page.Targets() != 1 {
		t.Fatalf("%d by %s, %v; %d targets looked at", i, level, err, s.LastState().Page.Targets())
	}
	st, err = s.State(ctx, StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(st.Text.String, "*[") {
		t.Errorf("elements are new in the first state of a document:\n%s", st.Text.String)
	}
	if got := mustTarget(t, st, "First").Index; got != i {
		t.Errorf("First had index %d and has %d", i, got)
	}
	for _, name := range []string{"Listens", "Framed", "Closed"} {
		mustTarget(t, st, name)
	}
	if _, err := s.Click(ctx, framed.Index, ClickOptions{}); !errors.Is(err, dom.ErrStaleElement) {
		t.Errorf("an element of the document before: %v", err)
	}
}

func TestRelocateEndsWithItsContext(t *testing.T) {
	srv := serve(t, map[string]string{"/": inPlacePage})
	s := newTestSession(t)
	st := look(t, s, srv.URL, StateOptions{})
	id, err := s.Identify(testContext(t), mustTarget(t, st, "Full name").Index)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(testContext(t))
	cancel()
	if _, _, err := s.Relocate(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The elements of a drag are found one after the other. The first was not in
// what was looked at for the second, and the drag ended one place short.
func TestDragBetweenElementsFoundInPlace(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<title>sort</title><style>button{height:24px;width:160px;display:block}</style>
		<div id=list><button id=a>A</button><button id=b>B</button><button id=c>C</button></div>
		<script>` + sorting + `</script>`})
	s := newTestSession(t)
	ctx := testContext(t)
	var ids []dom.Identity
	st := look(t, s, srv.URL, StateOptions{})
	for _, name := range []string{"A", "C"} {
		id, err := s.Identify(ctx, mustTarget(t, st, name).Index)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if _, err := s.Navigate(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	var at [2]int
	for i, id := range ids {
		var err error
		if at[i], err = s.inPlace(ctx, id); err != nil || at[i] == 0 {
			t.Fatalf("%s is not found in place: %v", id.Name, err)
		}
	}
	if id, err := s.Identify(ctx, at[0]); err != nil || id.Name != "A" {
		t.Errorf("the first of two is %q, %v", id.Name, err)
	}
	for i, id := range ids {
		if n, err := s.inPlace(ctx, id); err != nil || n != at[i] {
			t.Fatalf("%s had index %d and has %d, %v", id.Name, at[i], n, err)
		}
	}
	if _, err := s.Drag(ctx, DragOptions{From: Place{Index: at[0]}, To: Place{Index: at[1]}}); err != nil {
		t.Fatal(err)
	}
	if got, err := Evaluate[string](ctx, s, "list.innerText.replace(/\\s/g, '')"); err != nil || got != "BCA" {
		t.Errorf("the order is %s, want BCA (%v)", got, err)
	}
}
