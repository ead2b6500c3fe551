package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pquerna/otp"
)

const value = `K7!blue"\&<é`

func set(t *testing.T, secrets ...Secret) *Secrets {
	t.Helper()
	s, err := NewSecrets(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A secret that is printed by accident tells nothing, whatever holds it.
func TestSecretHides(t *testing.T) {
	s := NewSecret("pass", value, "x.test")
	held := struct {
		Pub  Secret
		priv Secret
		list []Secret
	}{s, s, []Secret{s}}
	quoted, _ := json.Marshal(value)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", s, "held", held)
	text, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{
		fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s %q", s, s, s, s, s), fmt.Sprintf("%v %+v %#v", held, held, held),
		fmt.Sprintf("%+v", &held), log.String(), string(text), fmt.Sprintf("%+v %#v", set(t, s), set(t, s).list),
	} {
		if strings.Contains(out, "K7!blue") || strings.Contains(out, string(quoted)) {
			t.Errorf("leaked: %s", out)
		}
	}
	if got := fmt.Sprint(s); got != "[secret]" {
		t.Errorf("%q", got)
	}
}

func TestNewSecretsRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		in   []Secret
		want string
	}{
		"no name":            {[]Secret{NewSecret("", value)}, "name"},
		"a tag as a name":    {[]Secret{NewSecret("<secret>", value)}, "name"},
		"no value":           {[]Secret{NewSecret("a", "")}, "has no value"},
		"the zero Secret":    {[]Secret{{Name: "a"}}, "has no value"},
		"empty domains":      {[]Secret{{Name: "a", Domains: []string{}, reveal: func() string { return value }}}, "nowhere"},
		"broken domain":      {[]Secret{NewSecret("a", value, "*.com")}, "everybody"},
		"twice":              {[]Secret{NewSecret("a", value), NewSecret("a", "other")}, "twice"},
		"twice for one page": {[]Secret{NewSecret("a", value, "x.test"), NewSecret("a", "other", "x.test")}, "twice"},
		"empty seed":         {[]Secret{NewTOTP("a", "  - ")}, "empty"},
		"seed of no base32":  {[]Secret{NewTOTP("a", "K7!blue1890")}, "base32"},
		"short seed":         {[]Secret{NewTOTP("a", "GEZDGNBV")}, "too few"},
		"hotp":               {[]Secret{NewTOTP("a", "otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ")}, "hotp"},
		"url without secret": {[]Secret{NewTOTP("a", "otpauth://totp/x")}, "empty"},
		"period":             {[]Secret{NewTOTP("a", "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&period=0")}, "period"},
		"digits":             {[]Secret{NewTOTP("a", "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=12")}, "digits"},
		"algorithm":          {[]Secret{NewTOTP("a", "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&algorithm=MD5")}, "algorithm"},
	} {
		_, err := NewSecrets(tt.in...)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		} else if strings.Contains(err.Error(), "K7!blue") || strings.Contains(err.Error(), "GEZDGNBV") {
			t.Errorf("%s: the error quotes the value: %v", name, err)
		}
	}
}

// Vectors of RFC 6238, appendix B.
func TestTOTPVectors(t *testing.T) {
	const s20 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	const s32 = s20 + "GEZDGNBVGY3TQOJQGEZA"
	const s64 = s20 + s20 + s20 + "GEZDGNA"
	for _, tt := range []struct {
		seed string
		at   int64
		want string
	}{
		{"GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", 59, "287082"},
		{"gezd-gnbv-gy3t-qojq-gezd-gnbv-gy3t-qojq", 59, "287082"},
		{s20 + "====", 1111111109, "081804"},
		{s20, 1234567890, "005924"},
		{s20, 20000000000, "353130"},
		{"otpauth://totp/Bank:me?secret=" + s20 + "&digits=8&issuer=Bank", 59, "94287082"},
		{"OTPAUTH://TOTP/x?secret=GEZD%20GNBV-GY3TQOJQGEZDGNBVGY3TQOJQ&digits=7", 59, "4287082"},
		{"otpauth://totp/x?secret=" + s32 + "&digits=8&algorithm=SHA256", 59, "46119246"},
		{"otpauth://totp/x?secret=" + s64 + "&digits=8&algorithm=sha-512", 59, "90693936"},
		{"otpauth://totp/x?secret=" + s20 + "&period=60", 119, "287082"},
	} {
		k, err := parseTOTP(tt.seed)
		if err != nil {
			t.Errorf("%s: %v", tt.seed, err)
			continue
		}
		if got, err := k.code(time.Unix(tt.at, 0)); err != nil || got != tt.want {
			t.Errorf("%s at %d: %s, want %s", tt.seed, tt.at, got, tt.want)
		}
	}
	if k, _ := parseTOTP(s20); k.opts.Algorithm != otp.AlgorithmSHA1 {
		t.Error("the default is not SHA-1")
	}
}

