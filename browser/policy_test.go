package browser

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// The rules of the reference implementation's tests, row by row. A row whose
// answer differs here says why.
var policyTable = []struct {
	policy Policy
	allow  string // URLs, separated by spaces
	refuse string
	why    string // the reason when the answer is not the reference's
}{
	{Policy{Allow: []string{"example.com"}},
		"https://user:password@example.com https://www.example.com https://EXAMPLE.com.:443/x about:blank",
		`https://example.com:password@malicious.com https://example.com@malicious.com https://example.com%20@malicious.com
		https://example.com%3A@malicious.com https://mail.example.com https://notexample.com https://www.notexample.com
		https://example.com.evil.test/ https://evil.test/?x=example.com https://evil.test/#example.com https:/\evil.test/example.com`, ""},
	{Policy{Allow: []string{"*.example.com"}},
		"https://example.com https://www.example.com https://sub.example.com http://deep.sub.example.com/a",
		"https://notexample.com https://example.org https://evil.test/?x=.example.com https://evil.test/x.example.com", ""},
	{Policy{Allow: []string{"*.google.com", "https://wiki.org", "https://good.com", "https://*.test.com", "chrome://version", "brave://*"}},
		`https://google.com https://www.google.com https://wiki.org https://wiki.org/path https://www.test.com chrome://version
		brave://anything/ about:blank chrome://newtab/ chrome://new-tab-page chrome://new-tab-page/`,
		`https://evilgood.com http://wiki.org chrome://google.com chrome://abc.google.com chrome://settings
		chrome-extension://version/ https://www.testx.com https://wiki.org.evil.com https://wiki.org@evil.com
		https://google.com@evil.com https://good.com%00@evil.com`, ""},
	{Policy{Allow: []string{"*.google.com", "*.google.co.uk"}},
		"https://mail.google.co.uk", "https://www.google.evil.com https://mygoogle.company.com", ""},
	{Policy{Allow: []string{"example.co.uk", "example.com.au", "example.co.jp"}},
		"https://example.co.uk https://example.com.au https://example.co.jp", "https://mail.example.co.uk", ""},
	{Policy{Allow: []string{"example.co.uk"}}, "https://www.example.co.uk", "",
		"the reference counts dots and so leaves the www name out here only; a registrable name has its www name everywhere"},
	{Policy{Allow: []string{"mail.example.com"}},
		"https://mail.example.com", "https://www.mail.example.com https://example.com", ""},
	{Policy{Allow: []string{"https://example.com", "http://test.org"}},
		"https://example.com https://example.com/any/path http://test.org/x?y=z", "https://www.example.com http://www.test.org http://example.com", ""},
	{Policy{Block: []string{"example.com"}},
		"https://mail.example.com https://notexample.com https://example.com@malicious.com",
		"https://example.com https://www.example.com https://WWW.EXAMPLE.com https://user:password@example.com https://example.com.", ""},
	{Policy{Block: []string{"*.example.com"}},
		"https://example.org", "https://example.com https://www.example.com https://mail.example.com", ""},
	{Policy{Block: []string{"*.example.com"}}, "", "chrome://abc.example.com",
		"a scheme that shows the browser or the machine is refused unless it is listed, with or without a block list"},
	{Policy{Block: []string{"https://wiki.org", "brave://*"}},
		"http://wiki.org", "https://wiki.org/path brave://anything/", ""},
	{Policy{Block: []string{"https://wiki.org"}}, "", "chrome://settings", "as above"},
	{Policy{Block: []string{"*"}}, "about:blank chrome://newtab/ chrome://new-tab-page", "https://example.com", ""},
	{Policy{Allow: []string{"*.example.com"}, Block: []string{"https://example.com"}},
		"https://api.example.com https://www.example.com", "", ""},
	{Policy{Allow: []string{"*.example.com"}, Block: []string{"https://example.com"}},
		"", "https://example.com/", "the reference ignores Block when Allow is set; a list that is ignored is a hole"},
	{Policy{NoAddresses: true, Private: AccessAllow},
		`http://localhost http://localhost:8080 http://example123.com http://123example.com http://127.0.0.1.evil.com
		http://2130706433.evil.com`,
		`http://192.168.1.1:8080/x http://8.8.8.8/ http://127.0.0.1/ http://[::1]/ http://[0:0:0:0:0:0:0:1]:80/ ftp://8.8.8.8/
		http://2130706433/ http://3232235521/ http://0x7f000001/ http://0x7F.0x0.0x0.0x1/ http://0177.0.0.1/ http://127.1/
		http://127.0.1/ http://10.1/ http://%31%32%37.0.0.1/ http://１２７.0.0.1/ http://①②⑦.0.0.1/ http://127。0。0。1/
		http://127｡0｡0｡1/ http://127．0．0．1/ not-a-url http:// ://example.com http://999.999.999.999/ http://1.2.3.4.5/`,
		"999.999.999.999 and 1.2.3.4.5 are no hosts to a browser either: it does not load them, the reference allows them"},
	{Policy{NoAddresses: true, Allow: []string{"example.com", "192.168.1.1"}}, "http://example.com", "http://192.168.1.1", ""},
	{Policy{NoAddresses: true, Allow: []string{"http*://*"}}, "http://example.com", "http://2130706433", ""},
	{Policy{Block: []string{"8.8.8.8"}, Private: AccessAllow}, "http://192.168.1.1", "http://8.8.8.8 http://134744072/", ""},
	// Without a list the web is open, and only the web.
	{Policy{}, "https://anything.test http://192.168.1.1/ http://localhost:3000/ data:text/html,x blob:https://a.test/1",
		"file:///etc/passwd chrome://settings javascript:alert(1) view-source:http://a.test/ not-a-url bare about:config", ""},
	{Policy{Schemes: []string{"file"}}, "file:///tmp/page.html", "chrome://version", ""},
	{Policy{Allow: []string{"a.test"}}, "about:blank",
		"data:text/html,<h1>x blob:https://a.test/1 blob:https://evil.test/1 javascript:alert(1) file:///etc/passwd", ""},
	{Policy{Allow: []string{"a.test"}, Schemes: []string{"data:", "blob"}},
		"data:text/html,x blob:https://a.test/1", "blob:https://evil.test/1", ""},
	{Policy{Allow: []string{"bücher.test"}}, "https://xn--bcher-kva.test/ https://BÜCHER.test/", "https://bucher.test", ""},
	// A list closes the machine and its network, in every spelling.
	{Policy{Block: []string{"evil.test"}}, "http://8.8.8.8/ http://[2606:4700::1111]/ http://127.0.0.1.evil2.test/",
		`http://127.0.0.1/ http://localhost/ http://LOCALHOST./ http://a.localhost/ http://169.254.169.254/latest http://10.0.0.1/
		http://172.16.0.1/ http://192.168.0.1/ http://100.100.100.200/ http://0.0.0.0/ http://0/ http://2130706433/ http://0x7f.1/
		http://0177.1/ http://[::1]/ http://[::ffff:7f00:1]/ http://[::ffff:169.254.169.254]/ http://[fe80::1]/ http://[fd00:ec2::254]/
		http://[64:ff9b::7f00:1]/ http://[2002:7f00:1::]/ http://１２７.0.0.1/ http://printer.local/ http://255.255.255.255/ http://224.0.0.1/
		http://[::127.0.0.1]/ http://[::]/`, ""},
	{Policy{Private: AccessRefuse}, "https://example.com", "http://localhost:9222/json http://127.1/", ""},
	{Policy{Allow: []string{"localhost:3000", "http://192.168.1.1"}},
		"http://localhost:3000/x http://192.168.1.1/ http://3232235777/", "http://localhost:3001/ http://192.168.1.2/ http://127.0.0.1:3000/", ""},
	{Policy{Allow: []string{"*"}}, "https://a.test", "http://127.0.0.1/ http://localhost/", ""},
	{Policy{Allow: []string{"https://shop.test/admin/*"}},
		"https://shop.test/admin https://shop.test/admin/x/y",
		"https://shop.test/ https://shop.test/administrator https://shop.test/admin/../secret https://shop.test/%61dmin/%2e%2e/secret", ""},
}

