package dom

import (
	"strings"
	"unicode/utf8"
)

// Chunk is a part of a longer Markdown text.
type Chunk struct {
	// Text is what to read: a few lines from before for the connection, then
	// the part. It is never longer than the limit.
	Text string
	// Start and End are the byte offsets of the part in the whole text. The
	// parts of a text follow each other without a gap.
	Start, End int
	// Lead is the length of what Text repeats from before Start: the last
	// lines, and the header of a table that goes on.
	Lead int
}

// DefaultChunk is the limit of a chunk in bytes when none is given.
const DefaultChunk = 100_000

// Chunks cuts Markdown into parts of at most limit bytes (zero is
// DefaultChunk), between blocks where it can: before a heading, at a blank
// line, between lines, and only in one endless line at a space or a character.
// Each but the first repeats up to overlap lines of the one before.
func Chunks(text string, limit, overlap int) []Chunk {
	if limit <= 0 {
		limit = DefaultChunk
	}
	limit = max(limit, 16)
	var out []Chunk
	for start := 0; start < len(text); {
		lead := ""
		if start > 0 {
			lead = leadFor(text, start, limit/4, overlap)
		}
		end := cutPoint(text, start, limit-len(lead))
		out = append(out, Chunk{Text: lead + text[start:end], Start: start, End: end, Lead: len(lead)})
		start = end
	}
	return out
}

// ChunkAt returns the part of at most limit bytes that begins at the offset,
// which is moved to the start of a character, and what a reader continues
// with: the next offset, 0 at the end. An offset past the end gives nothing.
func ChunkAt(text string, offset, limit int) (c Chunk, next int) {
	if limit <= 0 {
		limit = DefaultChunk
	}
	limit = max(limit, 16)
	if offset < 0 {
		offset = 0
	}
	if offset >= len(text) {
		return Chunk{Start: len(text), End: len(text)}, 0
	}
	for offset > 0 && !utf8.RuneStart(text[offset]) {
		offset--
	}
	end := cutPoint(text, offset, limit)
	c = Chunk{Text: text[offset:end], Start: offset, End: end}
	if end < len(text) {
		next = end
	}
	return c, next
}

// cutPoint returns where a part that begins at start and may take room bytes
// ends.
func cutPoint(text string, start, room int) int {
	if len(text)-start <= room {
		return len(text)
	}
	window := text[start : start+room]
	half := len(window) / 2
	if i := strings.LastIndex(window, "\n#"); i >= half {
		return start + i + 1
	}
	if i := strings.LastIndex(window, "\n\n"); i >= half {
		return start + i + 2
	}
	if i := strings.LastIndexByte(window, '\n'); i > 0 {
		return start + i + 1
	}
	if i := strings.LastIndexByte(window, ' '); i >= half {
		return start + i + 1
	}
	end := start + room
	for end > start+1 && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// leadFor returns what the part at start repeats: the header of the table it
// is in the middle of, and the last lines before it, within room bytes.
func leadFor(text string, start, room, overlap int) string {
	lead := ""
	before := text[:start]
	if overlap > 0 && strings.HasSuffix(before, "\n") {
		at := len(before) - 1
		for range overlap {
			i := strings.LastIndexByte(before[:at], '\n')
			if len(before)-(i+1) > room {
				break
			}
			at = max(i, 0)
			lead = before[i+1:]
			if i < 0 {
				break
			}
		}
	}
	if h := tableHeader(text, start); h != "" && len(h)+len(lead) <= room && !strings.Contains(lead, h) {
		lead = h + lead
	}
	return lead
}

// tableHeader returns the header and separator of the table that the line at
// start belongs to, "" when it begins no further row of one.
func tableHeader(text string, start int) string {
	if start >= len(text) || text[start] != '|' || !strings.HasSuffix(text[:start], "\n") {
		return ""
	}
	// Climb to the first line of the table.
	at := start
	for at > 0 {
		i := strings.LastIndexByte(text[:at-1], '\n') + 1
		if i >= len(text) || text[i] != '|' {
			break
		}
		at = i
	}
	if at == start {
		return ""
	}
	one := strings.IndexByte(text[at:], '\n')
	if one < 0 {
		return ""
	}
	two := strings.IndexByte(text[at+one+1:], '\n')
	if two < 0 || !strings.HasPrefix(text[at+one+1:], "| ---") {
		return ""
	}
	end := at + one + 1 + two + 1
	if end > start {
		return ""
	}
	return text[at:end]
}
