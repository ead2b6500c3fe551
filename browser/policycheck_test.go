package browser

import (
	"strings"
	"testing"
)

func TestPolicyCheck(t *testing.T) {
	if err := (Policy{}).Check(); err != nil {
		t.Errorf("the zero policy: %v", err)
	}
	if err := (Policy{Allow: []string{"a.test", "*.b.test"}, Schemes: []string{"file"}}).Check(); err != nil {
		t.Errorf("a good policy: %v", err)
	}
	err := Policy{Allow: []string{"http://[bad"}, BlockResources: []string{"a b.test"}, Schemes: []string{"javascript"}}.Check()
	if err == nil {
		t.Fatal("a broken policy: no error")
	}
	for _, w := range []string{"Policy.Allow", "Policy.BlockResources", "Policy.Schemes"} {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not name %s", err, w)
		}
	}
}
