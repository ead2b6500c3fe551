package tools

import (
	"strings"
	"testing"
)

// A fault is something that an agent's user once ran into. Each row is a page,
// what the model writes, and what must hold afterwards.
type fault struct {
	id, html string
	actions  string   // a line for each step
	js, want string   // must hold after the last
	fails    []string // words of the last action's error; nil: all must succeed
	after    string   // JavaScript between the look at the page and the last step
}

func checkFaults(t *testing.T, rows []fault) {
	h := newHand(t)
	for _, f := range rows {
		t.Run(f.id, func(t *testing.T) {
			h.t = t
			h.show(strings.ReplaceAll(f.html, "LOCAL", strings.Replace(h.url, "127.0.0.1", "localhost", 1)))
			steps := strings.Split(f.actions, "\n")
			for _, a := range steps[:len(steps)-1] {
				h.do(a)
			}
			h.after = f.after
			results, why := h.run(steps[len(steps)-1])
			last := results[len(results)-1]
			switch {
			case f.fails == nil && (last.Error != "" || why != ""):
				t.Fatalf("%s%s", last.Error, why)
			case f.fails != nil && last.Error == "":
				t.Fatalf("succeeded: %+v", last)
			}
			for _, w := range f.fails {
				if !strings.Contains(last.Error, w) {
					t.Errorf("error %q does not say %q", last.Error, w)
				}
			}
			switch {
			case f.js == "":
			case strings.Contains(f.html, "setTimeout"): // which may have fired in part
				h.becomes(f.js, f.want)
			default:
				h.is(f.js, f.want)
			}
		})
	}
	h.t = t
}

