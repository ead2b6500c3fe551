package tools

import (
	"strings"
	"testing"
)

// Variations of the faults in the other files of tests: each kind in a form
// that it was not reported in.

func TestFaultsOfHiddenTargets(t *testing.T) {
	const titleB = `onclick="document.title='B'"`
	const button = `<div id=w><button id=b ` + titleB + `>go</button></div>`
	click := `[{"click":{"index":«go»}}]`
	refused := func(id, after string, words ...string) fault {
		return fault{id, button, click, "document.title", "", append(words, "; "), after}
	}
	checkFaults(t, []fault{
		refused("F039 made invisible", `void(b.style.visibility='hidden')`, "is hidden"),
		refused("F039 collapsed", `void(w.style.visibility='collapse')`, "is hidden"),
		refused("F039 not displayed", `void(w.hidden=true)`, "is hidden"),
		refused("F039 not rendered", `void(w.style.contentVisibility='hidden')`, "is hidden"),
		refused("F039 without a size", `void(b.style.cssText='width:0;height:0;padding:0;border:0;overflow:hidden;font-size:0')`, "is hidden"),
		refused("F042 a see-through parent", `void(w.style.opacity=0)`, "is hidden"),
		refused("F042 see-through itself", `void(b.style.opacity='0')`, "is hidden"),
		refused("F042 faded out", `void(w.animate({opacity:[1,0]},{duration:1,fill:'forwards'}).finish())`, "is hidden"),
		{"F042 a native box under its label stays usable", `<label style="display:inline-block;width:90px;height:30px;background:#ddd"><input type=checkbox id=c style="opacity:0;width:100%;height:100%"></label>`, `[{"click":{"index":«c»}}]`, "document.getElementById('c').checked", "true", nil, ""},
		{"F042 faded in", `<div id=w style="opacity:.01"><button ` + titleB + `>go</button></div>`, click, "document.title", "B", nil, `void(w.style.opacity=0,w.animate({opacity:[0,1]},{duration:300,fill:'forwards'}))`},
		refused("F040 the pointer goes through", `void(w.style.pointerEvents='none')`, "pointer-events"),
		refused("F040 inert", `void(w.inert=true)`, "is inert", "<div#w>"),
		refused("F040 said to be disabled", `void(w.ariaDisabled='true')`, "is disabled by <div#w>"),
		refused("F038 covered by a dialog", `void(document.body.insertAdjacentHTML('beforeend','<dialog id=d>hi</dialog>'),d.showModal())`, "covered by <dialog#d>"),
		refused("F038 covered by what a shadow root draws", `void(document.body.insertAdjacentHTML('beforeend','<x-veil id=v></x-veil>'),v.attachShadow({mode:'open'}).innerHTML='<div id=in style="position:fixed;inset:0">x</div>')`, "covered by"),
		refused("F051 pushed out of the page", `void(b.style.cssText='position:absolute;left:-999px')`, "outside the page"),
		{"F045 an option of a group", `<select id=s size=4 aria-label=f><optgroup label=g><option>A<option value=b>B</optgroup></select>`, `[{"click":{"index":«B»}}]`, "s.value", "b", nil, ""},
		{"F045 a list that is closed", `<select id=s aria-label=f><option>A<option>B</select>`, `[{"click":{"index":«f»}}]`, "s.value", "A", []string{"select_dropdown", `"B"`}, ""},
		{"F047 listened to in a frame", `<iframe srcdoc="<div id=d style='width:90px;height:20px'>Tab</div><script>d.addEventListener('click',()=>parent.document.title='B')</script>"></iframe>`, `[{"click":{"index":«Tab»}}]`, "document.title", "B", nil, ""},
		{"F051 a foot in the box that scrolls", `<div style="height:300px;overflow:auto"><div style="height:900px"></div><button ` + titleB + `>go</button><div style="height:400px"></div><div style="position:sticky;bottom:0;height:100px;background:#ccc" onclick="document.title='bar'">bar</div></div>`, click, "document.title", "B", nil, ""},
		{"F051 a banner over half the view", `<div style="height:1200px"></div><button ` + titleB + `>go</button><div style="height:1200px"></div><div style="position:fixed;bottom:0;left:0;right:0;height:60vh;background:#eee" onclick="document.title='banner'">cookies</div>`, click, "document.title", "B", nil, ""},
	})
}

