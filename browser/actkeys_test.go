package browser

import (
	"strings"
	"testing"
)

func TestParseKeys(t *testing.T) {
	for in, want := range map[string]string{
		"Enter":              "Enter",
		"return":             "Enter",
		"Tab Tab Enter":      "Tab|Tab|Enter",
		"ctrl+a":             "Control+a",
		"Control++":          "Control++",
		"+":                  `"+"`,
		"Control+Shift+T":    "Control+Shift+T",
		"cmd+v":              "Meta+v",
		"Shift+Tab":          "Shift+Tab",
		"1+1":                `"1+1"`,
		"a+b":                `"a+b"`,
		"C++":                `"C++"`,
		"hello world":        `"hello world"`,
		"a b":                `"a b"`,
		`"hello" Enter`:      `"hello"|Enter`,
		`say "hi"`:           `"say \"hi\""`,
		" ":                  "Space",
		"x":                  `"x"`,
		"é":                  `"é"`,
		"ArrowDown":          "ArrowDown",
		"down down":          "ArrowDown|ArrowDown",
		"PAGEDOWN":           "PageDown",
		"Control+Plus":       "Control++",
		"Enter now":          `"Enter now"`,
		"Control":            "Control",
		"ControlOrMeta+C":    "ControlOrMeta+C",
		"line one\nline two": `"line one\nline two"`,
	} {
		got, err := parseKeys(in)
		if err != nil {
			t.Errorf("parseKeys(%q): %v", in, err)
			continue
		}
		var parts []string
		for _, st := range got {
			parts = append(parts, st.String())
		}
		if s := strings.Join(parts, "|"); s != want {
			t.Errorf("parseKeys(%q) = %s, want %s", in, s, want)
		}
	}
	for _, in := range []string{"", "Control+Nope", "Control+Foo+A"} {
		if got, err := parseKeys(in); err == nil {
			t.Errorf("parseKeys(%q) = %v, want an error", in, got)
		}
	}
}

func FuzzParseKeys(f *testing.F) {
	for _, s := range []string{"Control++", `"a\"b" Enter`, "+ +", "a+b", "Shift+Tab", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseKeys(s)
		if err == nil && len(got) == 0 {
			t.Errorf("parseKeys(%q) is nothing", s)
		}
	})
}

func TestSendKeys(t *testing.T) {
	p := newPages(t)
	for _, tc := range []struct {
		name, html  string
		keys        []string
		check, want string
	}{
		{"Enter submits once", `<form onsubmit="document.title+='s';return false"><input autofocus></form>`, []string{"Enter"}, "document.title", "s"},
		{"text", `<input id=i autofocus>`, []string{"1+1=2 ok"}, "i.value", "1+1=2 ok"},
		{"select all and type", `<input id=i autofocus value=admin123>`, []string{"Control+A", "x"}, "i.value", "x"},
		{"select all only selects", `<input id=i autofocus value=admin123>`, []string{"ctrl+a"}, "i.selectionEnd-i.selectionStart+i.value", "8admin123"},
		{"copy and paste", `<input id=i autofocus value=copied><input id=j>`, []string{"Control+A", "Control+C", "Tab", "Control+V", "Control+V"}, "j.value", "copiedcopied"},
		{"cut", `<input id=i autofocus value=gone><input id=j>`, []string{"Control+A Control+X Tab Control+V"}, "i.value+'|'+j.value", "|gone"},
		{"Backspace and Delete", `<input id=i autofocus value=abcd>`, []string{"End Backspace Home Delete"}, "i.value", "bc"},
		{"sequence with text", `<input id=i autofocus><input id=j>`, []string{`"Ada" Tab "Lovelace"`}, "i.value+j.value", "AdaLovelace"},
		{"arrows in a list", `<select id=s autofocus><option>a<option>b<option>c</select>`, []string{"ArrowDown ArrowDown"}, "s.value", "c"},
		{"arrows on a slider", `<input id=r type=range autofocus min=0 max=10 value=5>`, []string{"ArrowRight ArrowRight ArrowLeft"}, "r.value", "6"},
		{"Space checks", `<input id=c type=checkbox autofocus>`, []string{"Space"}, "String(c.checked)", "true"},
		{"modifiers are keys of their own", `<script>document.onkeydown=e=>document.title+=e.key+(e.ctrlKey?'^':'')+(e.shiftKey?'s':'')+','</script>`, []string{"Control+Shift+K"}, "document.title", "Control^,Shift^s,K^s,"},
		{"a capital", `<script>document.onkeydown=e=>document.title+=e.key+e.shiftKey</script>`, []string{"A"}, "document.title", "Atrue"},
		{"plus with Control", `<script>document.onkeydown=e=>{if(e.key!='Control')document.title+=e.key+e.ctrlKey}</script>`, []string{"Control++"}, "document.title", "+true"},
		{"Escape closes", `<dialog id=d>x</dialog><script>d.showModal();</script>`, []string{"Escape"}, "String(d.open)", "false"},
		{"undo", `<input id=i autofocus>`, []string{"abc", "Control+Z"}, "i.value.length<3?'undone':i.value", "undone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			for _, k := range tc.keys {
				if _, err := s.SendKeys(testContext(t), k); err != nil {
					t.Fatal(err)
				}
			}
			if got := eval[string](t, s, tc.check); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// A key that leaves the page is not followed by the keys that were meant for
// it.
func TestSendKeysStopsWhenThePageIsLeft(t *testing.T) {
	s := newTestSession(t)
	srv := serve(t, map[string]string{
		"/":     `<form action=/next><input autofocus name=q></form>`,
		"/next": `<title>next</title><form onsubmit="document.title='again';return false"><input autofocus></form>`,
	})
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	eff, err := s.SendKeys(testContext(t), `"x" Enter Enter`)
	if err != nil {
		t.Fatal(err)
	}
	if got := title(t, s); got != "next" {
		t.Errorf("title %q (%v)", got, eff)
	}
	if !strings.HasSuffix(eff.Navigated, "/next?q=x") || !strings.Contains(strings.Join(eff.Notes, " "), "not sent: Enter") {
		t.Errorf("effect %+v", eff)
	}
}