func TestFaultsOfClicking(t *testing.T) {
	const titleB = `onclick="document.title='B'"`
	overlay := func(style string) string {
		return `document.body.insertAdjacentHTML('beforeend','<div id=o style="position:fixed;inset:0;z-index:9;` + style + `" onclick="document.title=1"></div>')`
	}
	button := `<button ` + titleB + `>go</button>`
	checkFaults(t, []fault{
		{"F036 unknown index", `<button>go</button>`, `[{"click":{"index":999}}]`, "", "", []string{"999"}, ""},
		{"F036 unknown index of a field", `<input aria-label=f>`, `[{"input":{"index":12345,"text":"x"}}]`, "", "", []string{"12345"}, ""},
		{"F036 unknown index of a list", `<input>`, `[{"select_dropdown":{"index":77,"text":"x"}}]`, "", "", []string{"77"}, ""},
		{"F038 covered", button, `[{"click":{"index":«go»}}]`, "document.title", "", []string{"covered", "<div#o>"}, overlay("")},
		{"F038 covered, see-through", button, `[{"click":{"index":«go»}}]`, "document.title", "", []string{"covered"}, overlay("opacity:0")},
		{"F038 covered by what lets the pointer through", button, `[{"click":{"index":«go»}}]`, "document.title", "B", nil, overlay("pointer-events:none")},
		{"F040 disabled", `<button disabled ` + titleB + `>go</button>`, `[{"click":{"index":«go»}}]`, "document.title", "", []string{"disabled"}, ""},
		{"F040 in a disabled fieldset", `<fieldset disabled><button ` + titleB + `>go</button></fieldset>`, `[{"click":{"index":«go»}}]`, "document.title", "", []string{"disabled"}, ""},
		{"F040 the legend stays enabled", `<fieldset disabled><legend><button ` + titleB + `>go</button></legend></fieldset>`, `[{"click":{"index":«go»}}]`, "document.title", "B", nil, ""},
		{"F043 checkbox under a styled label", `<style>#c{width:0;height:0;opacity:0;position:absolute}</style><input type=checkbox id=c><label for=c id=l>agree</label>`, `[{"click":{"index":«agree»}}]`, "document.getElementById('c').checked", "true", nil, ""},
		{"F043 radio in its label", `<label><input type=radio name=r value=1 style="position:absolute;opacity:0"> one</label><label><input type=radio name=r value=2 style="position:absolute;opacity:0"> two</label>`, `[{"click":{"index":«two»}}]`, "document.querySelector('input:checked').value", "2", nil, ""},
		{"F043 switch of the page's own", `<div role=switch aria-checked=false tabindex=0 aria-label=dark onclick="ariaChecked=ariaChecked!='true'">o</div>`, `[{"click":{"index":«dark»}}]`, "document.querySelector('[role=switch]').ariaChecked", "true", nil, ""},
		{"F043 checkbox that is put back", `<label><input type=checkbox onclick="return false"> agree</label>`, `[{"click":{"index":«agree»}}]`, "", "", []string{"still unchecked"}, ""},
		{"F047 clickable div in a frame", `<iframe srcdoc="<div style='cursor:pointer' onclick=&quot;parent.document.title='B'&quot;>Tab</div>"></iframe>`, `[{"click":{"index":«Tab»}}]`, "document.title", "B", nil, ""},
		{"F047 in a frame in a frame", `<iframe srcdoc="<iframe srcdoc='<button onclick=&quot;top.document.title=1&quot;>deep</button>'></iframe>"></iframe>`, `[{"click":{"index":«deep»}}]`, "document.title", "1", nil, ""},
		{"F051 under a sticky bar", `<div style="height:3000px"></div><button ` + titleB + `>go</button><div style="height:700px"></div><div style="position:sticky;bottom:0;height:150px;background:#ccc" onclick="document.title='bar'">bar</div>`, `[{"click":{"index":«go»}}]`, "document.title", "B", nil, ""},
		{"F051 under a fixed head", `<div style="position:fixed;top:0;left:0;right:0;height:200px;background:#ccc" onclick="document.title='bar'">bar</div><div style="height:3000px"></div><button ` + titleB + `>go</button><div style="height:3000px"></div>`, `[{"scroll":{"to":"element","index":«go»}},{"click":{"index":«go»}}]`, "document.title", "B", nil, ""},
		{"double click", `<button ondblclick="document.title='D'">go</button>`, `[{"click":{"index":«go»,"count":2}}]`, "document.title", "D", nil, ""},
		{"right click", `<button oncontextmenu="document.title='R';return false">go</button>`, `[{"click":{"index":«go»,"button":"right"}}]`, "document.title", "R", nil, ""},
		{"with Shift", `<button onclick="document.title=event.shiftKey">go</button>`, `[{"click":{"index":«go»,"modifiers":["Shift"]}}]`, "document.title", "true", nil, ""},
		{"press and hold", `<button onmousedown="t0=performance.now()" onmouseup="document.title=performance.now()-t0>=300">go</button>`, `[{"click":{"index":«go»,"hold_seconds":0.35}}]`, "document.title", "true", nil, ""},
		{"at a point", `<canvas width=200 height=200 style="position:absolute;left:0;top:0" onclick="document.title=event.offsetX+','+event.offsetY"></canvas>`, `[{"click":{"coordinate_x":50,"coordinate_y":70}}]`, "document.title", "50,70", nil, ""},
		{"at a point outside", `<p>x</p>`, `[{"click":{"coordinate_x":5000,"coordinate_y":70}}]`, "", "", []string{"outside the view"}, ""},
		{"neither index nor point", `<p>x</p>`, `[{"click":{"coordinate_x":5}}]`, "", "", []string{"coordinate_y"}, ""},
	})
}

// F034: the worst failure there is, another element than the one meant.
func TestIndexStaysWithItsElement(t *testing.T) {
	h := newHand(t)
	h.show(`<button onclick="document.title='Alpha'">Alpha</button><button onclick="document.title='Beta'">Beta</button>`)
	beta := h.index("Beta")
	h.eval(`document.body.prepend(Object.assign(document.createElement('button'),{textContent:'New',onclick(){document.title='New'}}))`)
	h.look()
	h.do(`[{"click":{"index":` + itoa(beta) + `}}]`)
	h.is("document.title", "Beta")
	// An element that is gone does not hand its number on.
	h.eval(`document.querySelectorAll('button')[2].remove()`)
	h.eval(`document.body.append(Object.assign(document.createElement('button'),{textContent:'Beta',onclick(){document.title='Twin'}}))`)
	h.fails(`{"click":{"index":`+itoa(beta)+`}}`, "not on the page")
	// Nor does an element of a page that was left.
	h.show(`<button onclick="document.title='Beta'">Beta</button>`)
	h.fails(`{"click":{"index":`+itoa(beta)+`}}`, "page")
	h.is("document.title", "")
}

