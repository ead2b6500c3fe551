package tools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/registry"
)

const theSecret = "K7!blue-sky"

// withSecrets gives a hand secrets to type.
func withSecrets(t *testing.T, h *hand, list ...registry.Secret) {
	t.Helper()
	s, err := registry.NewSecrets(list...)
	if err != nil {
		t.Fatal(err)
	}
	h.deps = registry.Provide[registry.SecretResolver](h.deps, s)
}

// F130: the name of a secret alone, where a tag was meant.
func TestFaultsOfBareSecretNames(t *testing.T) {
	h := newHand(t)
	withSecrets(t, h, registry.NewSecret("x_pass", theSecret, "http://127.0.0.1"), registry.NewSecret("x_bank", "Z9!red!!", "https://bank.test"))
	for text, want := range map[string]string{
		"x_pass": theSecret, "<secret>x_pass</secret>": theSecret, "<secret> x_pass </secret>": theSecret,
		"a<secret>x_pass</secret>b": "a" + theSecret + "b", "my x_pass": "my x_pass", "X_PASS": "X_PASS", "x_pass2": "x_pass2",
	} {
		h.show(`<input id=i aria-label=f>`)
		notTold(t, h.do(`[{"input":{"index":«f»,"text":` + quote(text) + `}}]`)[0], theSecret)
		h.is("i.value", want)
	}
	for text, word := range map[string]string{
		"x_bank": "may not be used", "<secret>x_pas</secret>": "no secret named", "<secret>x_pass": "lacks", "<secret></secret>": "no secret named",
	} {
		h.show(`<input id=i aria-label=f>`)
		notTold(t, h.fails(`{"input":{"index":«f»,"text":`+quote(text)+`}}`, word), theSecret)
		h.is("i.value", "")
	}
	// Names are names in the fields that take secrets only.
	h.show(`<p>the x_pass of old</p>`)
	if r := h.do(`[{"search_page":{"pattern":"x_pass"}}]`)[0]; !strings.Contains(r.Text, "1 of 1") {
		t.Errorf("search_page: %q", r.Text)
	}
}

// F131: a secret is typed on its own site only, whatever document has the
// field by then.
func TestFaultsOfSecretsOnOtherSites(t *testing.T) {
	h := newHand(t)
	u, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	port := u.Port()
	other := "http://localhost:" + port
	input := `{"input":{"index":«f»,"text":"<secret>pass</secret>"}}`
	h.serve("/form", `<title>form</title><input id=i aria-label=f oninput="parent.postMessage(value,'*')">`)
	open := func(url string) {
		t.Helper()
		if _, err := h.s.Navigate(testContext(t), url); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		domain, url string
		ok          bool
	}{
		{"http://127.0.0.1", h.url, true}, {"http://127.0.0.1:" + port, h.url, true}, {"http://127.0.0.1:1", h.url, false},
		{"https://127.0.0.1", h.url, false}, {"http://localhost", h.url, false}, {"http://localhost", other, true},
		{"http://app.localhost", other, false}, {"http://app.localhost", "http://app.localhost:" + port, true},
		{"http://localhost", "http://evil.localhost:" + port, false}, {"http://*.localhost", "http://a.b.localhost:" + port, true},
		{"http://localhost", "http://127.0.0.1.localhost:" + port, false}, {"http://127.0.0.1", "http://127.0.0.1.localhost:" + port, false},
	} {
		t.Run(tc.domain+" on "+tc.url, func(t *testing.T) {
			h.t = t
			withSecrets(t, h, registry.NewSecret("pass", theSecret, tc.domain))
			open(tc.url + "/form")
			if tc.ok {
				notTold(t, h.do(`[` + input + `]`)[0], theSecret)
				h.is("i.value", theSecret)
				return
			}
			notTold(t, h.fails(input, "may not be used"), theSecret)
			h.is("i.value", "")
		})
	}
	h.t = t
	withSecrets(t, h, registry.NewSecret("pass", theSecret, "http://127.0.0.1"))
	// The page is another by the time of the typing.
	for name, js := range map[string]string{
		"the page moves on": `void(location='` + other + `/form')`,
		"a form is sent":    `(()=>{const f=document.createElement('form');f.action='` + other + `/form';document.body.append(f);f.submit()})()`,
	} {
		open(h.url + "/form")
		i := h.index("f")
		h.eval(js)
		waitFor(t, func() bool { return strings.HasPrefix(h.s.Tabs()[0].URL, other+"/form") })
		h.look()
		r, _ := h.run(`[{"input":{"index":` + itoa(i) + `,"text":"<secret>pass</secret>"}}]`)
		if r[0].Error == "" {
			t.Errorf("%s: the secret was typed: %+v", name, r[0])
		}
		notTold(t, r[0], theSecret)
		h.is("document.querySelector('input').value", "")
	}
	// Frames: of another site, of one in a sandbox, written by the page itself.
	for name, tc := range map[string]struct {
		frame string
		ok    bool
	}{
		"another site":        {`src="` + other + `/form"`, false},
		"the same site":       {`src="/form"`, true},
		"its own text":        {`srcdoc="<input aria-label=f oninput=&quot;parent.postMessage(value,'*')&quot;>"`, true},
		"its site in another": {`src="` + other + `/nest"`, false},
	} {
		h.serve("/nest", `<iframe src="`+other+`/form"></iframe>`)
		h.show(`<title></title><script>onmessage=e=>document.title=e.data</script><iframe style="width:500px;height:300px" ` + tc.frame + `></iframe>`)
		waitFor(t, func() bool { return strings.Contains(h.look().Text.String, "<input") })
		r, _ := h.run("[" + input + "]")
		notTold(t, r[0], theSecret)
		if (r[0].Error == "") != tc.ok {
			t.Errorf("%s: error %q", name, r[0].Error)
		}
		if tc.ok {
			h.waitTitle(theSecret)
			continue
		}
		h.is("document.title", "")
	}
}

