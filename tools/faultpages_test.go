package tools

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// F037: the element is drawn anew between the look and the action.
func TestFaultsOfRedrawnElements(t *testing.T) {
	const b = `<button id=b onclick="document.title='B'">go</button>`
	const click = `[{"click":{"index":«go»}}]`
	checkFaults(t, []fault{
		{"F037 another in its place", `<div id=r>` + b + `</div>`, click, "document.title", "", []string{"not on the page any more"}, `void(r.innerHTML='<button onclick="document.title=1">other</button>')`},
		{"F037 taken out of the page", `<div id=r>` + b + `</div>`, click, "document.title", "", []string{"not on the page any more"}, `void(r.remove())`},
		{"F037 its frame is gone", `<iframe id=f srcdoc="<button onclick=&quot;parent.document.title=1&quot;>go</button>"></iframe>`, click, "document.title", "", []string{""}, `void(f.remove())`},
		{"F037 moved, and the same", `<div id=r>` + b + `</div><p id=p></p>`, click, "document.title", "B", nil, `void(p.append(b))`},
		{"F037 a field that is another", `<div id=r><input aria-label=name id=i></div>`, `[{"input":{"index":«name»,"text":"x"}}]`, "j.value", "", []string{"not on the page any more"}, `void(r.innerHTML='<input id=j aria-label=card>')`},
	})
}

// F077, F078: shadow roots in shadow roots, slots with fallbacks, closed ones.
func TestFaultsOfShadowRoots(t *testing.T) {
	host := func(mode, html, after string) string {
		return `<script>customElements.define('x-s',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'` + mode + `'});r.innerHTML=` + "`" + html + "`" + `;` + after + `}})</script>`
	}
	checkFaults(t, []fault{
		{"F077 slotted into a slotted one", `<x-s><x-s><button onclick="document.title='deep'">deep</button></x-s></x-s>` + host("open", `<section><slot></slot></section>`, ""), `[{"click":{"index":«deep»}}]`, "document.title", "deep", nil, ""},
		{"F077 what a slot falls back on", `<x-s></x-s>` + host("open", `<slot><button onclick="document.title='fallback'">none given</button></slot>`, ""), `[{"click":{"index":«none given»}}]`, "document.title", "fallback", nil, ""},
		{"F077 a field that is slotted", `<x-s><input slot=f aria-label=name id=i></x-s>` + host("open", `<label>x <slot name=f></slot></label>`, ""), `[{"input":{"index":«name»,"text":"Ada"}}]`, "i.value", "Ada", nil, ""},
		{"F078 open in closed", `<x-s></x-s>` + host("closed", `<div id=d></div>`, `const q=r.getElementById('d').attachShadow({mode:'open'});q.innerHTML='<button>inmost</button>';q.firstChild.onclick=()=>document.title='inmost'`), `[{"click":{"index":«inmost»}}]`, "document.title", "inmost", nil, ""},
		{"F078 closed in closed", `<x-s></x-s>` + host("closed", `<div id=d style="width:90px;height:20px"></div>`, `const q=r.getElementById('d').attachShadow({mode:'closed'});q.innerHTML='<button>inmost</button>';q.firstChild.onclick=()=>document.title='shut twice'`), `[{"click":{"index":«inmost»}}]`, "document.title", "shut twice", nil, ""},
		{"F078 a list in a closed one", `<x-s></x-s>` + host("closed", `<select aria-label=list><option>a<option>b</select>`, `r.firstChild.onchange=()=>document.title=r.firstChild.value`), `[{"select_dropdown":{"index":«list»,"text":"b"}}]`, "document.title", "b", nil, ""},
		{"F078 slotted into a closed one", `<x-s><button onclick="document.title='light'">light</button></x-s>` + host("closed", `<slot></slot>`, ""), `[{"click":{"index":«light»}}]`, "document.title", "light", nil, ""},
	})
	// Each of both sets is listed once.
	h := newHand(t)
	h.show(`<x-s><button slot=a>light one</button></x-s>` + host("open", `<slot name=a></slot><button>shadow one</button>`, ""))
	text := h.look().Text.String
	for _, name := range []string{"light one", "shadow one"} {
		if n := strings.Count(text, name); n != 1 {
			t.Errorf("%q is listed %d times:\n%s", name, n, text)
		}
	}
}

// F083: a page that does not want to be left is left, by every way there is.
func TestFaultsOfLeavingPages(t *testing.T) {
	const stay = `<title>old</title><input aria-label=f><script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='stay!'})</script>`
	h := newHand(t)
	h.serve("/in", `<title>in</title>`)
	typed := `[{"input":{"index":«f»,"text":"x"}}]`
	for name, tc := range map[string][2]string{
		"F083 navigate": {stay, `[{"navigate":{"url":"` + h.url + `/in"}}]`},
		"F083 a link":   {stay + `<a href=/in>go</a>`, `[{"click":{"index":«go»}}]`},
		"F083 a form":   {stay + `<form action=/in><button>go</button></form>`, `[{"click":{"index":«go»}}]`},
		"F083 onbeforeunload": {`<title>old</title><input aria-label=f><script>onbeforeunload=()=>'stay'</script><button onclick="location='/in'">go</button>`,
			`[{"click":{"index":«go»}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.show(tc[0])
			h.do(typed)
			h.do(tc[1])
			h.is("document.title", "in")
		})
	}
	h.t = t
	h.show(stay)
	h.do(typed)
	h.do(`[{"reload":{}}]`)
	h.is("document.title+document.querySelector('input').value", "old")
	h.do(typed)
	h.do(`[{"navigate":{"url":"` + h.url + `/in","new_tab":true}}]`)
	first := h.s.Tabs()[0].ID
	h.do(`[{"close":{"tab_id":"` + first + `"}}]`)
	if n := len(h.s.Tabs()); n != 1 {
		t.Errorf("%d tabs are left", n)
	}
}

// A dead link opened a page like any other, as far as the model was told.
func TestAClickTellsWhatTheServerAnswered(t *testing.T) {
	h := newHand(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tc := range []struct{ name, html, action, want string }{
		{"a page that is not there", `<a href=/missing>go</a>`, `{"click":{"index":«go»}}`, "the page is now " + h.url + "/missing (the server answered HTTP 404)"},
		{"in a new tab", `<a href=/missing target=_blank>go</a>`, `{"click":{"index":«go»}}`, ", which is current now (the server answered HTTP 404)"},
		{"a form", `<form action=/missing><input aria-label=f></form>`, `{"input":{"index":«f»,"text":"x\n"}}`, "/missing? (the server answered HTTP 404)"},
		{"a server that is gone", `<a href="` + gone.URL + `/in">go</a>`, `{"click":{"index":«go»}}`, "/in (it could not be opened: net::ERR_CONNECTION_REFUSED)"},
		{"that in a new tab", `<a href="` + gone.URL + `" target=_blank>go</a>`, `{"click":{"index":«go»}}`, ", which is current now (it could not be opened"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h.t = t
			h.show(tc.html)
			if got := effects(h.do("[" + tc.action + "]")[0]); !strings.Contains(got, tc.want) {
				t.Errorf("effects %q do not say %q", got, tc.want)
			}
		})
	}
	h.t = t
	h.serve("/in", "there")
	h.show(`<a href=/in>go</a>`)
	if got := effects(h.do(`[{"click":{"index":«go»}}]`)[0]); got != "the page is now "+h.url+"/in" {
		t.Errorf("effects %q", got)
	}
}