// A code that dies while it is typed fails the login; the next one is awaited.
func TestTOTPWaitsForALivingCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := set(t, NewTOTP("otp", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
		resolve := func(ctx context.Context) (string, error) { return s.Resolve(ctx, SecretUse{Name: "otp"}) }
		sleepUntil := func(second int64) { // within a period
			now := time.Now()
			into := time.Duration(now.UnixNano() % int64(30*time.Second))
			time.Sleep((30*time.Second-into)%(30*time.Second) + time.Duration(second)*time.Second)
		}
		key, _ := parseTOTP("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
		sleepUntil(27)
		start := time.Now()
		code, err := resolve(t.Context())
		if want, _ := key.code(start); err != nil || code != want || time.Since(start) != 0 {
			t.Errorf("with 3 s to live: %s %v after %s, want %s at once", code, err, time.Since(start), want)
		}
		if got := s.Redact("typed " + code); got != "typed <secret>otp</secret>" {
			t.Errorf("the code shows: %s", got)
		}
		sleepUntil(28)
		start = time.Now()
		code, err = resolve(t.Context())
		if want, _ := key.code(start.Add(2 * time.Second)); err != nil || code != want || time.Since(start) != 2*time.Second {
			t.Errorf("with 2 s to live: %s %v after %s, want %s after 2s", code, err, time.Since(start), want)
		}
		sleepUntil(28)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := resolve(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that ends: %v", err)
		}
	})
}

// login types into a form, and tells about it as a built-in action would.
type loginParams struct {
	Index int      `json:"index"`
	Text  string   `json:"text"`
	Query string   `json:"query,omitempty"`
	More  []string `json:"more,omitempty"`
	Deep  struct {
		Pass string `json:"pass,omitempty" jsonschema:"maxLength=30"`
	} `json:"deep,omitzero"`
	Map map[string]string `json:"map,omitempty"`
}

func secretAction(t *testing.T, got *loginParams, fields ...string) *Model {
	t.Helper()
	r := New()
	r.MustAdd(Spec{Name: "input", Description: "Type.", SecretFields: fields},
		func(_ context.Context, p loginParams, ph Placeholders) (string, error) {
			*got = p
			return fmt.Sprintf("typed %s, really %s", ph.Text("text", p.Text), p.Text), nil
		})
	return r.Compile(Page{})
}

