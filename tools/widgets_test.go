package tools

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// The kinds of interaction that collections of small web tasks are made of,
// each done by what the page state shows and the actions can say.

// at is the middle of an element in the view.
func (h *hand) at(name string) (x, y int) {
	h.t.Helper()
	st := h.look()
	for _, e := range st.Page.Elements {
		if elementIs(&e, name) {
			return e.Bounds.X + e.Bounds.W/2, e.Bounds.Y + e.Bounds.H/2
		}
	}
	h.t.Fatalf("no element %q in the page state:\n%s", name, st.Text.String)
	return 0, 0
}

func elementIs(e *dom.Element, name string) bool {
	for _, a := range e.Attrs {
		if a.Name == "id" && a.Value == name {
			return true
		}
	}
	return e.Name == name || e.Text == name
}

func TestSorting(t *testing.T) {
	h := newHand(t)
	// A list that is sorted with the mouse, as drag libraries do it.
	h.show(`<style>li{height:30px;width:200px;border:1px solid;user-select:none}</style><ul id=l><li>one<li>two<li>three</ul><script>
		let d;l.onmousedown=e=>{d=e.target.closest('li')};
		document.onmousemove=e=>{if(!d)return;const o=[...l.children].filter(x=>x!==d).find(x=>{const r=x.getBoundingClientRect();return e.clientY<r.top+r.height/2});l.insertBefore(d,o||null)};
		document.onmouseup=()=>{d=null;document.title=[...l.children].map(x=>x.textContent).join()}</script>`)
	x, y := h.at("three")
	_, top := h.at("one")
	h.do(fmt.Sprintf(`[{"drag":{"from_x":%d,"from_y":%d,"to_x":%d,"to_y":%d}}]`, x, y, x, top-20))
	h.is("document.title", "three,one,two")
	// One that the browser drags itself.
	h.show(`<style>li{height:30px;width:200px}</style><ul id=l><li draggable=true id=a>one<li draggable=true id=b>two<li draggable=true id=c>three</ul><script>
		let d;l.ondragstart=e=>{d=e.target;e.dataTransfer.setData('text','x')};l.ondragover=e=>{e.preventDefault()};
		l.ondrop=e=>{e.preventDefault();l.insertBefore(d,e.target);document.title=[...l.children].map(x=>x.textContent).join()}</script>`)
	h.do(`[{"drag":{"from_index":«c»,"to_index":«a»}}]`)
	h.is("document.title", "three,one,two")
}

func TestSliders(t *testing.T) {
	h := newHand(t)
	h.show(`<input type=range aria-label=volume min=0 max=50 value=10 oninput="document.title=value">`)
	h.do(`[{"input":{"index":«volume»,"text":"37"}}]`)
	h.is("document.title", "37")
	h.do(`[{"send_keys":{"keys":"ArrowRight ArrowRight ArrowRight"}}]`)
	h.is("document.title", "40")
	h.fails(`{"input":{"index":«volume»,"text":"51"}}`, "to 50")
	// One of the page's own, by the mouse.
	h.show(`<style>#s{position:relative;width:300px;height:20px;background:#ddd}#k{position:absolute;left:0;width:20px;height:20px;background:navy}</style>
		<div id=s><span id=k role=slider tabindex=0 aria-label=knob aria-valuemin=0 aria-valuemax=280 aria-valuenow=0></span></div><script>
		let d=0;k.onmousedown=e=>d=e.clientX-k.offsetLeft;document.onmousemove=e=>{if(!d)return;const v=Math.max(0,Math.min(280,e.clientX-d));k.style.left=v+'px';k.ariaValueNow=v};document.onmouseup=()=>d=0;
		k.onkeydown=e=>{if(e.key==='ArrowRight'){k.ariaValueNow=+k.ariaValueNow+1;k.style.left=k.ariaValueNow+'px'}}</script>`)
	h.do(`[{"drag":{"from_index":«knob»,"by_x":140}}]`)
	h.is("k.ariaValueNow", "140")
	h.do(`[{"click":{"index":«knob»}},{"send_keys":{"keys":"ArrowRight ArrowRight"}}]`)
	h.is("k.ariaValueNow", "142")
}

