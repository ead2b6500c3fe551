package mcpserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// F025: what a client asks for never widens what the server allows.
func TestNarrow(t *testing.T) {
	list := func(s ...string) browser.Policy { return browser.Policy{Allow: s} }
	for _, tt := range []struct {
		name   string
		policy browser.Policy
		asked  []string
		want   []string // nil: refused
	}{
		{"nothing asked", list("a.test"), nil, []string{"a.test"}},
		{"an empty list", list("a.test"), []string{}, []string{"a.test"}},
		{"the same", list("a.test", "b.test"), []string{"b.test"}, []string{"b.test"}},
		{"a part", list("*.a.test"), []string{"x.a.test"}, []string{"x.a.test"}},
		{"more than a part", list("x.a.test"), []string{"*.a.test"}, []string{"x.a.test"}},
		{"everything", list("a.test", "b.test"), []string{"*"}, []string{"a.test", "b.test"}},
		{"another site", list("a.test"), []string{"b.test"}, nil},
		{"a good and a bad one", list("a.test"), []string{"a.test", "b.test"}, nil},
		{"a name that ends alike", list("*.a.test"), []string{"evila.test"}, nil},
		{"a path", list("a.test"), []string{"a.test/shop/*"}, []string{"a.test/shop/*"}},
		{"a path that is not theirs to lose", list("a.test/shop/*"), []string{"a.test"}, []string{"a.test/shop/*"}},
		{"another path", list("a.test/shop/*"), []string{"a.test/admin/*"}, nil},
		{"a scheme", list("https://a.test"), []string{"a.test"}, []string{"https://a.test"}},
		{"the other scheme", list("https://a.test"), []string{"http://a.test"}, nil},
		{"a port", list("a.test:8080"), []string{"a.test"}, []string{"a.test:8080"}},
		{"letter case", list("A.test"), []string{"a.TEST"}, []string{"a.test"}},
		{"no list of the server's", browser.Policy{}, []string{"a.test"}, []string{"a.test"}},
		{"files", browser.Policy{}, []string{"file://localhost/etc"}, nil},
		{"files beside a list", list("*"), []string{"file://a.test/x"}, nil},
		{"a bare scheme", browser.Policy{}, []string{"data:"}, nil},
		{"an address, all open", browser.Policy{}, []string{"127.0.0.1"}, []string{"127.0.0.1"}},
		{"an address, under a star", list("*"), []string{"127.0.0.1"}, nil},
		{"an address spelt otherwise", list("*"), []string{"0x7f.1"}, nil},
		{"a number", list("*"), []string{"2130706433"}, nil},
		{"other digits", list("*"), []string{"①②⑦.⓪.⓪.①"}, nil},
		{"localhost", list("*"), []string{"localhost"}, nil},
		{"a name below it", list("*"), []string{"x.localhost"}, nil},
		{"the server's own address", list("127.0.0.1", "a.test"), []string{"127.0.0.1"}, []string{"127.0.0.1"}},
		{"an address, with a block list", browser.Policy{Block: []string{"b.test"}}, []string{"10.0.0.1"}, nil},
		{"a private one refused outright", browser.Policy{Private: browser.AccessRefuse}, []string{"192.168.0.1"}, nil},
		{"credentials", browser.Policy{}, []string{"a.test@b.test"}, nil},
		{"a star in the middle", browser.Policy{}, []string{"a.*.test"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := narrow(tt.policy, tt.asked)
			if tt.want == nil {
				if err == nil {
					t.Errorf("allowed: %q", got.Allow)
				}
				return
			}
			if err != nil || !slices.Equal(got.Allow, tt.want) {
				t.Errorf("got %q, %v; want %q", got.Allow, err, tt.want)
			}
			if len(tt.asked) > 0 && tt.policy.Private != got.Private && got.Private != browser.AccessRefuse {
				t.Errorf("private addresses: %v became %v", tt.policy.Private, got.Private)
			}
		})
	}
}

// A broken pattern is told when the server starts, not with the first session.
func TestBrokenPolicyIsToldAtTheStart(t *testing.T) {
	for name, p := range map[string]browser.Policy{
		"allow":   {Allow: []string{"http://[bad"}},
		"block":   {Block: []string{"a b.test"}},
		"schemes": {Schemes: []string{"javascript"}},
	} {
		if s, err := New(Config{BrowserConfig: browser.Config{Policy: p}}); err == nil {
			_ = s.Close()
			t.Errorf("%s: no error", name)
		} else if !strings.Contains(err.Error(), "Policy.") {
			t.Errorf("%s: error %q does not name the list", name, err)
		}
	}
}

// Where there are rules, scripts of the model's own are not offered.
func TestEvaluateIsLeftOutWithAPolicy(t *testing.T) {
	for name, tc := range map[string]struct {
		policy browser.Policy
		want   bool
	}{"none": {browser.Policy{}, true}, "empty lists": {browser.Policy{Allow: []string{}, Block: []string{}}, true}, "a list": {browser.Policy{Allow: []string{"a.test"}}, false}, "no addresses": {browser.Policy{NoAddresses: true}, false}} {
		s, err := New(Config{BrowserConfig: browser.Config{Policy: tc.policy}})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(s.reg.Compile(registry.Page{}).Names(), "evaluate"); got != tc.want {
			t.Errorf("policy %s: evaluate is offered: %t, want %t", name, got, tc.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// No spelling of the parameters gets a session past the flags.
func TestPolicyHolds(t *testing.T) {
	url := site(t)
	host := strings.TrimPrefix(url, "http://")
	elsewhere := site(t)
	script := llmtest.NewScript()
	script.Func = func(int, *llmRequest) llmtest.Answer {
		return llmtest.Text(`{"memory":"x","action":[{"navigate":{"url":"` + elsewhere + `/"}}]}`)
	}
	c := connect(t, start(t, Config{
		LLM: script, Agent: flash(), MaxSteps: 2,
		BrowserConfig: browser.Config{Policy: browser.Policy{Allow: []string{host}}},
	}))
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	refused(t, c, "browser_navigate", args{"url": elsewhere}, "policy")
	refused(t, c, "browser_navigate", args{"url": url + "/away"}, "policy")
	refused(t, c, "browser_navigate", args{"url": "file:///etc/passwd"}, "policy")
	for _, domains := range []any{nil, []string{}, []string{host}, []string{" "}} {
		a := args{"task": "Go elsewhere", "new_session": true, "use_vision": false}
		if domains != nil {
			a["allowed_domains"] = domains
		}
		res := call(t, c, "run_task", a)
		if got := text(res); !res.IsError || !strings.Contains(toJSON(t, res.StructuredContent), "blocked by policy") {
			t.Errorf("allowed_domains %v: %s", domains, got)
		}
	}
	for _, domains := range [][]string{{"*.elsewhere.test"}, {host, strings.TrimPrefix(elsewhere, "http://")}} {
		refused(t, c, "run_task", args{"task": "Go elsewhere", "allowed_domains": domains}, "not among the sites")
	}
	// The narrower list of one task is not that of the next call.
	ok(t, c, "browser_navigate", args{"url": url + "/item"})
}