// F034: elements that move keep their numbers.
func TestIndexFollowsItsElement(t *testing.T) {
	h := newHand(t)
	h.show(`<ul id=l><li><button onclick="document.title='one'">one</button><li><button onclick="document.title='two'">two</button><li><button onclick="document.title='three'">three</button></ul>`)
	one := h.index("one")
	h.eval(`l.append(l.firstElementChild)`)
	h.look()
	h.do(`[{"click":{"index":` + itoa(one) + `}}]`)
	h.is("document.title", "one")
	h.eval(`(()=>{window.kept=l.lastElementChild;kept.remove()})()`)
	h.look()
	h.fails(`{"click":{"index":`+itoa(one)+`}}`, "not on the page any more")
	h.eval(`(()=>{document.title='';l.prepend(kept)})()`)
	h.look()
	h.do(`[{"click":{"index":` + itoa(one) + `}}]`)
	h.is("document.title", "one")
}

// F048: what is left of a step when its first action changes the page.
func TestFaultsOfSteps(t *testing.T) {
	h := newHand(t)
	for _, tc := range []struct{ name, html, actions, js, want, why string }{
		{"F048 a field comes before the button", `<button onclick="document.body.prepend(document.createElement('input'))">one</button><button onclick="document.title='two'">two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, "document.title", "two", ""},
		{"F048 the list is drawn anew", `<button onclick="document.getElementById('r').innerHTML='<button>two</button>'">one</button><div id=r><button onclick="document.title='two'">two</button></div>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, "document.title", "", "is not on the page any more"},
		{"F048 a form is sent between", `<form action="/"><input aria-label=f name=q></form><button onclick="document.title='two'">two</button>`, `[{"input":{"index":«f»,"text":"x\n"}},{"click":{"index":«two»}}]`, "location.search+document.title", "?q=x", "the page is now"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h.t = t
			h.show(tc.html)
			_, why := h.run(tc.actions)
			if tc.why == "" && why != "" || !strings.Contains(why, tc.why) {
				t.Errorf("reason %q, want %q", why, tc.why)
			}
			h.is(tc.js, tc.want)
		})
	}
	h.t = t
}

func TestFaultsOfDeepFrames(t *testing.T) {
	h := newHand(t)
	// F075: a page in itself, each time at another address.
	h.serve("/self", `<button onclick="top.document.title='self'+location.search">self</button><script>const n=+location.search.slice(1)||0;const f=document.createElement('iframe');f.src='/self?'+(n+1);if(n<30)document.body.append(f)</script>`)
	if _, err := h.s.Navigate(testContext(t), h.url+"/self"); err != nil {
		t.Fatal(err)
	}
	h.do(`[{"click":{"index":«self»}}]`)
	h.is("document.title", "self")
	h.serve("/twice", `<button onclick="top.document.title='twice'">twice</button><iframe src="/twice?a"></iframe><iframe src="/twice?b"></iframe>`)
	if _, err := h.s.Navigate(testContext(t), h.url+"/twice"); err != nil {
		t.Fatal(err)
	}
	h.do(`[{"click":{"index":«twice»}}]`)
	h.is("document.title", "twice")
	// F071: frames of other sites in each other.
	other := strings.Replace(h.url, "127.0.0.1", "localhost", 1)
	h.serve("/leaf", `<button onclick="top.postMessage('leaf','*')">leaf</button><input aria-label=leaffield oninput="top.postMessage(value,'*')">`)
	h.serve("/mid", `<div style="height:300px"></div><iframe src="`+h.url+`/leaf" style="width:300px;height:100px"></iframe>`)
	h.show(`<script>onmessage=e=>document.title=e.data</script><div style="height:900px"></div><iframe src="` + other + `/mid" style="width:400px;height:200px"></iframe>`)
	h.do(`[{"scroll":{"to":"element","index":` + itoa(h.frame()) + `}}]`)
	h.do(`[{"click":{"index":«leaf»}}]`)
	h.waitTitle("leaf")
	h.do(`[{"input":{"index":«leaffield»,"text":"deep"}}]`)
	h.waitTitle("deep")
	// F073: the same markup in the page and in two frames.
	h.show(`<button onclick="document.title='top'">Save</button><iframe srcdoc="<button id=x1 onclick=&quot;parent.document.title='one'&quot;>Save</button>"></iframe><iframe srcdoc="<button id=x2 onclick=&quot;parent.document.title='two'&quot;>Save</button>"></iframe>`)
	for id, want := range map[string]string{"x2": "two", "x1": "one"} {
		h.do(`[{"click":{"index":«` + id + `»}}]`)
		h.is("document.title", want)
	}
	// F079: what Chrome itself draws in shadow roots is no part of the page.
	h.show(`<details><summary>More</summary><input aria-label=inside></details><video controls style="width:200px;height:60px"></video><input type=search aria-label=find value=old><input type=file aria-label=up>`)
	h.do(`[{"click":{"index":«More»}}]`)
	h.do(`[{"input":{"index":«inside»,"text":"a"}},{"input":{"index":«find»,"text":"new"}}]`)
	h.is("document.querySelector('[type=search]').value", "new")
}