// F037: the page draws its content again between the look and the click.
func TestReplacedElementIsStale(t *testing.T) {
	h := newHand(t)
	for _, redraw := range []string{
		`document.getElementById('r').innerHTML='<button id=b>new</button>'`,
		`document.body.innerHTML=document.body.innerHTML`,
		`document.getElementById('r').replaceChildren()`,
	} {
		h.show(`<div id=r><button id=b>old</button></div>`)
		i := h.index("old")
		h.eval(redraw)
		h.fails(`{"click":{"index":`+itoa(i)+`}}`, "not on the page any more")
		h.fails(`{"hover":{"index":`+itoa(i)+`}}`, "not on the page any more")
	}
}

func TestFaultsOfTyping(t *testing.T) {
	tracker := `<script>const e=document.querySelector('input,textarea'),d=Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e),'value');let seen=d.get.call(e);window.state=seen;Object.defineProperty(e,'value',{get(){return d.get.call(e)},set(v){seen=v;d.set.call(e,v)}});e.addEventListener('input',()=>{const v=d.get.call(e);if(v!==seen){seen=v;window.state=v}})</script>`
	checkFaults(t, []fault{
		{"F052 replaces", `<input id=i aria-label=f value=old>`, `[{"input":{"index":«f»,"text":"NEW"}}]`, "i.value", "NEW", nil, ""},
		{"F052 appends", `<input id=i aria-label=f value=old>`, `[{"input":{"index":«f»,"text":"NEW","clear":false}}]`, "i.value", "oldNEW", nil, ""},
		{"F052 a text area", `<textarea id=i aria-label=f>old</textarea>`, `[{"input":{"index":«f»,"text":"NEW","clear":false}}]`, "i.value", "oldNEW", nil, ""},
		{"F052 an e-mail field", `<input type=email id=i aria-label=f value=a@b.c>`, `[{"input":{"index":«f»,"text":"om","clear":false}}]`, "i.value", "a@b.com", nil, ""},
		{"F054 letters of any script", `<input id=i aria-label=f>`, `[{"input":{"index":«f»,"text":"ąčiū🙂中"}}]`, "i.value", "ąčiū🙂中", nil, ""},
		{"F054 right to left", `<textarea id=i aria-label=f></textarea>`, `[{"input":{"index":«f»,"text":"שלום مرحبا नमस्ते"}}]`, "i.value", "שלום مرحبا नमस्ते", nil, ""},
		{"F054 joined emoji", `<div id=i contenteditable aria-label=f role=textbox></div>`, `[{"input":{"index":«f»,"text":"👩‍👩‍👧 ok"}}]`, "i.innerText.trim()", "👩‍👩‍👧 ok", nil, ""},
		{"F055 a date", `<input type=date id=i aria-label=f>`, `[{"input":{"index":«f»,"text":"2031-02-03"}}]`, "i.value", "2031-02-03", nil, ""},
		{"F055 a date in another form", `<input type=date id=i aria-label=f value=2030-01-01>`, `[{"input":{"index":«f»,"text":"02/03/2031"}}]`, "i.value", "2030-01-01", []string{"YYYY-MM-DD"}, ""},
		{"F055 a date out of bounds", `<input type=date id=i aria-label=f max=2030-01-01>`, `[{"input":{"index":«f»,"text":"2031-02-03"}}]`, "i.value", "", []string{"to 2030-01-01"}, ""},
		{"F056 a framework's field", `<input id=i aria-label=f>` + tracker, `[{"input":{"index":«f»,"text":"hey"}}]`, "i.value+state", "heyhey", nil, ""},
		{"F056 a framework's filled field", `<input id=i aria-label=f value=old>` + tracker, `[{"input":{"index":«f»,"text":""}}]`, "i.value+'|'+state", "|", nil, ""},
		{"F056 a framework's date", `<input id=i type=date aria-label=f>` + tracker, `[{"input":{"index":«f»,"text":"2031-02-03"}}]`, "i.value+state", "2031-02-032031-02-03", nil, ""},
		{"F057 an editor", `<div id=i contenteditable role=textbox aria-label=f>abc</div>`, `[{"input":{"index":«f»,"text":"x\ny"}}]`, "i.innerText.trim()", "x\ny", nil, ""},
		{"F057 an editor, more", `<div id=i contenteditable role=textbox aria-label=f>abc</div>`, `[{"input":{"index":«f»,"text":"d","clear":false}}]`, "i.innerText.trim()", "abcd", nil, ""},
		{"F057 an editor that hears keys", `<div id=i contenteditable role=textbox aria-label=f onkeydown="document.title+=event.key"></div>`, `[{"input":{"index":«f»,"text":"hi"}}]`, "document.title+i.innerText.trim()", "hihi", nil, ""},
		{"F059 Enter submits once", `<form onsubmit="document.title+='s';return false"><input aria-label=f></form>`, `[{"input":{"index":«f»,"text":"q"}},{"send_keys":{"keys":"Enter"}}]`, "document.title", "s", nil, ""},
		{"F059 Enter with the text", `<form onsubmit="document.title+='s';return false"><input aria-label=f></form>`, `[{"input":{"index":«f»,"text":"q\n"}}]`, "document.title", "s", nil, ""},
		{"F059 Enter on a button", `<button onclick="document.title+='c'" autofocus>go</button>`, `[{"send_keys":{"keys":"Enter"}}]`, "document.title", "c", nil, ""},
		{"F060 select all, then type", `<input id=i aria-label=f value=admin123>`, `[{"click":{"index":«f»}},{"send_keys":{"keys":"Control+A"}},{"send_keys":{"keys":"x"}}]`, "i.value", "x", nil, ""},
		{"F060 select all", `<input id=i aria-label=f value=admin123>`, `[{"click":{"index":«f»}},{"send_keys":{"keys":"ctrl+a"}}]`, "i.selectionEnd-i.selectionStart", "8", nil, ""},
		{"F060 select all in an editor", `<div id=i contenteditable role=textbox aria-label=f>two words</div>`, `[{"click":{"index":«f»}},{"send_keys":{"keys":"Control+A Delete"}}]`, "i.innerText.trim()", "", nil, ""},
		{"a combobox says what it suggests", `<input id=i role=combobox aria-autocomplete=list aria-controls=l aria-label=f><ul id=l role=listbox></ul><script>i.oninput=()=>setTimeout(()=>{l.innerHTML='<li role=option>Oslo</li><li role=option>Oslofjord</li>'},60)</script>`, `[{"input":{"index":«f»,"text":"Osl"}}]`, "i.value", "Osl", nil, ""},
		{"keys that are none", `<p>x</p>`, `[{"send_keys":{"keys":"Control+Foo"}}]`, "", "", []string{"names no key"}, ""},
		{"read-only", `<input readonly aria-label=f>`, `[{"input":{"index":«f»,"text":"x"}}]`, "", "", []string{"read-only"}, ""},
		{"too long", `<input maxlength=4 aria-label=f>`, `[{"input":{"index":«f»,"text":"123456"}}]`, "", "", []string{"at most 4", `"1234"`}, ""},
	})
}