func TestPolicyTable(t *testing.T) {
	for i, row := range policyTable {
		p, err := newPolicy(row.policy)
		if err != nil {
			t.Errorf("row %d: %v", i, err)
			continue
		}
		for _, u := range strings.Fields(row.allow) {
			if err := p.document(u); err != nil {
				t.Errorf("row %d: %s is refused (%s); want allowed; %+v", i, u, err.Rule, row.policy)
			}
		}
		for _, u := range strings.Fields(row.refuse) {
			err := p.document(u)
			if err == nil {
				t.Errorf("row %d: %s is allowed; want refused; %+v", i, u, row.policy)
				continue
			}
			if !errors.Is(err, ErrBlocked) || err.Rule == "" {
				t.Errorf("row %d: %s: the error names no rule: %v", i, u, err)
			}
		}
	}
	p, _ := newPolicy(Policy{NoAddresses: true, Private: AccessAllow})
	for _, u := range []string{"", "http://%", "http://%zz/", "http://%2/", "http://\xed\xa0\x80/", "://"} {
		if p.document(u) == nil {
			t.Errorf("%q is allowed", u)
		}
	}
}

// Patterns keep working however many there are (the reference turns a list of
// a hundred into a set of names, silently).
func TestPolicyListOfManyPatterns(t *testing.T) {
	var hosts []string
	for i := range 10_000 {
		hosts = append(hosts, fmt.Sprintf("*.site%d.test", i))
	}
	p, err := newPolicy(Policy{Allow: hosts})
	if err != nil {
		t.Fatal(err)
	}
	if p.document("https://a.b.site9999.test/") != nil || p.document("https://site10000.test/") == nil {
		t.Fatal("a long list matches wrongly")
	}
}

