package jsonout_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"testing/iotest"

	"github.com/seed-4bdb41d0/webhand/llm/internal/jsonout"
)

func body(text string, images ...[]byte) *jsonout.Body {
	w := jsonout.New(16)
	w.Open('{')
	w.StrField("text", text)
	w.IntField("n", -7)
	w.FloatField("f", 0)
	w.StrsField("list", []string{"a", "b"})
	w.Key("images")
	w.Open('[')
	for _, img := range images {
		w.Comma()
		w.Open('{')
		w.Base64Field("data", "", img)
		w.Close('}')
	}
	w.Close(']')
	w.RawField("raw", []byte(`{"x":[]}`))
	w.Close('}')
	return w.Body()
}

func check(t *testing.T, text string, images ...[]byte) {
	t.Helper()
	b := body(text, images...)
	whole, err := io.ReadAll(b.Reader())
	if err != nil || int64(len(whole)) != b.Len() {
		t.Fatalf("%d bytes of %d, %v", len(whole), b.Len(), err)
	}
	for name, r := range map[string]io.Reader{"one byte": iotest.OneByteReader(b.Reader()), "half": iotest.HalfReader(b.Reader())} {
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("%s at a time: %v, differs", name, err)
		}
	}
	var v struct {
		Text   string
		N      int
		F      *float64
		List   []string
		Images []struct{ Data []byte }
		Raw    json.RawMessage
	}
	if err := json.Unmarshal(whole, &v); err != nil {
		t.Fatalf("%v: %s", err, whole)
	}
	if v.Text != string(bytes.ToValidUTF8([]byte(text), []byte("\ufffd"))) && bytes.Equal([]byte(text), bytes.ToValidUTF8([]byte(text), nil)) {
		t.Errorf("text %q", v.Text)
	}
	if v.N != -7 || v.F == nil || len(v.List) != 2 || len(v.Images) != len(images) || string(v.Raw) != `{"x":[]}` {
		t.Errorf("got %+v", v)
	}
	for i, img := range images {
		if !bytes.Equal(v.Images[i].Data, img) {
			t.Errorf("image %d differs", i)
		}
	}
}

func TestBodyIsReadInAnyPieces(t *testing.T) {
	check(t, "plain")
	check(t, "quotes \" \\ \n \u2028 \xff <b>", []byte{}, []byte{1}, []byte{1, 2}, []byte{1, 2, 3}, bytes.Repeat([]byte{9}, 100_001))
}

func FuzzBody(f *testing.F) {
	f.Add("a\x00b", []byte("x"), []byte("yz"))
	f.Fuzz(func(t *testing.T, text string, a, b []byte) { check(t, text, a, b) })
}
