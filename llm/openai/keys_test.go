package openai_test

import (
	"fmt"
	"io"
	"net/http"
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

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func readAll(t *testing.T, r *http.Request) []byte {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return b
}
