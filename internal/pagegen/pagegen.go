// Package pagegen makes the pages that page states are measured on, always
// the same ones: a small form, a long listing, a longer table, a deep nest of
// shadow roots and frames, and a page with cross-site frames.
package pagegen

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

var vocabulary = strings.Fields(`amber anchor apple arrow basket beacon birch bottle branch bridge bronze butter
cabin candle canyon carbon castle cedar cherry circle cliff cloud cobalt copper coral cotton crystal desert
dragon ember falcon feather forest garden ginger glacier granite harbor hazel indigo island ivory jasmine
kettle ladder lantern lemon linen maple marble meadow mirror nectar ocean olive orchid paper pebble pepper
pilot planet prairie quartz ribbon river saddle saffron silver spruce stone summer thunder timber tulip
velvet violet walnut willow winter`)

type words struct{ r *rand.Rand }

func (w words) some(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = vocabulary[w.r.IntN(len(vocabulary))]
	}
	return strings.Join(out, " ")
}

func (w words) title(n int) string {
	s := w.some(n)
	return strings.ToUpper(s[:1]) + s[1:]
}

func seeded(n uint64) words { return words{rand.New(rand.NewPCG(n, 20))} }

// Names lists the pages of Handler, by path without the slash.
var Names = []string{"small", "listing", "nested", "cross", "table"}

// Handler serves the pages. other is the origin that cross-site frames come
// from; it must reach the same handler.
func Handler(other string) http.Handler {
	mux := http.NewServeMux()
	page := func(path string, body func() string) {
		text := ""
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			if text == "" {
				text = body()
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(text))
		})
	}
	page("/small", Small)
	page("/listing", func() string { return Listing(1000) })
	page("/table", func() string { return Table(10_000) })
	page("/nested", func() string { return Nested(400, 20) })
	page("/cross", func() string { return Cross(other) })
	page("/frame", frame)
	return mux
}

// Small is a form with a little navigation and text around it.
func Small() string {
	w := seeded(1)
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang=en><head><meta charset=utf-8><title>Order form</title><style>
body{font:15px sans-serif;margin:16px}nav a{margin-right:12px}label{display:inline-block;width:120px}p{max-width:60em}.row{margin:6px 0}.tag{cursor:pointer;border:1px solid #888;padding:2px 6px}
</style></head><body><header><nav aria-label=Main>`)
	for range 6 {
		t := w.title(1)
		fmt.Fprintf(&b, `<a href="/%s">%s</a>`, strings.ToLower(t), t)
	}
	b.WriteString(`</nav></header><main><h1>Order form</h1><p>` + w.title(20) + `.</p><form><h2>Your details</h2>`)
	for i, f := range []struct{ kind, label string }{
		{"text", "First name"}, {"text", "Last name"}, {"email", "Email"}, {"tel", "Phone"}, {"date", "Delivery date"}, {"number", "Quantity"}, {"password", "Password"},
	} {
		fmt.Fprintf(&b, `<div class=row><label for=f%d>%s</label><input id=f%d name=f%d type=%s></div>`, i, f.label, i, i, f.kind)
	}
	b.WriteString(`<div class=row><label for=c>Country</label><select id=c><option>Norway<option selected>Portugal<option>Japan<option>Chile</select></div>
<div class=row><label><input type=checkbox checked> Gift wrap</label> <label><input type=radio name=s> Standard</label> <label><input type=radio name=s checked> Express</label></div>
<div class=row><label for=n>Notes</label><textarea id=n rows=2>` + w.some(6) + `</textarea></div>
<div class=row><button type=submit>Place order</button> <button type=button disabled>Save draft</button> <span class=tag>` + w.some(1) + `</span> <span class=tag>` + w.some(1) + `</span></div></form>
<h2>Recent</h2><table><thead><tr><th>Item<th>Price</thead><tbody>`)
	for i := range 4 {
		fmt.Fprintf(&b, `<tr><td>%s<td>$%d.50</tr>`, w.title(2), 10+i*7)
	}
	b.WriteString(`</tbody></table><ul>`)
	for range 5 {
		b.WriteString(`<li>` + w.title(5))
	}
	b.WriteString(`</ul></main><footer><p>` + w.title(8) + `.</p></footer></body></html>`)
	return b.String()
}

// Listing is a shop page with n cards of ten elements each.
func Listing(n int) string {
	w := seeded(2)
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang=en><head><meta charset=utf-8><title>Listing</title><style>
body{font:14px sans-serif;margin:0}header{padding:10px}main{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;padding:12px}.card{border:1px solid #ccc;padding:10px}button{cursor:pointer}
</style></head><body><header><a href=/>Home</a> <a href=/cart>Cart</a> <input type=search aria-label=Search> <button>Go</button></header><main>`)
	for i := range n {
		fmt.Fprintf(&b, `<article class="card" data-id="%d"><div class="top"><span class="badge">%s</span></div><h3><a href="/item/%d">%s</a></h3><p class="text">%s.</p><div class="foot"><span class="price">$%d.99</span><button>Add to cart</button></div></article>`,
			i, w.some(1), i, w.title(4), w.title(12), 5+w.r.IntN(500))
	}
	b.WriteString(`</main></body></html>`)
	return b.String()
}

