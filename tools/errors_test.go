package tools

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-4bdb41d0/webhand/registry"
)

var update = flag.Bool("update", false, "write the golden files anew")

var openTabs = regexp.MustCompile(`open tabs: \w+`)

// refusedOn is one page and what cannot be done on it.
type refusedOn struct {
	html    string
	after   string // JavaScript between the look and the action
	actions []string
}

// Every error that an action documents, with its exact text in
// testdata/errors.txt: what the model reads has to be short, to name the cause,
// and to say what to do next.
func TestErrors(t *testing.T) {
	h := newHand(t)
	const layer = `void(document.body.insertAdjacentHTML('beforeend','<div id=o style="position:fixed;inset:0">ad</div>'))`
	button, field, list := `<button id=b>go</button>`, `<input id=b aria-label=f>`, `<select id=b aria-label=l><option>A<option>B</select>`
	each := func(index string) []string {
		return []string{
			`{"click":{"index":` + index + `}}`, `{"hover":{"index":` + index + `}}`, `{"input":{"index":` + index + `,"text":"x"}}`,
			`{"drag":{"from_index":` + index + `,"by_x":50}}`, `{"select_dropdown":{"index":` + index + `,"text":"x"}}`, `{"dropdown_options":{"index":` + index + `}}`,
			`{"upload_file":{"index":` + index + `,"path":"a.txt"}}`, `{"scroll":{"index":` + index + `}}`, `{"scroll":{"to":"element","index":` + index + `}}`,
		}
	}
	on := func(index string, names ...string) (out []string) {
		for _, a := range each(index) {
			for _, n := range names {
				if strings.HasPrefix(a, `{"`+n+`"`) {
					out = append(out, a)
				}
			}
		}
		return out
	}
	if _, err := h.files.Write("a.txt", "text", false); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, page := range []refusedOn{
		{button, "", append(each("9999999"), each("0")...)}, // numbers that no element has
		{button, `b.remove()`, each("«b»")},
		{button, layer, on("«b»", "click", "hover", "drag")},
		{field, layer, on("«b»", "input")},
		{button, `void(b.disabled=true)`, on("«b»", "click", "hover", "drag")},
		{field, `void(b.disabled=true)`, on("«b»", "input")},
		{list, `void(b.disabled=true)`, on("«b»", "select_dropdown")},
		{`<input type=file id=b aria-label=f>`, `void(b.disabled=true)`, on("«b»", "upload_file")},
		{`<fieldset id=s>` + button + `</fieldset>`, `void(s.disabled=true)`, on("«b»", "click")},
		{button, `void(b.hidden=true)`, on("«b»", "click", "hover", "drag", "scroll")},
		{field, `void(b.hidden=true)`, on("«b»", "input")},
		{`<div id=p>` + button + `</div>`, `void(p.inert=true)`, on("«b»", "click")},
		{`<div id=p>` + field + `</div>`, `void(p.inert=true)`, on("«b»", "input")},
		{button, `void(b.style.pointerEvents='none')`, on("«b»", "click", "hover")},
		{button, `void(b.style.cssText='position:fixed;left:-900px')`, on("«b»", "click", "hover", "drag")},
		{field, `void(b.readOnly=true)`, on("«b»", "input")},
		{button, "", on("«b»", "input", "select_dropdown", "dropdown_options", "upload_file", "drag")},
		{`<input type=checkbox id=b aria-label=c onclick="return false">`, "", on("«b»", "click", "input")},
		{list, "", append(on("«b»", "click", "input"), `{"select_dropdown":{"index":«b»,"text":"C"}}`, `{"select_dropdown":{"index":«b»,"texts":["A","B"]}}`, `{"select_dropdown":{"index":«b»}}`)},
		{`<select id=b aria-label=l><option value=1>A<option value=2>A<option disabled>C</select>`, "", []string{`{"select_dropdown":{"index":«b»,"text":"A"}}`, `{"select_dropdown":{"index":«b»,"text":"C"}}`}},
		{`<select id=b aria-label=l onchange="value='A'"><option>A<option>B</select>`, "", []string{`{"select_dropdown":{"index":«b»,"text":"B"}}`}},
		{`<input type=file id=b aria-label=f>`, "", []string{`{"click":{"index":«b»}}`, `{"input":{"index":«b»,"text":"x"}}`, `{"upload_file":{"index":«b»}}`, `{"upload_file":{"index":«b»,"path":"nope.pdf"}}`, `{"upload_file":{"index":«b»,"paths":["a.txt","a.txt"]}}`}},
		{`<input type=date id=b aria-label=f max=2030-12-31>`, "", []string{`{"input":{"index":«b»,"text":"tomorrow"}}`, `{"input":{"index":«b»,"text":"2031-02-03"}}`}},
		{`<input type=range id=b aria-label=f min=1 max=9 step=2>`, "", []string{`{"input":{"index":«b»,"text":"4"}}`}},
		{`<input type=number id=b aria-label=f>`, "", []string{`{"input":{"index":«b»,"text":"ten"}}`}},
		{`<input id=b aria-label=f maxlength=3>`, "", []string{`{"input":{"index":«b»,"text":"abcdef"}}`}},
		{`<input id=b aria-label=f oninput="value=''">`, "", []string{`{"input":{"index":«b»,"text":"abc"}}`}},
		{`<input id=b aria-label=f oninput="value='no'">`, "", []string{`{"input":{"index":«b»,"text":"abc"}}`}},
		{`<p id=p>short</p>`, "", []string{
			`{"click":{}}`, `{"click":{"coordinate_x":3}}`, `{"click":{"coordinate_x":9000,"coordinate_y":3}}`, `{"click":{"index":1,"button":"top"}}`, `{"click":{"index":"b"}}`, `{"click":{"index":1,"cuont":2}}`, `{"click":{"index":1,"count":9}}`, `{"click":{"index":1,"modifiers":["Fn"]}}`,
			`{"hover":{}}`, `{"drag":{}}`, `{"drag":{"from_x":3,"from_y":3}}`, `{"drag":{"from_x":9000,"from_y":3,"by_x":3}}`, `{"drag":{"from_x":3,"from_y":3,"by_x":30}}`,
			`{"input":{"index":1}}`, `{"input":{"text":"x"}}`, `{"send_keys":{"keys":""}}`, `{"send_keys":{"keys":"Control+Foo"}}`, `{"send_keys":{}}`,
			`{"scroll":{}}`, `{"scroll":{"pages":0}}`, `{"scroll":{"pages":999}}`, `{"scroll":{"to":"element"}}`, `{"scroll":{"direction":"in"}}`, `{"find_text":{"text":"nowhere"}}`, `{"find_text":{"text":"short","nth":3}}`, `{"find_text":{"text":""}}`,
			`{"wait":{"seconds":99}}`, `{"wait":{"seconds":0.05,"text":"never"}}`, `{"wait":{"seconds":0.05,"gone":"short"}}`, `{"wait":{"seconds":0.05,"selector":"#never"}}`, `{"wait":{"seconds":0.05,"selector":"p["}}`,
			`{"navigate":{"url":""}}`, `{"navigate":{"url":"not an address"}}`, `{"navigate":{"url":"http://127.0.0.1:1/"}}`, `{"navigate":{"url":"http://nowhere.invalid/"}}`, `{"navigate":{"url":"file:///etc/passwd"}}`, `{"navigate":{"url":"javascript:alert(1)"}}`,
			`{"search":{"query":" "}}`, `{"search":{"query":"x","engine":"ask"}}`, `{"go_forward":{}}`, `{"switch":{"tab_id":"zz"}}`, `{"close":{"tab_id":"zz"}}`, `{"switch":{}}`,
			`{"search_page":{"pattern":"(","regex":true}}`, `{"search_page":{"pattern":"x","css_scope":"p["}}`, `{"search_page":{"pattern":"x","css_scope":"#never"}}`, `{"find_elements":{"selector":"p["}}`,
			`{"evaluate":{"code":"nope()"}}`, `{"evaluate":{"code":"throw 'mine'"}}`, `{"evaluate":{"code":"("}}`, `{"extract":{"query":""}}`, `{"extract":{"query":"x","output_schema":"{"}}`,
			`{"write_file":{"file_name":"x.exe","content":"x"}}`, `{"write_file":{"file_name":"x.json","content":"{"}}`, `{"write_file":{"file_name":"n.md","content":"x","append":true}}`, `{"write_file":{"file_name":"","content":"x"}}`,
			`{"replace_file":{"file_name":"a.txt","old_str":"nope","new_str":"x"}}`, `{"replace_file":{"file_name":"none.md","old_str":"a","new_str":"b"}}`, `{"read_file":{"file_name":"none.md"}}`, `{"read_file":{"file_name":"/etc/passwd"}}`, `{"read_file":{"file_name":"a.txt","start_from_char":99}}`,
			`{"save_as_pdf":{"paper_format":"A9"}}`, `{"done":{}}`, `{"done":{"text":"x","files_to_display":["none.md"]}}`, `{"clikc":{"index":1}}`, `{"click":{"index":1},"wait":{}}`, `{}`,
		}},
		{`<div style="height:3000px">tall</div>`, "", []string{`{"scroll":{"down":false}}`}},
	} {
		out.WriteString("# " + strings.ReplaceAll(strings.TrimSpace(page.html+" "+page.after), "\n", " ") + "\n")
		for i, a := range page.actions {
			if tab, _ := PageOf(h.s)(testContext(t)); i == 0 || page.after != "" || strings.Contains(a, "«") || tab.URL != h.url+"/" {
				h.show(page.html)
				h.look()
			}
			got := openTabs.ReplaceAllString(h.refusal(a, page.after), "open tabs: TAB")
			got = strings.ReplaceAll(strings.ReplaceAll(got, h.url, "http://page.test"), h.files.Dir(), "FILES")
			if n := utf8.RuneCountInString(got); n == 0 || n > 400 || strings.Contains(got, "\n") {
				t.Errorf("%s: an error of %d characters: %q", a, n, got)
			}
			for _, w := range []string{"browser:", "registry:", "tools:", "dom:", "Runtime.", "nil"} {
				if strings.Contains(got, w) {
					t.Errorf("%s: error %q has %q in it", a, got, w)
				}
			}
			out.WriteString(a + "\n\t" + got + "\n")
		}
	}
	golden := filepath.Join("testdata", "errors.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wants, gots := strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")
	for i := range max(len(wants), len(gots)) {
		w, g := "", ""
		if i < len(wants) {
			w = wants[i]
		}
		if i < len(gots) {
			g = gots[i]
		}
		if w != g {
			t.Errorf("testdata/errors.txt:%d\n got  %s\n want %s", i+1, g, w)
		}
	}
}

// refusal is the error of one action, of its parameters or of what came of it.
// Numbers of elements are written as [n].
func (h *hand) refusal(action, after string) string {
	h.t.Helper()
	index := ""
	if i, j := strings.Index(action, "«"), strings.Index(action, "»"); i >= 0 {
		index = itoa(h.index(action[i+len("«") : j]))
		action = action[:i] + index + action[j+len("»"):]
	}
	if after != "" {
		h.eval(after)
	}
	ctx := testContext(h.t)
	page, err := PageOf(h.s)(ctx)
	if err != nil {
		h.t.Fatal(err)
	}
	call, err := h.tools.Compile(page).Decode(json.RawMessage(action))
	if err != nil {
		return err.Error()
	}
	res, err := call.Run(ctx, registry.Provide[ExtractionLLM](h.deps, noModel{}))
	if err != nil {
		return err.Error()
	}
	if index != "" {
		res.Error = strings.ReplaceAll(res.Error, "["+index+"]", "[n]")
	}
	return res.Error
}
