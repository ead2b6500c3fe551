package openai_test

import (
	"fmt"
	"strings"
	"testing"
)

func assertNoKey(t *testing.T, vs ...any) {
	t.Helper()
	for _, v := range vs {
		for _, f := range []string{"%v", "%+v", "%#v"} {
			if s := fmt.Sprintf(f, v); strings.Contains(s, "sk-test-key") {
				t.Errorf("%s of %T shows the key: %s", f, v, s)
			}
		}
	}
}
