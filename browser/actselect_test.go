package browser

import (
	"testing"
)

// combobox is a list as the ARIA practices build it.
const combobox = `<div id=c role=combobox aria-controls=l aria-expanded=false tabindex=0>Choose</div>
<ul id=l role=listbox hidden>%s</ul><script>
c.onclick=()=>{l.hidden=!l.hidden;c.setAttribute('aria-expanded',!l.hidden)};
l.onclick=e=>{const o=e.target.closest('[role=option]');if(!o||o.ariaDisabled)return;for(const x of l.children)x.setAttribute('aria-selected',x===o);c.textContent=o.textContent;l.hidden=true;c.setAttribute('aria-expanded',false)};
</script>`

func TestSelect(t *testing.T) {
	p := newPages(t)
	for _, tc := range []struct {
		name, html, target string
		values             []string
		add                bool
		check, want        string
	}{
		{"by text", `<select id=s onchange="document.title='c'+value"><option value=1>One<option value=2>Two</select>`, "#s", []string{"Two"}, false, "document.title", "c2"},
		{"by value", `<select id=s><option value=1>One<option value=2>Two</select>`, "#s", []string{"2"}, false, "s.value", "2"},
		{"by words alone", `<select id=s><option value=1>x<option value=7>&nbsp;North  Bay</select>`, "#s", []string{"north bay"}, false, "s.value", "7"},
		{"several", `<select id=s multiple><option>a<option>b<option>c</select>`, "#s", []string{"a", "c"}, false, "Array.from(s.selectedOptions,o=>o.text).join()", "a,c"},
		{"one more", `<select id=s multiple><option selected>a<option>b<option>c</select>`, "#s", []string{"b"}, true, "Array.from(s.selectedOptions,o=>o.text).join()", "a,b"},
		{"instead", `<select id=s multiple><option selected>a<option>b<option>c</select>`, "#s", []string{"b"}, false, "Array.from(s.selectedOptions,o=>o.text).join()", "b"},
		{"only real choices count", `<select id=s onchange="if(!event.isTrusted)value='1';document.title=value"><option value=1>One<option value=2>Two<option value=3>Three</select>`, "#s", []string{"Three"}, false, "document.title+s.value", "33"},
		{"label", `<label id=l>List <select id=s><option>a<option>b</select></label>`, "#l", []string{"b"}, false, "s.value", "b"},
		{"behind a skin", `<div><select id=s style="display:none"><option>a<option>b</select><div id=k class=skin>a</div></div><script>s.onchange=()=>k.textContent=s.value</script>`, "#k", []string{"b"}, false, "s.value+k.textContent", "bb"},
		{"combobox", sprintf(combobox, `<li role=option>Red</li><li role=option>Green</li>`), "#c", []string{"Green"}, false, "c.textContent", "Green"},
		{"listbox", `<ul id=l role=listbox><li role=option aria-selected=false>A</li><li role=option aria-selected=false>B</li></ul><script>l.onclick=e=>e.target.setAttribute('aria-selected',true)</script>`, "#l", []string{"B"}, false, "l.lastElementChild.ariaSelected", "true"},
		{"menu button", `<button id=b aria-haspopup=menu>More</button><div id=m role=menu hidden><div role=menuitem onclick="document.title='saved'">Save</div></div><script>b.onclick=()=>m.hidden=false</script>`, "#b", []string{"save"}, false, "document.title", "saved"},
		{"without roles", `<div id=d class=dropdown onclick="m.hidden=false"><span id=t>pick</span><div id=m hidden><div class=item>One</div><div class=item>Two</div></div></div><script>m.onclick=e=>{e.stopPropagation();t.textContent=e.target.textContent;m.hidden=true}</script>`, "#d", []string{"Two"}, false, "t.textContent", "Two"},
		{"rendered elsewhere, opens late", `<button id=b aria-haspopup=listbox>pick</button><script>b.onclick=()=>setTimeout(()=>{const l=document.createElement('div');l.setAttribute('role','listbox');l.innerHTML='<div role=option>x</div><div role=option>y</div>';l.onclick=e=>{b.textContent=e.target.textContent;l.remove()};document.body.append(l)},80)</script>`, "#b", []string{"y"}, false, "b.textContent", "y"},
		{"found by typing", `<input id=i role=combobox aria-controls=l><ul id=l role=listbox></ul><script>i.oninput=()=>{l.innerHTML=['Oslo','Paris','Rome'].filter(x=>i.value&&x.toLowerCase().startsWith(i.value.toLowerCase())).map(x=>'<li role=option>'+x).join('')};l.onclick=e=>{i.value=e.target.textContent;l.innerHTML=''}</script>`, "#i", []string{"Paris"}, false, "i.value+l.children.length", "Paris0"},
		{"far down a virtual list", `<button id=b aria-haspopup=listbox>pick</button><div id=l role=listbox hidden style="height:100px;overflow:auto;position:relative"><div style="height:2000px"></div></div><script>const draw=()=>{l.querySelectorAll('[role=option]').forEach(x=>x.remove());const a=Math.floor(l.scrollTop/20);for(let n=a;n<a+6&&n<100;n++){const o=document.createElement('div');o.setAttribute('role','option');o.style.cssText='position:absolute;height:20px;top:'+n*20+'px';o.textContent='item '+n;o.onclick=()=>{b.textContent=o.textContent;l.hidden=true};l.append(o)}};l.onscroll=draw;b.onclick=()=>{l.hidden=false;draw()}</script>`, "#b", []string{"item 42"}, false, "b.textContent", "item 42"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			eff, err := find(t, s, tc.target).selectOptions(testContext(t), tc.values, SelectOptions{Add: tc.add})
			if err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, "String("+tc.check+")"); got != tc.want {
				t.Errorf("got %q, want %q (%v)", got, tc.want, eff)
			}
		})
	}
}

