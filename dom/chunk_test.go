package dom

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func checkChunks(t *testing.T, text string, limit, overlap int) []Chunk {
	t.Helper()
	cs := Chunks(text, limit, overlap)
	at := 0
	for i, c := range cs {
		if c.Start != at {
			t.Fatalf("chunk %d starts at %d, the one before ended at %d", i, c.Start, at)
		}
		if len(c.Text) > max(limit, 16) {
			t.Fatalf("chunk %d is %d bytes, limit %d", i, len(c.Text), limit)
		}
		if c.Text[c.Lead:] != text[c.Start:c.End] {
			t.Fatalf("chunk %d does not hold its part", i)
		}
		if utf8.ValidString(text) && !utf8.ValidString(c.Text) {
			t.Fatalf("chunk %d cuts a character", i)
		}
		at = c.End
	}
	if at != len(text) {
		t.Fatalf("the parts end at %d of %d", at, len(text))
	}
	return cs
}

func TestChunksFollowEachOtherWithoutGapWithinTheLimit(t *testing.T) {
	table := "| Name | Qty |\n| --- | --- |\n" + strings.Repeat("| a row of it | 5 |\n", 100)
	for _, text := range []string{"", "x", strings.Repeat("ä", 500), strings.Repeat("word ", 400), table, "# A\n\n" + strings.Repeat("line\n", 300) + "\n# B\n\nend"} {
		for _, limit := range []int{16, 50, 200, 100000} {
			for _, overlap := range []int{0, 2, 5} {
				checkChunks(t, text, limit, overlap)
			}
		}
	}
}

func TestTableGoesOnWithItsHeader(t *testing.T) {
	table := "| Name | Qty |\n| --- | --- |\n" + strings.Repeat("| a row of it | 5 |\n", 100)
	for i, c := range checkChunks(t, table, 400, 1) {
		if !strings.HasPrefix(c.Text, "| Name | Qty |\n| --- | --- |\n") {
			t.Errorf("chunk %d begins %q", i, c.Text[:40])
		}
	}
}

func TestChunkAtContinuesToTheEnd(t *testing.T) {
	text := strings.Repeat("Zeile mit Umlaut ü\n", 100)
	var b strings.Builder
	for at := 0; ; {
		c, next := ChunkAt(text, at, 200)
		b.WriteString(c.Text)
		if next == 0 {
			break
		}
		at = next
	}
	if b.String() != text {
		t.Error("reading on loses or repeats text")
	}
	if c, next := ChunkAt(text, len(text)+5, 100); c.Text != "" || next != 0 {
		t.Errorf("past the end: %+v %d", c, next)
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("| a | b |\n| --- | --- |\n| c | d |\n", 20, 2)
	f.Add("# x\n\nlong long\n\n# y", 16, 1)
	f.Fuzz(func(t *testing.T, text string, limit, overlap int) {
		checkChunks(t, text, min(max(limit, 16), 1000), overlap%10)
	})
}
