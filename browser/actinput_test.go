package browser

import (
	"strings"
	"testing"
)

// pages shows one page after another in one tab.
type pages struct {
	t *testing.T
	s *Session
}

func newPages(t *testing.T) *pages { return &pages{t, newTestSession(t)} }

func (p *pages) show(t *testing.T, html string) *Session {
	t.Helper()
	srv := serve(t, map[string]string{"/": html})
	if _, err := p.s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	return p.s
}

func TestInput(t *testing.T) {
	p := newPages(t)
	for _, tc := range []struct {
		name, html, target, text string
		o                        InputOptions
		check, want              string
	}{
		{"replaces", `<input id=i value=old>`, "#i", "NEW", InputOptions{}, "i.value", "NEW"},
		{"appends", `<input id=i value=old>`, "#i", "NEW", InputOptions{Append: true}, "i.value", "oldNEW"},
		{"appends to a number", `<input id=i type=number value=12>`, "#i", "34", InputOptions{Append: true}, "i.value", "1234"},
		{"any script", `<input id=i>`, "#i", "ąčiū🙂中", InputOptions{}, "i.value", "ąčiū🙂中"},
		{"punctuation", `<input id=i>`, "#i", "a+b \"c\" <d> {e} ~!@#$%^&*()_|", InputOptions{}, "i.value", "a+b \"c\" <d> {e} ~!@#$%^&*()_|"},
		{"white space", `<textarea id=i></textarea>`, "#i", "  two  spaces\n\nand lines\t.", InputOptions{}, "i.value", "  two  spaces\n\nand lines\t."},
		{"empties", `<input id=i value=old>`, "#i", "", InputOptions{}, "i.value", ""},
		{"long", `<textarea id=i></textarea>`, "#i", strings.Repeat("long text é ", 100), InputOptions{}, "i.value", strings.Repeat("long text é ", 100)},
		{"date", `<input id=i type=date>`, "#i", "2031-02-03", InputOptions{}, "i.value", "2031-02-03"},
		{"time", `<input id=i type=time>`, "#i", "14:05", InputOptions{}, "i.value", "14:05"},
		{"datetime", `<input id=i type=datetime-local>`, "#i", "2031-02-03 14:05", InputOptions{}, "i.value", "2031-02-03T14:05"},
		{"month", `<input id=i type=month>`, "#i", "2031-02", InputOptions{}, "i.value", "2031-02"},
		{"week", `<input id=i type=week>`, "#i", "2031-W05", InputOptions{}, "i.value", "2031-W05"},
		{"colour", `<input id=i type=color>`, "#i", "red", InputOptions{}, "i.value", "#ff0000"},
		{"slider", `<input id=i type=range min=0 max=10 oninput="document.title=value">`, "#i", "7", InputOptions{}, "document.title", "7"},
		{"contenteditable", `<div id=i contenteditable>abc</div>`, "#i", "x\ny", InputOptions{}, "i.innerText.trim()", "x\ny"},
		{"contenteditable append", `<div id=i contenteditable>abc</div>`, "#i", "d", InputOptions{Append: true}, "i.innerText", "abcd"},
		{"editor frame", `<iframe id=f srcdoc="<body contenteditable>old"></iframe>`, "#f", "new", InputOptions{}, "f.contentDocument.body.innerText", "new"},
		{"label", `<label id=l>Name <input id=i></label>`, "#l", "Ada", InputOptions{}, "i.value", "Ada"},
		{"in a shadow root", `<x-f id=h></x-f><script>h.attachShadow({mode:'open'}).innerHTML='<input id=i>'</script>`, "#h", "Ada", InputOptions{}, "h.shadowRoot.querySelector('input').value", "Ada"},
		{"mask", `<input id=i oninput="const d=value.replace(/\D/g,'').slice(0,10);value=d.length>6?'('+d.slice(0,3)+') '+d.slice(3,6)+'-'+d.slice(6):d">`, "#i", "5551234567", InputOptions{}, "i.value", "(555) 123-4567"},
		{"one digit a box", `<div id=o></div><script>for(let n=0;n<6;n++){const b=document.createElement('input');b.maxLength=1;b.id='d'+n;b.oninput=()=>{const x=document.getElementById('d'+(n+1));if(b.value&&x)x.focus()};o.append(b)}</script>`, "#d0", "287082", InputOptions{}, "Array.from(document.querySelectorAll('input'),b=>b.value).join('')", "287082"},
		{"boxes that do not move on", `<div><input maxlength=1 id=d0><input maxlength=1><input maxlength=1><input maxlength=1></div>`, "#d0", "2870", InputOptions{}, "Array.from(document.querySelectorAll('input'),b=>b.value).join('')", "2870"},
		{"value tracker", `<input id=i><script>const d=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let seen='';Object.defineProperty(i,'value',{get(){return d.get.call(i)},set(v){seen=v;d.set.call(i,v)}});i.addEventListener('input',()=>{const v=d.get.call(i);if(v!==seen){seen=v;document.title=v}})</script>`, "#i", "hey", InputOptions{}, "document.title", "hey"},
		{"controlled date", `<input id=i type=date><script>const d=Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value');let seen='';Object.defineProperty(i,'value',{get(){return d.get.call(i)},set(v){seen=v;d.set.call(i,v)}});i.addEventListener('input',()=>{const v=d.get.call(i);if(v!==seen){seen=v;document.title=v}})</script>`, "#i", "2031-02-03", InputOptions{}, "document.title", "2031-02-03"},
		{"Enter submits once", `<form onsubmit="document.title+='s';return false"><input id=i></form>`, "#i", "q\n", InputOptions{}, "document.title+i.value", "sq"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			eff, err := find(t, s, tc.target).input(testContext(t), tc.text, tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, tc.check); got != tc.want {
				t.Errorf("got %q, want %q (%v)", got, tc.want, eff)
			}
		})
	}
}

