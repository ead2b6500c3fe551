package dom

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strconv"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// The numbers can be read off a screenshot whatever the page's own colours and
// the device's scale: each stands white on its box's colour, near the box.
func TestMarksAreLegibleOnLightAndDarkPages(t *testing.T) {
	p := pageOf(t, "small")
	for _, scale := range []int{1, 2} {
		for name, back := range map[string]color.RGBA{"light": {255, 255, 255, 255}, "dark": {14, 16, 20, 255}, "red": {0xD6, 0x1F, 0x1F, 255}} {
			t.Run(fmt.Sprintf("%s %dx", name, scale), func(t *testing.T) {
				img := image.NewRGBA(image.Rect(0, 0, p.ViewW*scale, p.ViewH*scale))
				draw.Draw(img, img.Bounds(), image.NewUniform(back), image.Point{}, draw.Src)
				var shot bytes.Buffer
				if err := png.Encode(&shot, img); err != nil {
					t.Fatal(err)
				}
				b, err := DrawMarks(shot.Bytes(), p)
				if err != nil {
					t.Fatal(err)
				}
				marked, err := png.Decode(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				face, err := markFace(float64(scale))
				if err != nil {
					t.Fatal(err)
				}
				seen := 0
				for i := range p.Elements {
					e := &p.Elements[i]
					if e.Index <= 0 || !e.State.Has(InView) {
						continue
					}
					seen++
					col := markColours[e.Index%len(markColours)]
					if !readable(marked, face, e, scale, col) {
						t.Errorf("the number of [%d] cannot be read near %+v", e.Index, e.Bounds)
					}
					if contrast(col, back) < 3 && contrast(color.RGBA{255, 255, 255, 255}, back) < 3 {
						t.Errorf("neither edge of [%d] shows on the page", e.Index)
					}
				}
				if seen < 20 {
					t.Fatalf("%d targets in view", seen)
				}
			})
		}
	}
	for _, c := range markColours {
		if r := contrast(c, color.RGBA{255, 255, 255, 255}); r < 4.5 {
			t.Errorf("white on %v has a contrast of %.1f", c, r)
		}
	}
}

// readable looks for the element's number, pixel by pixel as the font draws
// it, around its box.
func readable(img image.Image, face font.Face, e *Element, scale int, col color.RGBA) bool {
	text := strconv.Itoa(e.Index)
	w, h := font.MeasureString(face, text).Ceil(), face.Metrics().Ascent.Ceil()
	mask := image.NewAlpha(image.Rect(0, 0, w, h))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: face, Dot: fixed.P(0, h)}
	d.DrawString(text)
	r := image.Rect(e.Bounds.X*scale, e.Bounds.Y*scale, (e.Bounds.X+e.Bounds.W)*scale, (e.Bounds.Y+e.Bounds.H)*scale).Inset(-50 * scale).Intersect(img.Bounds())
	top, bottom := h, 0 // rows with ink
	for y := range h {
		for x := range w {
			if mask.AlphaAt(x, y).A > 0 {
				top, bottom = min(top, y), max(bottom, y)
			}
		}
	}
	at := func(x0, y0 int) bool {
		for y := top; y <= bottom; y++ {
			for x := range w {
				got := color.RGBAModel.Convert(img.At(x0+x, y0+y)).(color.RGBA)
				switch mask.AlphaAt(x, y).A {
				case 255:
					if got != (color.RGBA{255, 255, 255, 255}) {
						return false
					}
				case 0:
					if got != col {
						return false
					}
				}
			}
		}
		return true
	}
	for y := r.Min.Y; y < r.Max.Y-h; y++ {
		for x := r.Min.X; x < r.Max.X-w; x++ {
			if at(x, y) {
				return true
			}
		}
	}
	return false
}

// contrast is that of WCAG 2, from 1 to 21.
func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		ch := func(v uint8) float64 {
			f := float64(v) / 255
			if f <= 0.04045 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return 0.2126*ch(c.R) + 0.7152*ch(c.G) + 0.0722*ch(c.B)
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
