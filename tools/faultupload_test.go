package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// F094: the field for a file is hidden, and what people press is near it, far
// from it, or in another tree.
func TestFaultsOfHiddenFileFields(t *testing.T) {
	h := newHand(t)
	path := filepath.Join(t.TempDir(), "ok.txt")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.deps = registry.Provide(h.deps, FilePaths{path})
	const shadow = `customElements.define('x-up',class extends HTMLElement{constructor(){super();const r=window.root=this.attachShadow({mode:'MODE'});r.innerHTML='<input type=file id=f hidden><button>Add file</button>';r.querySelector('button').onclick=()=>r.getElementById('f').click()}})`
	for name, tc := range map[string]struct{ html, press, js string }{
		"a label that names the field":      {`<p><label for=f>Add file</label></p><div><input type=file id=f style="display:none"></div>`, "Add file", "f.files[0].name"},
		"a label around it":                 {`<label class=btn>Add file<input type=file id=f style="position:absolute;width:0;height:0;opacity:0"></label>`, "Add file", "f.files[0].name"},
		"a div with an icon":                {`<div id=b style="cursor:pointer;width:40px;height:40px" onclick="f.click()"><svg width=20 height=20><circle r=9 cx=9 cy=9 /></svg></div><input type=file id=f hidden>`, "b", "f.files[0].name"},
		"a field outside of the form":       {`<form><button type=button id=b onclick="document.getElementById('f').click()">Add file</button></form><input type=file id=f hidden>`, "b", "document.getElementById('f').files[0].name"},
		"a field at the end of the page":    {`<main><section><div><div><div><div><p><button id=b onclick="f.click()">Add file</button></p></div></div></div></div></section></main><footer><div><input type=file id=f style="visibility:hidden"></div></footer>`, "b", "f.files[0].name"},
		"in an open shadow root":            {`<x-up></x-up><script>` + strings.Replace(shadow, "MODE", "open", 1) + `</script>`, "Add file", "root.getElementById('f').files[0].name"},
		"in a closed shadow root":           {`<x-up></x-up><script>` + strings.Replace(shadow, "MODE", "closed", 1) + `</script>`, "Add file", "root.getElementById('f').files[0].name"},
		"a button beside a shadow root":     {`<button id=b onclick="document.querySelector('x-up').shadowRoot.getElementById('f').click()">Attach</button><x-up></x-up><script>` + strings.Replace(shadow, "MODE", "open", 1) + `</script>`, "b", "root.getElementById('f').files[0].name"},
		"a field that is made on the press": {`<button id=b onclick="window.f=Object.assign(document.createElement('input'),{type:'file'});f.click()">Add file</button>`, "b", "f.files[0].name"},
		"two fields, two buttons, the 2nd":  {`<input type=file id=one hidden><button onclick="one.click()">Front</button><input type=file id=two hidden><button id=b onclick="two.click()">Back</button>`, "b", "one.files.length+two.files[0].name"},
		"two fields first, then buttons":    {`<form><input type=file id=one hidden><input type=file id=two hidden><button type=button id=a onclick="two.click()">Back</button><button type=button onclick="one.click()">Front</button></form>`, "a", "document.getElementById('one').files.length+document.getElementById('two').files[0].name"},
		"buttons crossed in their boxes":    {`<div><input type=file id=one hidden><button id=b onclick="two.click()">Back</button></div><div><input type=file id=two hidden><button onclick="one.click()">Front</button></div>`, "b", "one.files.length+two.files[0].name"},
		"a zone that only takes drops":      {`<div><input type=file id=one hidden><button id=b onclick="document.title='drop here'">Drop files here</button></div><div><input type=file id=two hidden><button onclick="two.click()">Back</button></div>`, "b", "two.files.length+one.files[0].name"},
		"a button that sends the form":      {`<form onsubmit="document.title='sent';return false"><input type=file id=one hidden><button id=b>Upload</button></form><input type=file id=two hidden>`, "b", "document.title+two.files.length+document.getElementById('one').files[0].name"},
		"a field in a frame":                {`<iframe id=fr srcdoc="<input type=file id=f hidden><button onclick='f.click()'>Add file</button>"></iframe>`, "Add file", "fr.contentDocument.getElementById('f').files[0].name"},
	} {
		t.Run("F094 "+name, func(t *testing.T) {
			h.t = t
			h.show(tc.html)
			h.do(`[{"upload_file":{"index":«` + tc.press + `»,"path":"ok.txt"}}]`)
			h.is(tc.js, strings.Replace("0ok.txt", "0", map[bool]string{true: "0", false: ""}[strings.Contains(tc.js, "length+")], 1))
		})
	}
	h.t = t
	// What asks for no file gets none, and says so.
	h.show(`<button onclick="document.title='pressed'">Save</button><input type=file id=f disabled aria-label=off>`)
	h.fails(`{"upload_file":{"index":«off»,"path":"ok.txt"}}`, "disabled")
	h.is("f.files.length", "0")
	h.show(`<button onclick="document.title='pressed'">Save</button>`)
	h.fails(`{"upload_file":{"index":«Save»,"path":"ok.txt"}}`, "no file field")
}
