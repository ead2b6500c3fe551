package mcpserver

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestAFormIsFilled(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	if got := ok(t, c, "browser_navigate", args{"url": url + "/form"}); len(got) > 300 || !strings.Contains(got, "/form") {
		t.Errorf("navigate said %q", got)
	}
	state := ok(t, c, "browser_state", nil)
	t.Log(state)
	name, greet := index(t, state, "<input"), index(t, state, "Greet")
	ok(t, c, "browser_input", args{"index": name, "text": "Ann"})
	got := ok(t, c, "browser_click", args{"index": greet, "state": true})
	t.Log(got)
	if !strings.Contains(got, "Hello Ann") {
		t.Errorf("the state after the click lacks what it did: %s", got)
	}
	if strings.Contains(got, "A line that does not change") && strings.Count(got, "A line that does not change") > 5 {
		t.Errorf("the state after the click is no difference: %s", got)
	}
}

func TestPicturesAreImages(t *testing.T) {
	url := site(t)
	c := connect(t, start(t, Config{}))
	ok(t, c, "browser_navigate", args{"url": url + "/form"})
	for _, a := range []args{{}, {"full_page": true}, {"marks": true}} {
		res := call(t, c, "browser_screenshot", a)
		if res.IsError || len(res.Content) != 1 {
			t.Fatalf("%v: %v", a, text(res))
		}
		img, ok := res.Content[0].(*sdk.ImageContent)
		if !ok || img.MIMEType != "image/png" {
			t.Fatalf("%v: %T", a, res.Content[0])
		}
		if _, err := png.DecodeConfig(bytes.NewReader(img.Data)); err != nil {
			t.Errorf("%v: %v", a, err)
		}
	}
	refused(t, c, "browser_screenshot", args{"marks": true, "full_page": true}, "full_page")
}