// F085: a look at a page whose dialog is open answers at once.
func TestFaultsOfOpenDialogs(t *testing.T) {
	h := newHand(t)
	for name, html := range map[string]string{
		"when it loads":   `<title>t</title><script>alert('hello there')</script><button>go</button>`,
		"later":           `<title>t</title><button>go</button><script>setTimeout(()=>alert('hello there'),1)</script>`,
		"again and again": `<title>t</title><button>go</button><script>setTimeout(()=>{for(let n=0;n<3;n++)alert('hello there')},1)</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.show(html)
			h.do(`[{"click":{"index":«go»}}]`)
			h.is("document.title", "t")
		})
	}
	h.t = t
}

// F086: pages that open in tabs of their own.
func TestFaultsOfNewTabs(t *testing.T) {
	h := newHand(t)
	h.serve("/in", `<title>in</title>`)
	for name, tc := range map[string][2]string{
		"F086 without an opener": {`<a target=_blank rel="noopener noreferrer" href=/in>go</a>`, `[{"click":{"index":«go»}}]`},
		"F086 a form":            {`<form target=_blank action=/in><button>go</button></form>`, `[{"click":{"index":«go»}}]`},
		"F086 with Control":      {`<a href=/in>go</a>`, `[{"click":{"index":«go»,"modifiers":["Control"]}}]`},
		"F086 the middle button": {`<a href=/in>go</a>`, `[{"click":{"index":«go»,"button":"middle"}}]`},
		"F086 a moment later":    {`<button onclick="setTimeout(()=>window.open('/in'),60)">go</button>`, `[{"click":{"index":«go»}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.show(tc[0])
			n := len(h.s.Tabs())
			rs := h.do(tc[1])
			if got := effects(rs[0]); !strings.Contains(got, "opened tab") || len(h.s.Tabs()) != n+1 {
				t.Errorf("effects %q, %d tabs, %d before", got, len(h.s.Tabs()), n)
			}
		})
	}
	h.t = t
}

// F092: an address that is a file, reached in every way there is.
func TestFaultsOfDownloadLinks(t *testing.T) {
	h := newHand(t)
	url := server(t)
	for name, html := range map[string]string{
		"F092 a link":              `<a href="` + url + `/dl">go</a>`,
		"F092 a form":              `<form action="` + url + `/dl"><button>go</button></form>`,
		"F092 by script":           `<button onclick="location='` + url + `/dl'">go</button>`,
		"F092 in a new tab":        `<a target=_blank href="` + url + `/dl">go</a>`,
		"F092 in a frame":          `<iframe name=f hidden></iframe><a target=f href="` + url + `/dl">go</a>`,
		"F092 made by the page":    `<a download="x.csv" href="data:text/csv,a,b">go</a>`,
		"F092 a blob of the page":  `<button onclick="Object.assign(document.createElement('a'),{download:'y.csv',href:window.URL.createObjectURL(new Blob(['a,b']))}).click()">go</button>`,
		"F092 fetched, then saved": `<button onclick="fetch('/').then(r=>r.blob()).then(b=>Object.assign(document.createElement('a'),{download:'z.html',href:window.URL.createObjectURL(b)}).click())">go</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.show("<title>stays</title>" + html)
			n := len(h.s.Downloads())
			r := h.do(`[{"click":{"index":«go»}}]`)[0]
			if !strings.Contains(effects(r), "downloaded") || len(h.s.Downloads()) != n+1 {
				t.Errorf("effects %q, %d downloads, %d before", effects(r), len(h.s.Downloads()), n)
			}
			h.is("document.title", "stays")
		})
	}
	h.t = t
	h.show("<title>stays</title>")
	if r := h.do(`[{"navigate":{"url":"` + url + `/none"}}]`)[0]; r.Error != "" {
		t.Errorf("an address without content: %+v", r)
	}
	h.is("document.title", "stays")
}