func TestDatePicker(t *testing.T) {
	h := newHand(t)
	h.show(`<input id=f readonly aria-label=date><div id=p hidden><button id=prev aria-label=Prev>‹</button><b id=m></b><button id=next aria-label=Next>›</button><table id=g></table></div><script>
		let y=2031,mo=0;const draw=()=>{m.textContent=y+'-'+(mo+1);g.innerHTML='';let row;for(let d=1;d<=28;d++){if(d%7===1)row=g.insertRow();const c=row.insertCell();c.innerHTML='<a href="#">'+d+'</a>';c.firstChild.onclick=e=>{e.preventDefault();f.value=y+'-'+(mo+1)+'-'+d;p.hidden=true}}};
		f.onclick=()=>{p.hidden=false;draw()};next.onclick=()=>{mo++;draw()};prev.onclick=()=>{mo--;draw()}</script>`)
	h.fails(`{"input":{"index":«date»,"text":"2031-03-17"}}`, "read-only")
	h.do(`[{"click":{"index":«date»}}]`)
	h.do(`[{"click":{"index":«Next»}},{"click":{"index":«Next»}}]`)
	h.do(`[{"click":{"index":«17»}}]`)
	h.is("f.value", "2031-3-17")
}

func TestTreesAndTabs(t *testing.T) {
	h := newHand(t)
	h.show(`<ul role=tree><li role=treeitem aria-expanded=false id=r>root<ul role=group hidden id=g><li role=treeitem id=leaf onclick="event.stopPropagation();document.title='leaf'">leaf</ul></ul>
		<details><summary>More</summary><a href="#in" onclick="document.title='in'">inside</a></details>
		<div role=tablist><button role=tab aria-selected=true id=t1>First</button><button role=tab aria-selected=false id=t2>Second</button></div><div role=tabpanel id=p1>one</div><div role=tabpanel id=p2 hidden><button onclick="document.title='panel'">in the second</button></div>
		<script>r.onclick=()=>{g.hidden=!g.hidden;r.setAttribute('aria-expanded',!g.hidden)};t2.onclick=()=>{p1.hidden=true;p2.hidden=false;t2.ariaSelected='true';t1.ariaSelected='false'}</script>`)
	h.do(`[{"click":{"index":«root»}}]`)
	h.do(`[{"click":{"index":«leaf»}}]`)
	h.is("document.title", "leaf")
	if r := h.do(`[{"click":{"index":«More»}}]`)[0]; !strings.Contains(effects(r), "open") {
		t.Errorf("effects of opening: %q", effects(r))
	}
	h.do(`[{"click":{"index":«inside»}}]`)
	h.is("document.title", "in")
	h.do(`[{"click":{"index":«Second»}}]`)
	h.do(`[{"click":{"index":«in the second»}}]`)
	h.is("document.title", "panel")
}

func TestMenusThatOpenOnHover(t *testing.T) {
	h := newHand(t)
	h.show(`<style>.s{display:none;position:absolute;left:120px;top:0;width:120px}li:hover>.s{display:block}li{width:120px;height:30px;position:relative}</style>
		<ul><li id=a>File<ul class=s><li id=b>Export<ul class=s><li id=c onclick="document.title='pdf'">As PDF</li></ul></li></ul></li></ul>`)
	x, y := h.at("File")
	h.do(fmt.Sprintf(`[{"hover":{"coordinate_x":%d,"coordinate_y":%d}}]`, x, y))
	x, y = h.at("Export")
	h.do(fmt.Sprintf(`[{"hover":{"coordinate_x":%d,"coordinate_y":%d}}]`, x, y))
	h.do(`[{"click":{"index":«As PDF»}}]`)
	h.is("document.title", "pdf")
}

// anyIndex is the number of what shows a text, or of what that is in.
func (h *hand) anyIndex(text string) int {
	h.t.Helper()
	st := h.look()
	for _, e := range st.Page.Elements {
		if !strings.Contains(e.Text, text) && e.Name != text {
			continue
		}
		for e.Index == 0 && e.Parent >= 0 {
			e = st.Page.Elements[e.Parent]
		}
		if e.Index > 0 {
			return e.Index
		}
	}
	h.t.Fatalf("nothing with a number shows %q:\n%s", text, st.Text.String)
	return 0
}

