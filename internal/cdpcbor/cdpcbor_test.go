package cdpcbor

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"
)

// envelope puts bytes given in hex into an envelope.
func envelope(t testing.TB, hexBytes string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(hexBytes, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	b, at := begin(nil)
	if b, err = end(append(b, raw...), at); err != nil {
		t.Fatal(err)
	}
	return b
}

func readJSON(b []byte) (string, error) {
	r := &reader{b: b}
	out, err := r.json(nil, 0)
	if err == nil && r.pos != len(b) {
		err = errors.New("bytes are left")
	}
	return string(out), err
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"00", "0"}, {"17", "23"}, {"1818", "24"}, {"190100", "256"}, {"1a7fffffff", "2147483647"},
		{"20", "-1"}, {"3818", "-25"}, {"3a7fffffff", "-2147483648"},
		{"f4", "false"}, {"f5", "true"}, {"f6", "null"},
		{"fb3ff8000000000000", "1.5"},
		{"fb4279a9b1c0000000", "1763538894848"}, // whole: fields of type int64 read it
		{"fb3e7ad7f29abcaf48", "1e-07"},
		{"fb7ff8000000000000", "null"}, {"fbfff0000000000000", "null"}, {"fb8000000000000000", "-0"},
		{"60", `""`}, {"6161", `"a"`}, {"6322 5c 0a", `"\"\\\n"`}, {"6101", `"\u0001"`}, {"62c3a9", `"é"`}, {"61ff", `"�"`},
		{"42e900", `"é"`},            // UTF-16
		{"443dd800de", `"😀"`},        // a pair
		{"423dd8", `"�"`},            // half of one
		{"443dd86100", `"�a"`},       // half of one before a letter
		{"4100", `""`},               // half a unit
		{"d643010203", `"AQID"`},     // binary
		{"9fff", `[]`},               // array
		{"bfff", `{}`},               // map
		{"9f0102ff", `[1,2]`},        // without envelope
		{"bf616101ff", `{"a":1}`},    //
		{"bf42e90001ff", `{"é":1}`},  // a key in UTF-16
		{"d85a00000002 9fff", `[]`},  // the envelope of older Chromes
		{"d8185a00000002bfff", `{}`}, // and of newer ones
	} {
		raw, err := hex.DecodeString(strings.ReplaceAll(c.in, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readJSON(raw); err != nil || got != c.want {
			t.Errorf("%s is read as %s, %v; want %s", c.in, got, err, c.want)
		}
	}
}

func TestBadValues(t *testing.T) {
	for _, in := range []string{
		"", "18", "1a0000", "61", "7b8000000000000000", "9f", "9f01", "bf", "bf6161", "bf01", "bf0101ff", "fb00", "d6", "d60161", "d6f6",
		"1c", "1f", "3bffffffffffffffff", "d8", "d818", "d8185a", "d8185a00000005bfff", "d8185affffffff", "d81800", "c1", "f7",
		strings.Repeat("9f", maxDepth+5),
	} {
		raw, err := hex.DecodeString(in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readJSON(raw); err == nil {
			t.Errorf("%s is read as %s", in, got)
		}
	}
}

// What goes out is read back as what it was.
func TestThereAndBack(t *testing.T) {
	for _, in := range []string{
		`{}`, `[]`, `null`, `true`, `0`, `-1`, `2147483647`, `-2147483648`, `2147483648`, `9007199254740991`, `0.1`, `"x"`, `"\u00e9 \ud83d\ude00 \"q\" \\ \n"`,
		`{"a":[1,{"b":null},[[]]],"c":"` + strings.Repeat("x", 70_000) + `","d":{"e":-24.5}}`,
	} {
		var d jsonv2.Decoder
		d.Reset(strings.NewReader(in), chromedp.DefaultUnmarshalOptions)
		b, err := appendJSON(nil, &d, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readJSON(b)
		if err != nil {
			t.Fatal(err)
		}
		var want, have any
		if json.Unmarshal([]byte(in), &want) != nil || json.Unmarshal([]byte(got), &have) != nil || !reflect.DeepEqual(want, have) {
			t.Errorf("%.80s came back as %.80s", in, got)
		}
	}
}

// pipes is a Conn and the other ends of its pipes.
func pipes(t *testing.T) (c *Conn, in io.WriteCloser, out io.Reader) {
	t.Helper()
	r, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c = New(r, w)
	t.Cleanup(func() { _, _ = c.Close(), in.Close() })
	return c, in, out
}

func TestMessages(t *testing.T) {
	c, in, out := pipes(t)
	sent := &cdproto.Message{ID: 70_000, SessionID: "S1", Method: "Page.navigate", Params: jsonv2.Value(`{"url":"http://a.test/"}`)}
	if err := c.Write(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1000)
	n, err := out.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readJSON(buf[:n]); err != nil || got != `{"id":70000,"method":"Page.navigate","sessionId":"S1","params":{"url":"http://a.test/"}}` {
		t.Errorf("Chrome gets %s, %v", got, err)
	}

	event := envelope(t, "bf 666d6574686f64 63412e62 69736573 73696f6e4964 6153 66706172616d73 d8185a00000005 bf616101ff ff")
	answer := envelope(t, "bf 626964 07 66726573756c74 bfff ff")
	failure := envelope(t, "bf 626964 08 656572726f72 bf 64636f6465 3a00007cff 676d657373616765 626e6f ff 6161 bf617801ff ff")
	if _, err := in.Write(bytes.Join([][]byte{event, answer, failure}, nil)); err != nil {
		t.Fatal(err)
	}
	for i, want := range []cdproto.Message{
		{Method: "A.b", SessionID: "S", Params: jsonv2.Value(`{"a":1}`)},
		{ID: 7, Result: jsonv2.Value(`{}`)},
		{ID: 8, Error: &cdproto.Error{Code: -32000, Message: "no"}},
	} {
		var got cdproto.Message
		if err := c.Read(t.Context(), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("message %d is %+v, %v; want %+v", i, got, err, want)
		}
	}
	if _, err := in.Write(event[:len(event)-3]); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	if err := c.Read(t.Context(), new(cdproto.Message)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a message: %v", err)
	}
	if err := c.Read(t.Context(), new(cdproto.Message)); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
}

func TestCloseEndsRead(t *testing.T) {
	c, _, _ := pipes(t)
	done := make(chan error)
	go func() { done <- c.Read(t.Context(), new(cdproto.Message)) }()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("a read of a closed connection ends without an error")
	}
	if err := c.Write(t.Context(), &cdproto.Message{ID: 1, Method: "A.b"}); err == nil {
		t.Error("a write to a closed connection does not fail")
	}
}

func TestMessageOfNoUse(t *testing.T) {
	c, in, _ := pipes(t)
	for _, b := range [][]byte{[]byte(`{"id":1,"result":{}}`), envelope(t, "9fff"), envelope(t, "bf 626964 6178 ff")} {
		if _, err := in.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := c.Read(t.Context(), new(cdproto.Message)); err == nil {
			t.Errorf("%q is read without an error", b)
		}
		c.br.Reset(c.r)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(envelope(f, "bf 626964 07 66726573756c74 d8185a00000002bfff ff"))
	f.Add(envelope(f, "bf 656572726f72 bf 64636f6465 01 ff ff"))
	f.Add([]byte{initialMap, 0x61, 'x', initialBase64, 0x42, 1, 2, initialStop})
	f.Fuzz(func(t *testing.T, b []byte) {
		_ = decode(b, new(cdproto.Message))
		if out, err := readJSON(b); err == nil && !json.Valid([]byte(out)) {
			t.Errorf("%x is read as %q", b, out)
		}
	})
}

func BenchmarkReadLong(b *testing.B) {
	msg := &cdproto.Message{ID: 1, Params: jsonv2.Value(`{"value":"` + strings.Repeat("e|12|640|0|12|53|305\\n", 50_000) + `"}`)}
	raw, err := encode(nil, new(jsonv2.Decoder), msg)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if err := decode(raw[7:], new(cdproto.Message)); err != nil {
			b.Fatal(err)
		}
	}
}