func TestFaultsOfChoosing(t *testing.T) {
	checkFaults(t, []fault{
		{"F045 an option is clicked", `<select id=s size=2 aria-label=f><option>A<option>B</select>`, `[{"select_dropdown":{"index":«f»,"text":"B"}}]`, "s.value", "B", nil, ""},
		{"F062 reverted unless it is real", `<select id=s aria-label=f onchange="if(!event.isTrusted)value='A'"><option>A<option>B</select>`, `[{"select_dropdown":{"index":«f»,"text":"B"}}]`, "s.value", "B", nil, ""},
		{"F062 reverted later", `<select id=s aria-label=f onchange="if(!event.isTrusted)setTimeout(()=>value='A')"><option>A<option>B<option>C</select>`, `[{"select_dropdown":{"index":«f»,"text":"C"}}]`, "s.value", "C", nil, ""},
		{"F062 reverted always", `<select id=s aria-label=f onchange="value='A'"><option>A<option>B</select>`, `[{"select_dropdown":{"index":«f»,"text":"B"}}]`, "s.value", "A", []string{"changed it back"}, ""},
		{"F063 words alone", `<select id=s aria-label=f><option value=1>x<option value=7>&nbsp;North  Bay</select>`, `[{"select_dropdown":{"index":«f»,"text":"North Bay"}}]`, "s.value", "7", nil, ""},
		{"F063 the value", `<select id=s aria-label=f><option value=1>x<option value=7>North</select>`, `[{"select_dropdown":{"index":«f»,"text":"7"}}]`, "s.value", "7", nil, ""},
		{"F063 ambiguous", `<select id=s aria-label=f><option value=1>Same<option value=2>same</select>`, `[{"select_dropdown":{"index":«f»,"text":"SAME"}}]`, "", "", []string{"more than one"}, ""},
		{"F065 a combobox", `<div id=c role=combobox aria-controls=l aria-expanded=false tabindex=0 aria-label=f>none</div><ul id=l role=listbox hidden><li role=option>Red<li role=option>Blue</ul><script>c.onclick=()=>l.hidden=false;l.onclick=e=>{c.textContent=e.target.textContent;l.hidden=true}</script>`, `[{"select_dropdown":{"index":«f»,"text":"blue"}}]`, "c.textContent", "Blue", nil, ""},
		{"F065 a combobox of a framework", `<div id=c role=button aria-haspopup=listbox tabindex=0 aria-label=f>none</div><script>c.onmousedown=()=>{if(document.querySelector('[role=listbox]'))return;const p=document.createElement('div');p.innerHTML='<ul role=listbox style="position:absolute;top:80px"><li role=option tabindex=0>Red</li><li role=option tabindex=0>Blue</li></ul>';p.onclick=e=>{c.textContent=e.target.textContent;p.remove()};document.body.append(p)}</script>`, `[{"select_dropdown":{"index":«f»,"text":"Blue"}}]`, "c.textContent", "Blue", nil, ""},
		{"F065 not in the list", `<div id=c role=combobox aria-controls=l tabindex=0 aria-label=f>none</div><ul id=l role=listbox hidden><li role=option>Red</ul><script>c.onclick=()=>l.hidden=false</script>`, `[{"select_dropdown":{"index":«f»,"text":"Green"}}]`, "", "", []string{`"Red"`}, ""},
		{"several", `<select id=s multiple aria-label=f><option>a<option>b<option>c</select>`, `[{"select_dropdown":{"index":«f»,"texts":["a","c"]}}]`, "Array.from(s.selectedOptions,o=>o.text).join()", "a,c", nil, ""},
		{"an option that is disabled", `<select aria-label=f><option>A<option disabled>B</select>`, `[{"select_dropdown":{"index":«f»,"text":"B"}}]`, "", "", []string{"disabled", `"A"`}, ""},
		{"the options of no list", `<button>go</button>`, `[{"dropdown_options":{"index":«go»}}]`, "", "", []string{"no list"}, ""},
	})
}