func TestPolicyMistakesAreReportedTogether(t *testing.T) {
	_, err := newPolicy(Policy{Allow: []string{"shop.*", "*.com", "ok.test"}, Schemes: []string{"javascript"}})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range []string{"shop.*", "*.com", "javascript", "Policy.Allow"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
	if _, err := New(testContext(t), Config{Policy: Policy{Block: []string{"a b"}}}); err == nil {
		t.Error("a session starts with a broken policy")
	}
}

func TestPolicyForResourcesAndConnections(t *testing.T) {
	p, err := newPolicy(Policy{
		Allow: []string{"shop.test"}, AllowResources: []string{"https://cdn.test/lib/*"},
		BlockResources: []string{"track.test", "https://cdn.test/lib/spy/*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]bool{
		"https://shop.test/a.js": true, "https://cdn.test/lib/a.js": true, "data:image/png;base64,": true,
		"https://cdn.test/other.js": false, "https://cdn.test/lib/spy/x": false, "https://track.test/": false,
		"wss://else.test/": false, "http://169.254.169.254/": false,
	} {
		if got := p.resource(u) == nil; got != want {
			t.Errorf("resource %s: allowed = %v", u, got)
		}
	}
	for hp, want := range map[string]bool{
		"shop.test:443": true, "cdn.test:443": true, "track.test:443": false, "else.test:80": false,
		"127.0.0.1:80": false, "[::1]:443": false, "localhost:80": false,
	} {
		if got := p.connect(hp) == nil; got != want {
			t.Errorf("connect %s: allowed = %v", hp, got)
		}
	}
	if p.resolved("shop.test", netip.MustParseAddr("10.0.0.7")) == nil || p.resolved("shop.test", netip.MustParseAddr("9.9.9.9")) != nil {
		t.Error("what a name leads to is judged wrongly")
	}
}

func FuzzPolicyDocument(f *testing.F) {
	for _, row := range policyTable {
		for _, u := range strings.Fields(row.allow + " " + row.refuse) {
			f.Add(u)
		}
	}
	p, err := newPolicy(Policy{Allow: []string{"example.com", "*.shop.test"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if p.document(raw) != nil {
			return
		}
		// What is allowed must name an allowed host somewhere at least.
		low := strings.ToLower(raw)
		if !isBlank(raw) && !strings.Contains(low, "example") && !strings.Contains(low, "shop") &&
			!strings.ContainsFunc(raw, func(r rune) bool { return r >= 0x80 || r == '%' || r == '\t' || r == '\n' || r == '\r' }) {
			t.Fatalf("%q is allowed", raw)
		}
	})
}

// Lists that are empty set no rule, nil or not; everything else does.
func TestPolicyIsZero(t *testing.T) {
	none := []string{}
	for name, p := range map[string]Policy{
		"the zero value": {}, "empty lists": {Allow: none, Block: none, AllowResources: none, BlockResources: none, Schemes: none},
	} {
		if !p.IsZero() {
			t.Errorf("%s: %+v counts as a policy", name, p)
		}
	}
	one := []string{"a.test"}
	for name, p := range map[string]Policy{
		"Allow": {Allow: one}, "Block": {Block: one}, "AllowResources": {AllowResources: one}, "BlockResources": {BlockResources: one},
		"Schemes": {Schemes: []string{"file"}}, "Private allowed": {Private: AccessAllow}, "Private refused": {Private: AccessRefuse}, "NoAddresses": {NoAddresses: true},
	} {
		if p.IsZero() {
			t.Errorf("%s is set and counts for nothing", name)
		}
	}
}