func TestSecretsAreSubstituted(t *testing.T) {
	secrets := set(t,
		NewSecret("pass", value, "https://bank.test"),
		NewSecret("user", "<secret>pass</secret>"), // a value that reads like a placeholder
		NewSecret("pin", "otherpin", "http*://other.test"), NewSecret("pin", "bankpin", "bank.test"),
	)
	for _, tt := range []struct {
		name, args, url string
		fields          []string
		want            string // of the params, or "error: ..."
	}{
		{"tag", `{"index":1,"text":"<secret>pass</secret>"}`, "https://bank.test/login", []string{"text"}, value},
		{"tag within text", `{"index":1,"text":"a <secret> pass </secret>, <secret>pin</secret> z"}`, "https://bank.test", []string{"text"}, "a " + value + ", bankpin z"},
		{"bare name", `{"index":1,"text":"pass"}`, "https://bank.test", []string{"text"}, value},
		{"bare name within text is text", `{"index":1,"text":"my pass"}`, "https://bank.test", []string{"text"}, "my pass"},
		{"bare name elsewhere is text", `{"index":1,"text":"x","query":"pass"}`, "https://bank.test", []string{"text"}, "x"},
		{"no chain", `{"index":1,"text":"<secret>user</secret>"}`, "https://bank.test", []string{"text"}, "<secret>pass</secret>"},
		{"by domain", `{"index":1,"text":"<secret>pin</secret>"}`, "http://other.test", []string{"text"}, "otherpin"},
		{"in a list", `{"index":1,"text":"x","more":["a","<secret>pass</secret>"]}`, "https://bank.test", []string{"more"}, "x"},
		{"deep", `{"index":1,"text":"x","deep":{"pass":"<secret>pass</secret>"}}`, "https://bank.test", []string{"deep.pass"}, "x"},
		{"below a named field", `{"index":1,"text":"x","deep":{"pass":"<secret>pass</secret>"}}`, "https://bank.test", []string{"deep"}, "x"},

		{"another site", `{"index":1,"text":"<secret>pass</secret>"}`, "https://evil.test", []string{"text"}, `error: secret "pass" may not be used on https://evil.test`},
		{"bare name on another site", `{"index":1,"text":"pass"}`, "https://evil.test", []string{"text"}, `error: secret "pass" may not be used on https://evil.test`},
		{"look-alike", `{"index":1,"text":"<secret>pass</secret>"}`, "https://bank.test@evil.test", []string{"text"}, `error: may not be used on https://evil.test`},
		{"unencrypted", `{"index":1,"text":"<secret>pass</secret>"}`, "http://bank.test", []string{"text"}, `error: may not be used on http://bank.test`},
		{"unknown page", `{"index":1,"text":"<secret>pass</secret>"}`, "", []string{"text"}, "error: may not be used on an unknown page"},
		{"unknown name", `{"index":1,"text":"<secret>pas</secret>"}`, "https://bank.test", []string{"text"}, `error: no secret named "pas" (known: pass, user, pin)`},
		{"empty name", `{"index":1,"text":"<secret></secret>"}`, "https://bank.test", []string{"text"}, `error: no secret named ""`},
		{"another field", `{"index":1,"text":"x","query":"<secret>pass</secret>"}`, "https://bank.test", []string{"text"}, "error: a secret may not go into query of input, only into text"},
		{"a field of like name", `{"index":1,"text":"<secret>pass</secret>"}`, "https://bank.test", []string{"deep"}, "error: a secret may not go into text of input, only into deep"},
		{"no field", `{"index":1,"text":"<secret>pass</secret>"}`, "https://bank.test", nil, "error: input takes no secrets"},
		{"a key", `{"index":1,"text":"x","map":{"<secret>pass</secret>":"y"}}`, "https://bank.test", []string{"map"}, "error: may not be a key"},
		{"not closed", `{"index":1,"text":"<secret>pass"}`, "https://bank.test", []string{"text"}, "error: lacks </secret>"},
	} {
		var got loginParams
		call, err := secretAction(t, &got, tt.fields...).Decode([]byte(`{"input":` + tt.args + `}`))
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		deps := Provide(Deps{}, secrets)
		deps = Provide(deps, Page{URL: tt.url})
		res, err := call.Run(t.Context(), deps)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if strings.Contains(fmt.Sprintf("%+v", res), "K7!blue") || strings.Contains(string(call.Args), "K7!blue") {
			t.Errorf("%s: the value shows in %+v or %s", tt.name, res, call.Args)
		}
		if want, isErr := strings.CutPrefix(tt.want, "error: "); isErr {
			if !strings.Contains(res.Error, want) || got.Text != "" {
				t.Errorf("%s: %q, want %q; the handler got %+v", tt.name, res.Error, want, got)
			}
			continue
		}
		if res.Error != "" || got.Text != tt.want {
			t.Errorf("%s: %+v, params %+v", tt.name, res, got)
		}
		switch tt.name {
		case "tag":
			if res.Text != "typed <secret>pass</secret>, really <secret>pass</secret>" {
				t.Errorf("%s: %s", tt.name, res.Text)
			}
		case "bare name":
			if res.Text != "typed <secret>pass</secret>, really <secret>pass</secret>" {
				t.Errorf("%s: %s", tt.name, res.Text)
			}
		case "bare name elsewhere is text":
			if got.Query != "pass" {
				t.Errorf("%s: %+v", tt.name, got)
			}
		case "in a list":
			if got.More[1] != value {
				t.Errorf("%s: %+v", tt.name, got)
			}
		case "deep", "below a named field":
			if got.Deep.Pass != value {
				t.Errorf("%s: %+v", tt.name, got)
			}
		}
	}
}