func TestAutocomplete(t *testing.T) {
	h := newHand(t)
	h.show(`<input id=i aria-label=city autocomplete=off><ul id=l class=ui-autocomplete style="display:none"></ul><script>const all=['Osaka','Oslo','Ostrava','Paris'];let n=-1;
		i.addEventListener('keyup',e=>{if(/Arrow|Enter/.test(e.key))return;l.innerHTML=all.filter(c=>i.value&&c.toLowerCase().startsWith(i.value.toLowerCase())).map(c=>'<li><div>'+c+'</div></li>').join('');l.style.display=l.children.length?'block':'none';n=-1});
		i.addEventListener('keydown',e=>{if(e.key==='ArrowDown')n++;if(e.key==='Enter'&&n>=0){i.value=l.children[n].textContent;l.style.display='none'}});
		l.onclick=e=>{i.value=e.target.textContent;l.style.display='none'}</script>`)
	r := h.do(`[{"input":{"index":«city»,"text":"os"}}]`)[0]
	if !strings.Contains(effects(r), "Osaka | Oslo | Ostrava") {
		t.Errorf("the suggestions are not told: %q", effects(r))
	}
	h.do(`[{"click":{"index":` + strconv.Itoa(h.anyIndex("Oslo")) + `}}]`)
	h.is("i.value", "Oslo")
	h.do(`[{"input":{"index":«city»,"text":"os"}},{"send_keys":{"keys":"ArrowDown ArrowDown ArrowDown Enter"}}]`)
	h.is("i.value", "Ostrava")
}

func TestCopyAndPaste(t *testing.T) {
	h := newHand(t)
	h.show(`<textarea id=a aria-label=from>text to  copy
and a second line</textarea><input id=b aria-label=to><textarea id=c aria-label=area></textarea><p id=p>just these words</p>`)
	h.do(`[{"click":{"index":«from»}},{"send_keys":{"keys":"Control+A Control+C"}},{"click":{"index":«area»}},{"send_keys":{"keys":"Control+V"}}]`)
	h.is("c.value===a.value", "true")
	// Text that is in no field is marked by dragging over it, or by three clicks.
	h.do(`[{"click":{"index":«to»}}]`)
	x, y := h.at("just these words")
	h.do(fmt.Sprintf(`[{"click":{"coordinate_x":%d,"coordinate_y":%d,"count":3}},{"send_keys":{"keys":"Control+C"}},{"click":{"index":«to»}},{"send_keys":{"keys":"Control+V"}}]`, x/4, y))
	h.is("b.value.trim()", "just these words")
}

func TestDrawing(t *testing.T) {
	h := newHand(t)
	h.show(`<canvas id=c width=300 height=200 style="border:1px solid"></canvas><script>const x=c.getContext('2d');let d;const log=[];
		c.onpointerdown=e=>{d=true;log.push('d')};c.onpointermove=e=>{if(d)log.push([Math.round(e.offsetX/50),Math.round(e.offsetY/50)].join(':'))};c.onpointerup=e=>{d=false;document.title=[...new Set(log)].join(' ')};
		c.onclick=e=>window.hit=e.offsetX+','+e.offsetY</script>`)
	mx, my := h.at("c")
	x0, y0 := mx-151, my-101 // the corner inside the border
	h.do(fmt.Sprintf(`[{"drag":{"from_x":%d,"from_y":%d,"to_x":%d,"to_y":%d,"path":[{"x":%d,"y":%d}]}}]`, x0+50, y0+50, x0+250, y0+150, x0+250, y0+50))
	got := h.eval("document.title")
	for _, w := range []string{"d", "1:1", "5:1", "5:3"} {
		if !strings.Contains(" "+got+" ", " "+w+" ") {
			t.Errorf("the stroke went through %q, want %s in it", got, w)
		}
	}
	h.do(fmt.Sprintf(`[{"click":{"coordinate_x":%d,"coordinate_y":%d}}]`, x0+33, y0+44))
	h.is("Math.abs(hit.split(',')[0]-33)<=1&&Math.abs(hit.split(',')[1]-44)<=1", "true")
}

func TestShapesAndSwatches(t *testing.T) {
	h := newHand(t)
	h.show(`<svg width=300 height=120><g><circle id=big cx=50 cy=60 r=40 fill=red onclick="document.title='circle'"/><polygon id=tri points="150,100 190,20 230,100" fill=blue onclick="document.title='triangle'"/><line id=ln x1=250 y1=10 x2=290 y2=110 stroke=black stroke-width=5 onclick="document.title='line'"/></g></svg>
		<span id=sw onclick="document.title='swatch'" style="display:inline-block;width:20px;height:20px;background:lime"></span>`)
	for id, want := range map[string]string{"big": "circle", "tri": "triangle", "ln": "line", "sw": "swatch"} {
		h.do(`[{"click":{"index":«` + id + `»}}]`)
		h.is("document.title", want)
	}
}

