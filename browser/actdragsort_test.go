package browser

import (
	"testing"
)

// sorting lets the items of #list be dragged to other places.
const sorting = `
		let held = null;
		list.addEventListener('mousedown', (e) => { held = e.target; e.preventDefault() });
		document.addEventListener('mouseup', () => { held = null });
		document.addEventListener('mousemove', (e) => {
			if (!held) return;
			for (const item of [...list.children]) {
				const r = item.getBoundingClientRect(), mid = r.top + r.height / 2;
				if (item === held || e.clientY < r.top || e.clientY >= r.bottom) continue;
				const down = held.compareDocumentPosition(item) & 4;
				if (down && e.clientY > mid + 0.5) item.after(held);
				if (!down && e.clientY < mid - 0.5) item.before(held);
			}
		});
`

// An item dragged down a list to the place of another ended one place short:
// dropped on the very middle of an item, which makes way for what has passed it.
func TestAnItemTakesThePlaceOfTheOneItIsDraggedTo(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<title>sort</title><style>li{height:24px;width:160px;user-select:none;list-style:none}</style>
		<ul id=list><li>A<li>B<li>C<li>D</ul>
		<script>` + sorting + `
		for (const li of list.children) li.onmousedown = () => {};
		</script>`})
	s := newTestSession(t)
	ctx := testContext(t)
	for _, row := range []struct{ from, to, want string }{
		{"A", "B", "BACD"}, {"A", "D", "BCDA"}, {"D", "A", "DABC"}, {"C", "B", "ACBD"},
	} {
		st := look(t, s, srv.URL, StateOptions{})
		o := DragOptions{From: Place{Index: mustTarget(t, st, row.from).Index}, To: Place{Index: mustTarget(t, st, row.to).Index}}
		if _, err := s.Drag(ctx, o); err != nil {
			t.Fatal(err)
		}
		if got, err := Evaluate[string](ctx, s, "[...list.children].map((x) => x.textContent.trim()).join('')"); err != nil || got != row.want {
			t.Errorf("%s to %s: %s, want %s (%v)", row.from, row.to, got, row.want, err)
		}
	}
}
