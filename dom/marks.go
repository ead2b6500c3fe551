package dom

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// markColours are told apart on light and dark pages; every box has a dark
// and a light edge besides.
var markColours = []color.RGBA{
	{0xD6, 0x1F, 0x1F, 0xFF}, {0x1A, 0x56, 0xDB, 0xFF}, {0x0B, 0x7A, 0x3B, 0xFF}, {0x8A, 0x2B, 0xC2, 0xFF},
	{0xB4, 0x53, 0x09, 0xFF}, {0x0E, 0x74, 0x90, 0xFF}, {0xBE, 0x12, 0x7A, 0xFF}, {0x4D, 0x5B, 0x0A, 0xFF},
}

// DrawMarks draws a numbered box around every target of the page that is in
// view onto a screenshot of the viewport, a PNG or JPEG at any device scale,
// and returns it in the same format.
func DrawMarks(screenshot []byte, p *Page) ([]byte, error) {
	src, format, err := image.Decode(bytes.NewReader(screenshot))
	if err != nil {
		return nil, fmt.Errorf("dom: draw marks: %w", err)
	}
	img, ok := src.(*image.RGBA)
	if !ok {
		img = image.NewRGBA(src.Bounds())
		draw.Draw(img, img.Bounds(), src, src.Bounds().Min, draw.Src)
	}
	scale := 1.0
	if p.ViewW > 0 {
		scale = float64(img.Bounds().Dx()) / float64(p.ViewW)
	}
	drawMarks(img, p, scale)
	var out bytes.Buffer
	if format == "jpeg" {
		err = jpeg.Encode(&out, img, &jpeg.Options{Quality: 85})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img)
	}
	if err != nil {
		return nil, fmt.Errorf("dom: draw marks: %w", err)
	}
	return out.Bytes(), nil
}

func drawMarks(img *image.RGBA, p *Page, scale float64) {
	thick := max(1, int(math.Round(scale)))
	zoom := max(1, int(math.Round(scale)))
	type tag struct {
		r   image.Rectangle
		n   int
		col color.RGBA
	}
	var tags []tag
	for i := range p.Elements {
		e := &p.Elements[i]
		if e.Index <= 0 || !e.State.Has(InView) {
			continue
		}
		at := func(v int) int { return int(math.Round(float64(v) * scale)) }
		r := image.Rect(at(e.Bounds.X), at(e.Bounds.Y), at(e.Bounds.X+e.Bounds.W), at(e.Bounds.Y+e.Bounds.H)).Intersect(img.Bounds())
		if r.Empty() {
			continue
		}
		col := markColours[e.Index%len(markColours)]
		frameRect(img, r.Inset(-thick), thick, color.RGBA{0xFF, 0xFF, 0xFF, 0xFF})
		frameRect(img, r, thick, col)
		tags = append(tags, tag{r, e.Index, col})
	}
	// Numbers go on top of all boxes, where they cover no other number.
	var taken []image.Rectangle
	for _, t := range tags {
		w, h := labelSize(t.n, zoom)
		best := image.Rectangle{}
		least := math.MaxInt
		for _, at := range []image.Point{
			{t.r.Min.X, t.r.Min.Y - h}, {t.r.Max.X - w, t.r.Min.Y - h}, {t.r.Min.X, t.r.Min.Y},
			{t.r.Max.X - w, t.r.Min.Y}, {t.r.Max.X, t.r.Min.Y}, {t.r.Min.X - w, t.r.Min.Y}, {t.r.Min.X, t.r.Max.Y}, {t.r.Max.X - w, t.r.Max.Y - h},
		} {
			l := image.Rect(at.X, at.Y, at.X+w, at.Y+h)
			if !l.In(img.Bounds()) {
				continue
			}
			hit := 0
			for _, o := range taken {
				x := l.Intersect(o)
				hit += x.Dx() * x.Dy()
			}
			if hit < least {
				best, least = l, hit
			}
			if hit == 0 {
				break
			}
		}
		if best.Empty() {
			x := min(max(t.r.Min.X, 0), max(0, img.Bounds().Dx()-w))
			y := min(max(t.r.Min.Y, 0), max(0, img.Bounds().Dy()-h))
			best = image.Rect(x, y, x+w, y+h)
		}
		taken = append(taken, best)
		drawLabel(img, best, t.n, t.col, zoom)
	}
}

func frameRect(img *image.RGBA, r image.Rectangle, thick int, c color.RGBA) {
	u := image.NewUniform(c)
	for _, e := range []image.Rectangle{
		{r.Min, image.Pt(r.Max.X, r.Min.Y+thick)},
		{image.Pt(r.Min.X, r.Max.Y-thick), r.Max},
		{r.Min, image.Pt(r.Min.X+thick, r.Max.Y)},
		{image.Pt(r.Max.X-thick, r.Min.Y), r.Max},
	} {
		draw.Draw(img, e, u, image.Point{}, draw.Src)
	}
}

const (
	glyphW = 7
	glyphH = 13
)

func labelSize(n, zoom int) (w, h int) {
	return (len(strconv.Itoa(n))*glyphW + 4) * zoom, glyphH * zoom
}

// drawLabel writes white digits on the box's colour with a white edge.
func drawLabel(img *image.RGBA, r image.Rectangle, n int, c color.RGBA, zoom int) {
	draw.Draw(img, r, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(img, r.Inset(zoom), image.NewUniform(c), image.Point{}, draw.Src)
	s := strconv.Itoa(n)
	small := image.NewAlpha(image.Rect(0, 0, len(s)*glyphW, glyphH))
	d := font.Drawer{Dst: small, Src: image.Opaque, Face: basicfont.Face7x13, Dot: fixed.P(0, basicfont.Face7x13.Ascent-1)}
	d.DrawString(s)
	for y := range small.Bounds().Dy() {
		for x := range small.Bounds().Dx() {
			if small.AlphaAt(x, y).A < 128 {
				continue
			}
			px := image.Rect(0, 0, zoom, zoom).Add(image.Pt(r.Min.X+(2+x)*zoom, r.Min.Y+y*zoom))
			draw.Draw(img, px.Intersect(img.Bounds()), image.White, image.Point{}, draw.Src)
		}
	}
}