func TestTerminalAndKeys(t *testing.T) {
	h := newHand(t)
	h.show(`<pre id=t tabindex=0>&gt; </pre><script>let line='';document.addEventListener('keydown',e=>{if(e.key==='Enter'){document.title=line;line='';t.textContent+='\n> '}else if(e.key==='Backspace'){line=line.slice(0,-1)}else if(e.key.length===1&&!e.ctrlKey){line+=e.key;t.textContent+=e.key}})</script>`)
	h.do(`[{"send_keys":{"keys":"ls -la *.gpg"}},{"send_keys":{"keys":"Backspace Enter"}}]`)
	h.is("document.title", "ls -la *.gp")
	h.show(`<div id=g tabindex=0 autofocus style="width:100px;height:100px"></div><script>let x=0,y=0;g.focus();g.onkeydown=e=>{({ArrowLeft(){x--},ArrowRight(){x++},ArrowUp(){y--},ArrowDown(){y++}}[e.key]||(()=>{}))();document.title=x+','+y}</script>`)
	h.do(`[{"send_keys":{"keys":"Right Right Down Left"}}]`)
	h.is("document.title", "1,1")
}

func TestSpinnerAndHold(t *testing.T) {
	h := newHand(t)
	// Spinners listen for the press, and count while it lasts.
	h.show(`<input id=v value=0><a id=up tabindex=0 role=button aria-label=more>▲</a><script>let t;up.onmousedown=()=>{v.value++;t=setInterval(()=>v.value++,100)};up.onmouseup=up.onmouseleave=()=>clearInterval(t);up.onclick=e=>e.preventDefault()</script>`)
	h.do(`[{"click":{"index":«more»}}]`)
	h.is("v.value", "1")
	h.do(`[{"click":{"index":«more»,"hold_seconds":1}}]`)
	h.is("v.value>=5", "true")
	h.show(`<input type=number id=v aria-label=n min=0 max=9 step=2 value=2>`)
	h.do(`[{"click":{"index":«n»}},{"send_keys":{"keys":"ArrowUp ArrowUp"}}]`)
	h.is("v.value", "6")
}

func TestEditorToolbar(t *testing.T) {
	h := newHand(t)
	h.show(`<button id=b onmousedown="event.preventDefault()" onclick="document.execCommand('bold')">B</button><div id=e contenteditable role=textbox aria-label=text style="font:16px monospace">make this bold</div>`)
	h.do(`[{"click":{"index":«text»}},{"send_keys":{"keys":"Home Control+Shift+ArrowRight"}},{"click":{"index":«B»}}]`)
	h.is("e.querySelector('b')?.textContent.trim()", "make")
}

func TestListsAndForms(t *testing.T) {
	h := newHand(t)
	h.show(`<form onsubmit="document.title=[...new FormData(this)].map(x=>x.join('=')).join('&');return false">
		<label>Name <input name=n></label><label>Day <input type=date name=d></label><label>At <input type=time name=t></label>
		<label><input type=radio name=r value=a> A</label><label><input type=radio name=r value=b> B</label>
		<label><input type=checkbox name=k> Keep</label><select name=s aria-label=Size><option>S<option>M<option>L</select>
		<select name=m multiple aria-label=Extras><option>x<option>y<option>z</select><textarea name=x aria-label=Notes></textarea><button>Send</button></form>`)
	h.do(`[{"input":{"index":«Name»,"text":"Ada"}},{"input":{"index":«Day»,"text":"2031-02-03"}},{"input":{"index":«At»,"text":"09:30"}},{"click":{"index":«B»}},{"click":{"index":«Keep»}},
		{"select_dropdown":{"index":«Size»,"text":"L"}},{"select_dropdown":{"index":«Extras»,"texts":["x","z"]}},{"input":{"index":«Notes»,"text":"two\nlines"}},{"click":{"index":«Send»}}]`)
	h.is("document.title.replace(/\\s+/g,' ')", "n=Ada&d=2031-02-03&t=09:30&r=b&k=on&s=L&m=x&m=z&x=two lines")
}