func TestFaultsOfScrolling(t *testing.T) {
	shell := `<body style="margin:0;height:100vh;overflow:hidden"><div id=d style="height:100vh;overflow:auto"><div style="height:5000px">top</div><button id=z>end</button></div>`
	lazy := `<ul id=l></ul><div id=s style="height:1px"></div><script>const add=()=>{for(let n=0;n<20;n++){const i=document.createElement('li');i.style.height='60px';i.textContent='item '+l.children.length;l.append(i)}};add();new IntersectionObserver(e=>{if(e[0].isIntersecting)add()}).observe(s)</script>`
	checkFaults(t, []fault{
		{"F067 the box that scrolls", shell, `[{"scroll":{"pages":2}}]`, "d.scrollTop>1000", "true", nil, ""},
		{"F067 a box by what is in it", `<div id=d style="height:200px;overflow:auto"><button>in</button><div style="height:2000px"></div></div><div style="height:3000px"></div>`, `[{"scroll":{"index":«in»,"pages":1}}]`, "d.scrollTop+','+scrollY", "200,0", nil, ""},
		{"F067 back up", shell, `[{"scroll":{"to":"bottom"}},{"scroll":{"down":false,"pixels":300}}]`, "Math.round(d.scrollHeight-d.clientHeight-d.scrollTop)", "300", nil, ""},
		{"F067 nothing to scroll", `<p>short</p>`, `[{"scroll":{}}]`, "", "", []string{"does not scroll"}, ""},
		{"F067 at the bottom", `<div style="height:2000px"></div>`, `[{"scroll":{"to":"bottom"}},{"scroll":{}}]`, "", "", []string{"bottom already"}, ""},
		{"F068 a list that grows", lazy, `[{"scroll":{"to":"bottom"}},{"wait":{"seconds":10,"text":"item 25"}}]`, "l.children.length>=40", "true", nil, ""},
		{"F068 a list that hears the wheel", `<div id=d style="height:95vh;overflow:hidden">x</div><script>d.onwheel=()=>{document.title='wheel';d.textContent='more'}</script>`, `[{"scroll":{}}]`, "document.title", "wheel", nil, ""},
		{"F068 a page that draws itself", `<body style="margin:0;overflow:hidden"><canvas id=c width=800 height=600></canvas><script>addEventListener('wheel',e=>document.title=e.deltaY>0?'down':'up')</script>`, `[{"scroll":{"down":false}}]`, "document.title", "up", nil, ""},
		{"sideways", `<div id=d style="width:300px;overflow-x:auto"><div style="width:3000px"><button>in</button></div></div>`, `[{"scroll":{"index":«in»,"direction":"right","pages":1}}]`, "d.scrollLeft", "300", nil, ""},
		{"a text area that is disabled", `<textarea id=d disabled rows=3 aria-label=f>` + strings.Repeat("line\n", 50) + `</textarea>`, `[{"scroll":{"index":«d»,"to":"bottom"}}]`, "d.scrollTop>100", "true", nil, ""},
		{"to a text", `<div style="height:4000px"></div><p id=p>The <b>hidden</b> treasure's here</p>`, `[{"find_text":{"text":"hidden treasure's"}}]`, "p.getBoundingClientRect().top<innerHeight", "true", nil, ""},
		{"to a text that is not there", `<p style="display:none">treasure</p>`, `[{"find_text":{"text":"treasure"}}]`, "", "", []string{"not shown"}, ""},
		{"to a text with quotes", `<div style="height:4000px"></div><p id=p>say "hi" 'there'</p>`, `[{"find_text":{"text":"\"hi\" 'there'"}}]`, "p.getBoundingClientRect().top<innerHeight", "true", nil, ""},
		{"unknown index", `<p>x</p>`, `[{"scroll":{"index":55}}]`, "", "", []string{"55"}, ""},
	})
}

