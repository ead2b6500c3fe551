package report

import (
	"image"
	"image/color"
	"strings"
	"sync"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v3"
	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface draws text of one size: an embedded outline font for what it has,
// and an embedded bitmap font, enlarged by a whole factor, for the rest
// (Chinese, Japanese, Korean and other scripts).
type typeface struct {
	outline font.Face
	size    int // pixels
	factor  int // of the bitmap font, whose glyphs are 12 pixels wide
}

var (
	parsedFont = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gomedium.TTF) })
	// bitmapMu guards the bitmap font, whose glyph cache is shared.
	bitmapMu sync.Mutex
)

const bitmapAscent = 10 // of the 13-pixel cell of the bitmap font

func newTypeface(size int) (*typeface, error) {
	f, err := parsedFont()
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, err
	}
	return &typeface{outline: face, size: size, factor: max(1, (size+4)/13)}, nil
}

func (t *typeface) lineHeight() int { return t.size * 14 / 10 }

func (t *typeface) hasOutline(r rune) bool {
	f, err := parsedFont()
	if err != nil {
		return false
	}
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	return err == nil && i != 0
}

// advance is the width of a rune in pixels.
func (t *typeface) advance(r rune) int {
	if t.hasOutline(r) {
		a, ok := t.outline.GlyphAdvance(r)
		if ok {
			return a.Round()
		}
	}
	bitmapMu.Lock()
	defer bitmapMu.Unlock()
	a, ok := bitmapfont.Face.GlyphAdvance(r)
	if !ok {
		return 0
	}
	return a.Round() * t.factor
}

func (t *typeface) width(s string) int {
	w := 0
	for _, r := range s {
		w += t.advance(r)
	}
	return w
}

// draw writes one line with its baseline at y and returns where it ended.
func (t *typeface) draw(dst draw.Image, x, y int, s string, c color.Color) int {
	src := image.NewUniform(c)
	for _, r := range s {
		if t.hasOutline(r) {
			d := font.Drawer{Dst: dst, Src: src, Face: t.outline, Dot: fixed.P(x, y)}
			d.DrawString(string(r))
		} else {
			t.drawBitmap(dst, x, y, r, src)
		}
		x += t.advance(r)
	}
	return x
}

func (t *typeface) drawBitmap(dst draw.Image, x, y int, r rune, src image.Image) {
	bitmapMu.Lock()
	dr, mask, maskp, _, ok := bitmapfont.Face.Glyph(fixed.P(0, bitmapAscent), r)
	if !ok {
		bitmapMu.Unlock()
		return
	}
	glyph := image.NewAlpha(image.Rect(0, 0, dr.Dx(), dr.Dy()))
	draw.Draw(glyph, glyph.Bounds(), mask, maskp, draw.Src)
	bitmapMu.Unlock()
	big := image.NewAlpha(image.Rect(0, 0, dr.Dx()*t.factor, dr.Dy()*t.factor))
	draw.NearestNeighbor.Scale(big, big.Bounds(), glyph, glyph.Bounds(), draw.Src, nil)
	at := image.Pt(x+dr.Min.X*t.factor, y+(dr.Min.Y-bitmapAscent)*t.factor)
	draw.DrawMask(dst, big.Bounds().Add(at), src, image.Point{}, big, image.Point{}, draw.Over)
}

// wrap breaks text into lines no wider than width, at spaces where there are
// any and between the characters of scripts that use none. What does not fit
// into maxLines is cut and marked.
func (t *typeface) wrap(s string, width, maxLines int) []string {
	var lines []string
	line, lineW := "", 0
	flush := func() {
		lines = append(lines, strings.TrimRight(line, " "))
		line, lineW = "", 0
	}
	for _, word := range breakable(clean(s)) {
		if word == "\n" {
			flush()
			continue
		}
		w := t.width(word)
		if lineW > 0 && lineW+t.width(strings.TrimRight(word, " ")) > width {
			flush()
		}
		for w > width { // a word longer than the line
			n, nw := 0, 0
			for i, r := range word {
				a := t.advance(r)
				if nw+a > width && i > 0 {
					break
				}
				nw += a
				n = i + len(string(r))
			}
			line, lineW = word[:n], nw
			flush()
			word = word[n:]
			w = t.width(word)
		}
		line += word
		lineW += w
	}
	if line != "" {
		flush()
	}
	if len(lines) > maxLines {
		last := lines[maxLines-1]
		for last != "" && t.width(last+"...") > width {
			r := []rune(last)
			last = string(r[:len(r)-1])
		}
		lines = append(lines[:maxLines-1:maxLines-1], last+"...")
	}
	return lines
}

// breakable splits text into pieces between which a line may end.
func breakable(s string) []string {
	var out []string
	start := 0
	rs := []rune(s)
	for i, r := range rs {
		if r == '\n' {
			if i > start {
				out = append(out, string(rs[start:i]))
			}
			out = append(out, "\n")
			start = i + 1
			continue
		}
		endsHere := r == ' ' || isIdeographic(r) || i+1 < len(rs) && isIdeographic(rs[i+1])
		if endsHere && (i+1 >= len(rs) || !isClosing(rs[i+1])) {
			out = append(out, string(rs[start:i+1]))
			start = i + 1
		}
	}
	if start < len(rs) {
		out = append(out, string(rs[start:]))
	}
	return out
}

func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

// isClosing reports whether a line must not begin with r.
func isClosing(r rune) bool {
	return strings.ContainsRune(".,;:!?)]}\u3001\u3002\uff0c\uff0e\uff01\uff1f\uff1b\uff1a\uff09\u300d\u300f", r)
}

// clean drops what cannot be drawn: control and zero-width characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}