// The page is the bank's, the frame with the field is not.
func TestSecretsAskTheFrame(t *testing.T) {
	var got loginParams
	m := secretAction(t, &got, "text")
	call, err := m.Decode([]byte(`{"input":{"index":7,"text":"<secret>pass</secret>"}}`))
	if err != nil {
		t.Fatal(err)
	}
	deps := Provide[SecretResolver](Deps{}, set(t, NewSecret("pass", value, "bank.test")))
	deps = Provide(deps, Page{URL: "https://bank.test"})
	asked := ""
	frame, frameErr := "https://ads.test/frame", error(nil)
	deps = Provide(deps, OriginFunc(func(_ context.Context, action string, args json.RawMessage) (string, error) {
		asked = action + " " + string(args)
		return frame, frameErr
	}))
	res, err := call.Run(t.Context(), deps)
	if err != nil || !strings.Contains(res.Error, "may not be used on https://ads.test") || got.Text != "" {
		t.Errorf("%+v %v", res, err)
	}
	if asked != `input {"index":7,"text":"<secret>pass</secret>"}` {
		t.Errorf("asked %s", asked)
	}
	frame = ""
	if res, err := call.Run(t.Context(), deps); err != nil || res.Error != "" || got.Text != value {
		t.Errorf("no frame of its own: %+v %v", res, err)
	}
	frameErr = errors.New("element 7 is gone")
	if res, err := call.Run(t.Context(), deps); err != nil || !strings.Contains(res.Error, "element 7 is gone") {
		t.Errorf("%+v %v", res, err)
	}
}