func TestFaultsOfFramesAndShadows(t *testing.T) {
	checkFaults(t, []fault{
		{"F070 a frame of the same origin", `<iframe style="margin:100px" srcdoc="<button onclick=&quot;parent.document.title='inner'&quot;>go</button>"></iframe>`, `[{"click":{"index":«go»}}]`, "document.title", "inner", nil, ""},
		{"F070 a field in a frame", `<iframe id=f srcdoc="<input aria-label=name>"></iframe>`, `[{"input":{"index":«name»,"text":"Ada"}}]`, "f.contentDocument.querySelector('input').value", "Ada", nil, ""},
		{"F070 a list in a scaled frame", `<iframe id=f style="transform:scale(.7);margin-top:50px" srcdoc="<select aria-label=c><option>a<option>b</select><button onclick=&quot;parent.document.title='k'&quot;>k</button>"></iframe>`, `[{"select_dropdown":{"index":«c»,"text":"b"}},{"click":{"index":«k»}}]`, "document.title+f.contentDocument.querySelector('select').value", "kb", nil, ""},
		{"F073 the twin in the frame", `<button onclick="document.title='top'">Save</button><iframe srcdoc="<button id=x onclick=&quot;parent.document.title='frame'&quot;>Save</button>"></iframe>`, `[{"click":{"index":«x»}}]`, "document.title", "frame", nil, ""},
		{"F077 slotted", `<x-c><button slot=a onclick="document.title='go'">go</button></x-c><script>customElements.define('x-c',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<slot name=a></slot><button onclick="document.title=1">own</button>'}})</script>`, `[{"click":{"index":«go»}}]`, "document.title", "go", nil, ""},
		{"F077 in the shadow root", `<x-d></x-d><script>customElements.define('x-d',class extends HTMLElement{constructor(){super();this.attachShadow({mode:'open'}).innerHTML='<button>own</button>';this.shadowRoot.firstChild.onclick=()=>document.title='own'}})</script>`, `[{"click":{"index":«own»}}]`, "document.title", "own", nil, ""},
		{"F078 in a closed shadow root", `<x-e></x-e><script>customElements.define('x-e',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});r.innerHTML='<button>shut</button>';r.firstChild.onclick=()=>document.title='shut'}})</script>`, `[{"click":{"index":«shut»}}]`, "document.title", "shut", nil, ""},
		{"F078 a field in a closed shadow root", `<x-f></x-f><script>customElements.define('x-f',class extends HTMLElement{constructor(){super();const r=this.attachShadow({mode:'closed'});r.innerHTML='<input aria-label=name>';r.firstChild.oninput=e=>document.title=r.firstChild.value}})</script>`, `[{"input":{"index":«name»,"text":"Ada"}}]`, "document.title", "Ada", nil, ""},
		{"F079 an ordinary field", `<div class=MuiBox><input id=a aria-label=name></div>`, `[{"input":{"index":«name»,"text":"Ada"}}]`, "a.value", "Ada", nil, ""},
	})
}