func TestInputRefused(t *testing.T) {
	p := newPages(t)
	for _, tc := range []struct {
		name, html string
		text       string
		reason     Reason
		words      string
	}{
		{"read-only", `<input id=i readonly value=old>`, "x", ReasonReadOnly, "read-only"},
		{"disabled", `<input id=i disabled>`, "x", ReasonDisabled, "disabled"},
		{"hidden", `<input id=i hidden>`, "x", ReasonHidden, "hidden"},
		{"covered", `<input id=i><div id=o style="position:fixed;inset:0"></div>`, "x", ReasonCovered, "<div#o>"},
		{"not a field", `<button id=i>go</button>`, "x", ReasonWrongKind, "not a field"},
		{"checkbox", `<input id=i type=checkbox>`, "x", ReasonWrongKind, "use click"},
		{"file", `<input id=i type=file>`, "x", ReasonWrongKind, "upload_file"},
		{"list", `<select id=i><option>A</select>`, "x", ReasonWrongKind, "select_dropdown"},
		{"date in words", `<input id=i type=date>`, "02/03/2031", ReasonNotFound, "YYYY-MM-DD"},
		{"beyond the slider", `<input id=i type=range max=10>`, "11", ReasonNotFound, "to 10"},
		{"too long", `<input id=i maxlength=5>`, "1234567", ReasonNoEffect, "at most 5"},
		{"filtered", `<input id=i oninput="value=value.replace(/\D/g,'')">`, "abc12", ReasonNoEffect, `"12"`},
		{"emptied", `<input id=i oninput="value=''">`, "abc", ReasonNoEffect, "empty"},
		{"letters in a number", `<input id=i type=number>`, "abc", ReasonNotFound, "number"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			_, err := find(t, s, "#i").input(testContext(t), tc.text, InputOptions{})
			wantReason(t, err, tc.reason, tc.words)
		})
	}
}