// Table has rows of five cells, one of them a link.
func Table(rows int) string {
	w := seeded(3)
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang=en><head><meta charset=utf-8><title>Table</title></head><body><h1>Records</h1><table><thead><tr><th>Id<th>Name<th>City<th>Amount<th>Open</thead><tbody>`)
	for i := range rows {
		fmt.Fprintf(&b, `<tr><td>%d</td><td>%s</td><td>%s</td><td>%d</td><td><a href="/r/%d">Open %d</a></td></tr>`, i, w.some(1), w.some(1), w.r.IntN(10000), i, i)
	}
	b.WriteString(`</tbody></table></body></html>`)
	return b.String()
}

// Nested puts buttons into so many nested boxes, every tenth of them in a
// shadow root, and beside them so many frames.
func Nested(depth, frames int) string {
	w := seeded(4)
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang=en><head><meta charset=utf-8><title>Nested</title><style>iframe{width:180px;height:90px}</style></head><body><h1>Nested</h1><div id=frames>`)
	for i := range frames {
		fmt.Fprintf(&b, `<iframe title="Frame %d" srcdoc="<p>%s</p><button>Frame button %d</button><a href=/x>%s</a>"></iframe>`, i, w.some(3), i, w.title(2))
	}
	fmt.Fprintf(&b, `</div><div id=root></div><script>
let at = document.getElementById('root');
for (let i = 0; i < %d; i++) {
  const box = document.createElement('div');
  at.append(box);
  if (i %% 10 === 0) {
    const p = document.createElement('p'); p.textContent = 'Level ' + i; box.append(p);
    const b = document.createElement('button'); b.textContent = 'Button ' + i; box.append(b);
    const h = document.createElement('div'); box.append(h);
    at = h.attachShadow({mode: 'open'});
  } else at = box;
}
</script></body></html>`, depth)
	return b.String()
}

// Cross embeds two frames of another site.
func Cross(other string) string {
	w := seeded(5)
	return `<!doctype html><html lang=en><head><meta charset=utf-8><title>Cross-site</title></head><body><h1>Outside</h1><p>` + w.title(10) + `.</p>
<button>Outer one</button> <a href=/x>Outer link</a> <input aria-label="Outer field">
<div id=closed></div><script>document.getElementById('closed').attachShadow({mode:'closed'}).innerHTML='<button>In closed root</button>'</script>
<iframe title=Payment width=400 height=220 src="` + other + `/frame"></iframe><iframe title=Map width=400 height=220 src="` + other + `/frame"></iframe></body></html>`
}

func frame() string {
	w := seeded(6)
	return `<!doctype html><html lang=en><head><meta charset=utf-8><title>Inside</title></head><body><h2>Inside</h2><p>` + w.title(8) + `.</p>
<label>Card number <input name=card></label><br><label>Month <select><option>01<option>02<option>03</select></label><br><label><input type=checkbox> Remember</label><br>
<button>Pay now</button> <a href=/terms>Terms</a></body></html>`
}
