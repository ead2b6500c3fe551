package browser

import "testing"

func TestClickReaches(t *testing.T) {
	p := newPages(t)
	for name, tc := range map[string]struct {
		html, target, title string
	}{
		"a plain button":         {`<button id=b onclick="document.title='B'">go</button>`, "#b", "B"},
		"far down":               {`<div style="height:4000px"></div><button id=b onclick="document.title='B'">go</button>`, "#b", "B"},
		"under a sticky bar":     {`<div style="height:4000px"></div><button id=b onclick="document.title='B'">go</button><div style="height:900px"></div><div style="position:fixed;bottom:0;left:0;right:0;height:200px;background:#ccc" onclick="document.title='bar'">bar</div>`, "#b", "B"},
		"in an open shadow":      {`<x-a id=h></x-a><script>h.attachShadow({mode:'open'}).innerHTML='<button id=b>s</button>';h.shadowRoot.getElementById('b').onclick=()=>document.title='B'</script>`, "#h >>> #b", "B"},
		"slotted":                {`<x-a id=h><button id=b onclick="document.title='B'">go</button></x-a><script>h.attachShadow({mode:'open'}).innerHTML='<div><slot></slot></div>'</script>`, "#b", "B"},
		"in a frame":             {`<iframe id=f style="margin:100px;border:7px solid;padding:3px" srcdoc="<button id=b onclick=&quot;parent.document.title='B'&quot;>go</button>"></iframe>`, "#f >>> #b", "B"},
		"wrapped link":           {`<div style="width:120px;font:20px monospace">xxxxxxx <a id=b href="#" onclick="document.title='B'">wrapped link text here</a></div>`, "#b", "B"},
		"scrolled container":     {`<div style="height:100px;overflow:auto"><div style="height:900px"></div><button id=b onclick="document.title='B'">go</button></div>`, "#b", "B"},
		"span in a button":       {`<button onclick="document.title='B'"><span id=b style="pointer-events:none">go</span></button>`, "#b", "B"},
		"visible in hidden":      {`<div style="visibility:hidden">x<button id=b style="visibility:visible" onclick="document.title='B'">go</button></div>`, "#b", "B"},
		"display contents":       {`<div id=b style="display:contents" onclick="document.title='B'"><p>go</p></div>`, "#b", "B"},
		"svg ring":               {`<svg width=200 height=200><circle id=b cx=100 cy=100 r=80 fill=none stroke=red stroke-width=4 onclick="document.title='B'"/></svg>`, "#b", "B"},
		"zoomed":                 {`<body style="zoom:1.5"><div style="height:300px"></div><button id=b onclick="document.title='B'">go</button>`, "#b", "B"},
		"frame in a zoomed page": {`<body style="zoom:.6"><div style="height:200px"></div><iframe id=f style="border:5px solid" srcdoc="<div style='height:500px'></div><button id=b onclick=&quot;parent.document.title='B'&quot;>go</button>"></iframe>`, "#f >>> #b", "B"},
		"a card around a button": {`<div id=b style="width:300px;height:100px" onclick="document.title='B'"><button style="margin:30px 100px;width:100px;height:40px" onclick="event.stopPropagation();document.title='inner'">x</button></div>`, "#b", "B"},
		"image map":              {`<img usemap="#m" width=200 height=100 style="background:#eee"><map name=m><area shape=rect coords="0,0,90,100" href="#l"><area id=b shape=rect coords="110,0,200,100" href="#r" onclick="document.title='B'"></map>`, "#b", "B"},
		"half covered":           {`<div style="position:relative;width:300px"><button id=b style="width:300px;height:40px" onclick="document.title='B'">go</button><div style="position:absolute;left:60px;top:0;width:180px;height:40px;background:#ccc"></div></div>`, "#b", "B"},
	} {
		t.Run(name, func(t *testing.T) {
			s := p.show(t, tc.html)
			eff, err := find(t, s, tc.target).click(testContext(t), ClickOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := title(t, s); got != tc.title {
				t.Errorf("title %q after the click, want %q (%v)", got, tc.title, eff)
			}
		})
	}
}

// A label may hold a link; a click on the label is not one on the link.
func TestClickOnALabelWithALink(t *testing.T) {
	s := openPage(t, `<label id=l style="display:block;width:320px"><input type=checkbox id=c style="position:absolute;opacity:0"><a href="#terms" onclick="document.title='link'" style="display:inline-block;margin-left:60px;width:200px">the long terms</a> I agree</label>`)
	eff, err := find(t, s, "#l").click(testContext(t), ClickOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := title(t, s); got != "" || eff.Checked == nil || !*eff.Checked {
		t.Errorf("title %q, effect %+v", got, eff)
	}
}

func TestClickRefused(t *testing.T) {
	p := newPages(t)
	for name, tc := range map[string]struct {
		html   string
		reason Reason
		words  string
	}{
		"covered":           {`<button id=b onclick="document.title='B'">go</button><div id=o style="position:fixed;inset:0;z-index:9" onclick="document.title='O'">`, ReasonCovered, "<div#o>"},
		"hidden":            {`<button id=b style="visibility:hidden" onclick="document.title='B'">go</button>`, ReasonHidden, "hidden"},
		"display none":      {`<div style="display:none"><button id=b onclick="document.title='B'">go</button></div>`, ReasonHidden, "hidden"},
		"opacity of parent": {`<div style="opacity:0"><button id=b onclick="document.title='B'">go</button></div>`, ReasonHidden, "hidden"},
		"disabled":          {`<button id=b disabled onclick="document.title='B'">go</button>`, ReasonDisabled, "disabled"},
		"disabled fieldset": {`<fieldset disabled id=fs><button id=b onclick="document.title='B'">go</button></fieldset>`, ReasonDisabled, "<fieldset#fs>"},
		"aria-disabled":     {`<div id=b role=button tabindex=0 aria-disabled=true onclick="document.title='B'">go</div>`, ReasonDisabled, "disabled"},
		"pointer-events":    {`<button id=b style="pointer-events:none" onclick="document.title='B'">go</button>`, ReasonPointerEvents, "pointer-events"},
		"inert":             {`<div inert><button id=b onclick="document.title='B'">go</button></div>`, ReasonInert, "inert"},
		"under a modal":     {`<button id=b onclick="document.title='B'">go</button><dialog id=d>hi</dialog><script>d.showModal()</script>`, ReasonCovered, "<dialog#d>"},
		"off screen":        {`<button id=b style="position:fixed;left:-500px" onclick="document.title='B'">go</button>`, ReasonOffScreen, "outside"},
		"closed details":    {`<details><summary>x</summary><button id=b onclick="document.title='B'">go</button></details>`, ReasonHidden, "hidden"},
		"frame covered":     {`<iframe id=f srcdoc="<button id=b onclick=&quot;parent.document.title='B'&quot;>go</button>"></iframe><div id=o style="position:fixed;inset:0"></div>`, ReasonCovered, "<div#o>"},
		"file input":        {`<input type=file id=b>`, ReasonWrongKind, "upload_file"},
		"select":            {`<select id=b><option>A</select>`, ReasonWrongKind, "select_dropdown"},
		"hover reveals":     {`<style>#o{display:none;position:absolute;inset:0;z-index:2}#w:hover #o{display:block}</style><div id=w style="position:relative;width:200px;height:60px"><button id=b style="width:200px;height:60px" onclick="document.title='B'">go</button><div id=o onclick="document.title='O'">menu</div></div>`, ReasonCovered, "<div#o>"},
	} {
		t.Run(name, func(t *testing.T) {
			s := p.show(t, tc.html)
			sel := "#b"
			if name == "frame covered" {
				sel = "#f >>> #b"
			}
			_, err := find(t, s, sel).click(testContext(t), ClickOptions{})
			wantReason(t, err, tc.reason, tc.words)
			if got := title(t, s); got != "" {
				t.Errorf("title %q: the page got a click that was refused", got)
			}
		})
	}
}

// A list opened under the resting pointer, took the pointer's way to another
// entry for a move over the first one, and that was chosen.
func TestClickOnAnEntryOfAListThatOpenedUnderThePointer(t *testing.T) {
	s := openPage(t, `<button id=b style="width:200px;height:60px">go</button><ul id=l style="display:none;position:absolute;left:8px;top:8px;margin:0;padding:0;width:300px;background:#fff">
		<li style="height:80px">first</li><li style="height:40px" id=second>second</li></ul>
		<script>
		let fresh=true,active=null;
		b.onclick=()=>setTimeout(()=>{l.style.display='block';b.disabled=true},50);
		for(const i of l.children){i.onmouseenter=()=>{
			if(fresh){fresh=false;document.addEventListener('mousemove',()=>{active=i},{once:true});return}
			active=i;
		}}
		l.onclick=()=>document.title=active?active.textContent:'none';
		</script>`)
	ctx := testContext(t)
	if _, err := find(t, s, "#b").click(ctx, ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return eval[bool](t, s, "l.style.display==='block'") })
	if _, err := find(t, s, "#second").click(ctx, ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := title(t, s); got != "second" {
		t.Errorf("a click on the second entry chose %q", got)
	}
}