// F129: what a field or page makes of a secret is not told either.
func TestFaultsOfSecretsToldBack(t *testing.T) {
	h := newHand(t)
	withSecrets(t, h, registry.NewSecret("pass", theSecret))
	type_ := `[{"input":{"index":«f»,"text":"<secret>pass</secret>"}}]`
	for name, html := range map[string]string{
		"a field":               `<input aria-label=f>`,
		"a password field":      `<input type=password aria-label=f>`,
		"an editor":             `<div contenteditable aria-label=f style="width:200px;height:30px"></div>`,
		"in upper case":         `<input aria-label=f oninput="value=value.toUpperCase()">`,
		"cut short":             `<input aria-label=f maxlength=5>`,
		"a dialog says it":      `<input aria-label=f onchange="alert('you typed '+value)" oninput="if(value.length>10)alert('you typed '+value)">`,
		"the title says it":     `<input aria-label=f oninput="document.title=value">`,
		"the address says it":   `<input aria-label=f oninput="history.replaceState(0,'','?p='+encodeURIComponent(value))">`,
		"suggestions say it":    `<input aria-label=f role=combobox aria-controls=l oninput="l.innerHTML='<li role=option>'+value+'</li>'"><ul id=l role=listbox></ul>`,
		"a validation says it":  `<input aria-label=f aria-describedby=e oninput="e.textContent=value+' is too weak'"><p id=e role=alert></p>`,
		"one character a field": `<input aria-label=f maxlength=1 oninput="n1.focus()"><input id=n1 maxlength=1>`,
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.show(html)
			r, _ := h.run(type_)
			notTold(t, r[0], theSecret)
			// The whole of the result as it is written into a history.
			text, err := json.Marshal(r[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{theSecret, url.QueryEscape(theSecret), "K7!bl"} {
				if strings.Contains(string(text)+fmt.Sprintf("%+v", r[0].Metadata), form) {
					t.Errorf("%q is in %s %+v", form, text, r[0].Metadata)
				}
			}
		})
	}
	h.t = t
}

// F135, F136: one-time codes from whatever a site shows as the seed.
func TestFaultsOfOneTimeCodes(t *testing.T) {
	h := newHand(t)
	for _, seed := range []string{
		"GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", "gezd-gnbv-gy3t-qojq-gezd-gnbv-gy3t-qojq", "gezdgnbvgy3tqojqgezdgnbvgy3tqojq",
		"otpauth://totp/Shop:me?secret=gezd%20gnbvgy3tqojq&digits=8&period=60&algorithm=SHA256",
	} {
		withSecrets(t, h, registry.NewTOTP("code", seed, "http://127.0.0.1"))
		h.show(`<input id=i aria-label=f>`)
		r := h.do(`[{"input":{"index":«f»,"text":"<secret>code</secret>"}}]`)[0]
		got := h.eval("i.value")
		digits := 6
		if strings.Contains(seed, "digits=8") {
			digits = 8
		}
		if len(got) != digits || strings.Trim(got, "0123456789") != "" {
			t.Errorf("%s: typed %q", seed, got)
		}
		notTold(t, r, got)
	}
	for _, seed := range []string{"", " ", "- -", "====", "not base 32!", "GEZD0189GNBV", "otpauth://totp/x?secret=", "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=x", "otpauth://"} {
		if _, err := registry.NewSecrets(registry.NewTOTP("code", seed)); err == nil {
			t.Errorf("the seed %q was taken", seed)
		} else if s := strings.TrimSpace(seed); len(s) > 11 && strings.Contains(err.Error(), s) {
			t.Errorf("the error quotes the seed: %v", err)
		}
	}
}