func TestSecretsWithoutResolver(t *testing.T) {
	var got loginParams
	call, err := secretAction(t, &got, "text").Decode([]byte(`{"input":{"index":1,"text":"<secret>pass</secret>"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := call.Run(t.Context(), Deps{}); err != nil || !strings.Contains(res.Error, "there are none") || got.Text != "" {
		t.Errorf("%+v %v", res, err)
	}
}

// What a handler says in anger holds the value too.
func TestSecretsAreHiddenInErrorsAndPanics(t *testing.T) {
	var log bytes.Buffer
	for name, fn := range map[string]any{
		"error": func(_ context.Context, p loginParams) error {
			return fmt.Errorf("cannot type %q: %w", p.Text, context.Canceled)
		},
		"panic": func(_ context.Context, p loginParams) error { panic("cannot type " + p.Text) },
		"result": func(_ context.Context, p loginParams) (*Result, error) {
			return &Result{Text: p.Text, Memory: p.Text, Effects: []string{"value is now " + p.Text}, Error: p.Text}, nil
		},
	} {
		r := New()
		r.Logger = slog.New(slog.NewTextHandler(&log, nil))
		r.MustAdd(Spec{Name: "input", Description: "Type.", SecretFields: []string{"text"}}, fn)
		res, err := r.Call(t.Context(), "input", []byte(`{"index":1,"text":"pass"}`), Provide(Deps{}, set(t, NewSecret("pass", value))))
		if err != nil {
			t.Fatal(err)
		}
		if all := fmt.Sprintf("%+v %v", res, res.Err); strings.Contains(all, "K7") || !strings.Contains(all, Placeholder("pass")) && !strings.HasSuffix(name, "cut") {
			t.Errorf("%s: %s", name, all)
		}
		if name == "error" && !errors.Is(res.Err, context.Canceled) {
			t.Errorf("%s: the cause is lost: %v", name, res.Err)
		}
	}
	if strings.Contains(log.String(), "K7!blue") {
		t.Errorf("log: %s", &log)
	}
}

// A secret may be longer than what a model may write; nothing is said about it.
func TestSecretPastALimit(t *testing.T) {
	long := strings.Repeat("longvalue", 10)
	var got loginParams
	call, err := secretAction(t, &got, "deep.pass").Decode([]byte(`{"input":{"index":1,"text":"x","deep":{"pass":"<secret>p</secret>"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := call.Run(t.Context(), Provide(Deps{}, set(t, NewSecret("p", long)))); err != nil || res.Error != "" || got.Deep.Pass != long {
		t.Errorf("%+v %v", res, err)
	}
}

func TestRedactor(t *testing.T) {
	r := NewRedactor(NewSecret("short", "abcd"), NewSecret("long", "abcdefgh"), NewSecret("tiny", "123"), NewSecret("odd", value),
		NewSecret("word", "secret"), Secret{Name: "none"})
	asJSON, _ := json.Marshal(value)
	for in, want := range map[string]string{
		"":                              "",
		"nothing here":                  "nothing here",
		"abcdefgh abcd abcdabcdefgh":    "<secret>long</secret> <secret>short</secret> <secret>short</secret><secret>long</secret>",
		"123":                           "123",
		"say " + value:                  "say <secret>odd</secret>",
		"json " + string(asJSON):        `json "<secret>odd</secret>"`,
		`q=K7%21blue%22%5C%26%3C%C3%A9`: "q=<secret>odd</secret>",
		`K7!blue%22%5C%26%3C%C3%A9`:     "<secret>odd</secret>", // encodeURIComponent
		`K7!blue%22%5C&%3C%C3%A9`:       "<secret>odd</secret>", // encodeURI
		`?p=K7!blue%22\&%3C%C3%A9`:      "?p=<secret>odd</secret>",
		`K7!blue&#34;\&amp;&lt;é`:       "<secret>odd</secret>",
		"already <secret>short</secret> a secret": "already <secret>short</secret> a <secret>word</secret>",
	} {
		if got := r.Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if got := r.Redact(r.Redact(in)); got != want {
			t.Errorf("%q twice: %q", in, got)
		}
	}
	var none *Redactor
	var noSecrets *Secrets
	if none.Redact("abcd") != "abcd" || (&Redactor{}).Redact("abcd") != "abcd" || noSecrets.Redact("abcd") != "abcd" {
		t.Error("no secrets, and something changed")
	}
	if noSecrets.Known("x") || noSecrets.Names("https://x.test") != nil {
		t.Error("a nil set knows something")
	}
	if _, err := noSecrets.Resolve(t.Context(), SecretUse{Name: "x"}); err == nil {
		t.Error("a nil set resolves")
	}
}

func TestSecretNames(t *testing.T) {
	s := set(t, NewSecret("everywhere", "v1"), NewSecret("bank", "v2", "bank.test"), NewSecret("bank", "v3", "*.bank.test"))
	for url, want := range map[string]string{
		"":                     "[everywhere]",
		"https://x.test":       "[everywhere]",
		"https://bank.test/":   "[everywhere bank]",
		"https://eu.bank.test": "[everywhere bank]",
	} {
		if got := fmt.Sprint(s.Names(url)); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// FuzzSecrets: whatever the model writes around a placeholder, no text that
// goes back to it holds the value.
func FuzzSecrets(f *testing.F) {
	for _, s := range []string{"<secret>pass</secret>", "pass", "<secret>pas", "<secret><secret>pass</secret></secret>", "x</secret><secret>pass</secret>\x00"} {
		f.Add(s)
	}
	secrets, err := NewSecrets(NewSecret("pass", value))
	if err != nil {
		f.Fatal(err)
	}
	r := New()
	r.MustAdd(Spec{Name: "input", Description: "Type.", SecretFields: []string{"text"}},
		func(_ context.Context, text, other string) (string, error) { return text + other, nil }, Args("text", "other"))
	deps := Provide(Deps{}, secrets)
	f.Fuzz(func(t *testing.T, text string) {
		for _, args := range []map[string]string{{"text": text, "other": ""}, {"text": "", "other": text}} {
			res, err := r.Call(t.Context(), "input", args, deps)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(res.Text+res.Error, "K7!blue") && !strings.Contains(text, "K7!blue") {
				t.Fatalf("%q: %+v", text, res)
			}
		}
	})
}
