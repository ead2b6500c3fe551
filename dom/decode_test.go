package dom

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const wireHead = "W2|tok|3|7|1280|800|2000|0|100|1280|2000|50|40|complete|text/html||0|0|0|1500\nf|-1|0|0|1000|1280|800|0|100|1280|2000|http://a.test/|Title|http://a.test\n"

func TestDecodeReadsWhatTheWalkerWrites(t *testing.T) {
	c, err := Decode([]byte(wireHead +
		"e||1|1|8|9|100|20|4|button|.value|x^by|aria-label|a^nb^^\n" +
		"t|1|640|||-50||Hello|2\n" +
		"e||128||-8|-9|250|180||iframe\n" +
		"f|2|10|20|1000|300|200|0|0|300|200|http://a.test/in|\n" +
		"t|1|128|1|2|-297|-196|inside\n" +
		"x|0|.for|9\n" +
		"g|2|3|4"))
	if err != nil {
		t.Fatal(err)
	}
	p := Build(c, nil, nil)
	if len(p.Elements) != 4 || len(p.Frames) != 2 || p.Scale != 2 || p.Scroll.Top != 100 {
		t.Fatalf("page = %+v", p)
	}
	b := p.Elements[0]
	if b.Index != 1 || b.Value != "x|y" || b.Name != "a b^" || b.control != 9 || b.Text != "Hello" {
		t.Errorf("button = %+v", b)
	}
	if in := p.Elements[3]; in.Frame != 1 || in.Text != "inside" {
		t.Errorf("text in the frame = %+v", in)
	}
	if f := p.Elements[2]; f.Above != 3 || f.Below != 4 {
		t.Errorf("frame element = %+v", f)
	}
}

// What a record shares with its neighbours is told once.
func TestDecodeFillsInWhatIsNotToldAgain(t *testing.T) {
	c, err := Decode([]byte(wireHead +
		"e||1|1|8|9|100|20||a|.href||.bg|red|href|/one?x=1|.t|One\n" +
		"e|2|1|1||30||||a|.href||.bg|=|href|http://b.test/|.t|Two\n" +
		"e|2|1|1||30|||4|a|.href|http://a.test/c/d|href|d\n" +
		"e||128|||||||img|.src||src|/p.png"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range c.records {
		s := fmt.Sprint(r.parent, " ", r.flags, " ", r.x, ",", r.y, ",", r.w, ",", r.h, " ", r.ref, " ", r.tag, r.text)
		for _, a := range c.attrs[r.attr0:r.attr1] {
			s += " " + a.Name + "=" + a.Value
		}
		got = append(got, s)
	}
	want := []string{
		"-1 129 8,9,100,20 1 a .href=http://a.test/one?x=1 .bg=red href=/one?x=1",
		"0 128 8,9,100,20 0 One",
		"0 129 8,39,100,20 2 a .href=http://b.test/ .bg=red href=http://b.test/",
		"2 128 8,39,100,20 0 Two",
		"2 129 8,69,100,20 7 a .href=http://a.test/c/d href=d",
		"-1 0 8,69,100,20 0 img .src=http://a.test/p.png src=/p.png",
	}
	if !slices.Equal(got, want) {
		t.Errorf("records:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDecodeTakesJSONStrings(t *testing.T) {
	c, err := Decode([]byte(`"` + strings.ReplaceAll(wireHead, "\n", `\n`) + `t|||1|2|3|4|a\"b \ud83d\ude00 \ud800 c"`))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.records[0].text; got != "a\"b \U0001F600 \uFFFD c" {
		t.Errorf("text = %q", got)
	}
	if _, err := Decode([]byte(`"=tok3"`)); !errors.Is(err, ErrUnchanged) {
		t.Errorf("unchanged: %v", err)
	}
}

func TestDecodeRefusesNonsense(t *testing.T) {
	for _, s := range []string{"", `""`, "null", "W1|x", "W2|a|1", wireHead + "e|5|||||||0|a", wireHead + "e|-1|||||||0|a", wireHead + "z|1", wireHead + "x|9|a|b", wireHead + "t|||||||a\nt|1||||||b"} {
		if _, err := Decode([]byte(s)); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}

// Whatever comes, nothing panics, the text is valid and within its budget,
// and page text never looks like a target's line.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(wireHead + "e||1|1|8|9|100|20|4|button|.value|x^by|aria-label|a^nb^^\nt|1|640|||-50||Hello|2"))
	f.Add([]byte(wireHead + "e||1|1||||||a|.href||href|/x|.bg|=|.t|Go\ne||2|9999999999|||||img|.src||src|y|.t|"))
	f.Add([]byte(`"W2|t|1|1|1|1|1|0|0|0|0|0|0|||||||0\nf|-1|0\nt|||||||[7]<a>\ud800"`))
	f.Add([]byte("=x"))
	for _, name := range wires(f) {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Decode(data)
		if err != nil {
			return
		}
		p := Build(c, map[string]*Capture{"": c}, nil)
		x := p.Text(TextOptions{Budget: 500, Boxes: BoxesOn})
		if !utf8.ValidString(x.String) {
			t.Error("not valid UTF-8")
		}
		if x.Tokens > 500 {
			t.Errorf("%d tokens of 500", x.Tokens)
		}
		Markdown(c, nil, MarkdownOptions{})
	})
}

// wires lists the captured pages kept as test data.
func wires(t testing.TB) []string {
	names, err := filepath.Glob("testdata/*.wire")
	if err != nil {
		t.Fatal(err)
	}
	return names
}