// F071: a frame of another site lives in another process.
func TestFaultsOfCrossSiteFrames(t *testing.T) {
	h := newHand(t)
	h.serve("/inner", `<style>body{margin:0}</style><button id=b onclick="parent.postMessage('clicked','*')">go</button><input aria-label=name oninput="parent.postMessage(value,'*')">
		<select aria-label=list onchange="parent.postMessage(value,'*')"><option>a<option>b</select><div style="height:3000px"></div><button onclick="parent.postMessage('far','*')">far</button>
		<div draggable=false id=d style="width:30px;height:30px;background:red" onmousedown="onmouseup=()=>parent.postMessage('dragged','*')">x</div>`)
	other := strings.Replace(h.url, "127.0.0.1", "localhost", 1)
	page := `<script>onmessage=e=>document.title=e.data</script><div style="height:1500px"></div><iframe style="border:9px solid;margin:30px;width:400px;height:200px" src="` + other + `/inner"></iframe><div style="height:900px"></div>`
	steps := []struct{ actions, want string }{
		{`[{"click":{"index":«go»}}]`, "clicked"},
		{`[{"input":{"index":«name»,"text":"Ąda"}}]`, "Ąda"},
		{`[{"select_dropdown":{"index":«list»,"text":"b"}}]`, "b"},
		{`[{"click":{"index":«far»}}]`, "far"},
		{`[{"click":{"index":«name»}},{"send_keys":{"keys":"!"}}]`, "Ąda!"},
		{`[{"find_text":{"text":"far"}}]`, "Ąda!"},
	}
	h.show(page)
	h.do(`[{"scroll":{"to":"element","index":` + itoa(h.frame()) + `}}]`)
	for _, st := range steps {
		h.do(st.actions)
		h.waitTitle(st.want)
	}
	// What covers the frame in the page around it covers what is in it.
	h.eval(`document.body.insertAdjacentHTML('beforeend','<div id=o style="position:fixed;inset:0"></div>')`)
	h.fails(`{"click":{"index":«go»}}`, "covered", "<div#o>")
}

func TestFaultsOfDialogsAndTabs(t *testing.T) {
	h := newHand(t)
	h.serve("/in", `<title>in</title>`)
	for _, tc := range []struct{ id, html, actions, js, want, effect string }{
		{"F081 alert", `<button onclick="alert('hi');document.title='done'">go</button>`, `[{"click":{"index":«go»}}]`, "document.title", "done", `"hi"`},
		{"F081 alert while typing", `<input aria-label=f onchange="1" oninput="if(value=='ab')alert('typed')">`, `[{"input":{"index":«f»,"text":"ab"}}]`, "document.querySelector('input').value", "ab", `"typed"`},
		{"F082 confirm is dismissed", `<button onclick="document.title=confirm('Delete?')">go</button>`, `[{"click":{"index":«go»}}]`, "document.title", "false", `"Delete?" was dismissed`},
		{"F082 prompt is dismissed", `<button onclick="document.title=prompt('Name?')">go</button>`, `[{"click":{"index":«go»}}]`, "document.title", "null", `"Name?"`},
		{"F083 beforeunload", `<input aria-label=f><script>onbeforeunload=e=>e.preventDefault()</script>`, `[{"input":{"index":«f»,"text":"x"}},{"navigate":{"url":"` + h.url + `/in"}}]`, "document.title", "in", ""},
		{"F086 a new tab", `<a target=_blank href=/in>go</a>`, `[{"click":{"index":«go»}}]`, "document.title", "in", "opened tab"},
		{"F086 window.open", `<button onclick="window.open('/in')">go</button>`, `[{"click":{"index":«go»}}]`, "document.title", "in", "opened tab"},
	} {
		t.Run(tc.id, func(t *testing.T) {
			h.t = t
			h.show(tc.html)
			rs := h.do(tc.actions)
			h.is(tc.js, tc.want)
			if got := effects(rs[len(rs)-1]); !strings.Contains(got, tc.effect) {
				t.Errorf("effects %q do not say %q", got, tc.effect)
			}
		})
	}
	h.t = t
}