func TestSelectRefused(t *testing.T) {
	p := newPages(t)
	for _, tc := range []struct {
		name, html string
		values     []string
		reason     Reason
		words      []string
	}{
		{"not there", `<select id=s><option>One<option>Two</select>`, []string{"Three"}, ReasonNotFound, []string{`"Three"`, `"One" (selected)`, `"Two"`}},
		{"ambiguous", `<select id=s><option value=1>Same<option value=2>Same</select>`, []string{"Same"}, ReasonAmbiguous, []string{`value "2"`}},
		{"disabled option", `<select id=s><option>A<option disabled>B</select>`, []string{"B"}, ReasonDisabled, []string{`"B"`, `"A"`}},
		{"disabled list", `<select id=s disabled><option>A<option>B</select>`, []string{"B"}, ReasonDisabled, nil},
		{"reverted for good", `<select id=s onchange="value='A'"><option>A<option>B</select>`, []string{"B"}, ReasonNoEffect, []string{"changed it back", `"A" (selected)`}},
		{"several of one", `<select id=s><option>A<option>B</select>`, []string{"A", "B"}, ReasonWrongKind, []string{"one choice"}},
		{"no list", `<p id=s>text</p>`, []string{"B"}, ReasonWrongKind, []string{"no list"}},
		{"ARIA, not there", sprintf(combobox, `<li role=option>Red</li>`) + `<script>c.id='s'</script>`, []string{"Blue"}, ReasonNotFound, []string{`"Red"`}},
		{"ARIA, disabled", sprintf(combobox, `<li role=option aria-disabled=true>Red</li>`) + `<script>c.id='s'</script>`, []string{"Red"}, ReasonDisabled, nil},
		{"ARIA, ambiguous", sprintf(combobox, `<li role=option data-value=1>Red</li><li role=option data-value=2>Red</li>`) + `<script>c.id='s'</script>`, []string{"Red"}, ReasonAmbiguous, nil},
		{"ARIA, not taken", `<div id=s role=combobox aria-controls=l>none</div><ul id=l role=listbox><li role=option>A</li></ul>`, []string{"A"}, ReasonNoEffect, []string{`"none"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			_, err := find(t, s, "#s").selectOptions(testContext(t), tc.values, SelectOptions{})
			wantReason(t, err, tc.reason, tc.words...)
		})
	}
}

func TestClickOnOptionChoosesIt(t *testing.T) {
	p := newPages(t)
	for name, tc := range map[string]struct{ html, check, want string }{
		"single":             {`<select id=s onchange="document.title='changed'"><option>A<option id=o>B</select>`, "s.value+document.title", "Bchanged"},
		"in a group":         {`<select id=s><option>A<optgroup label=g><option id=o value=b>B</optgroup></select>`, "s.value", "b"},
		"several, one more":  {`<select id=s multiple><option selected>A<option id=o>B</select>`, "Array.from(s.selectedOptions,o=>o.text).join()", "A,B"},
		"several, and again": {`<select id=s multiple><option selected>A<option id=o selected>B</select>`, "Array.from(s.selectedOptions,o=>o.text).join()", "A"},
	} {
		t.Run(name, func(t *testing.T) {
			s := p.show(t, tc.html)
			if _, err := find(t, s, "#o").click(testContext(t), ClickOptions{}); err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, tc.check); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
