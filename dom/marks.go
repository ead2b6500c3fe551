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
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
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
	face, err := markFace(scale)
	if err != nil {
		return nil, fmt.Errorf("dom: draw marks: %w", err)
	}
	defer face.Close()
	drawMarks(img, p, scale, face)
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

// markFace is the font of the numbers: 12 CSS pixels, bold.
func markFace(scale float64) (font.Face, error) {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: 12 * max(scale, 0.5), DPI: 72, Hinting: font.HintingFull})
}

func drawMarks(img *image.RGBA, p *Page, scale float64, face font.Face) {
	thick := max(1, int(math.Round(scale)))
	edge := thick
	ascent, height := face.Metrics().Ascent.Ceil(), face.Metrics().Ascent.Ceil()+face.Metrics().Descent.Ceil()
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
		text := strconv.Itoa(t.n)
		w, h := font.MeasureString(face, text).Ceil()+4*edge, height
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
		draw.Draw(img, best, image.White, image.Point{}, draw.Src)
		draw.Draw(img, best.Inset(edge), image.NewUniform(t.col), image.Point{}, draw.Src)
		d := font.Drawer{Dst: img, Src: image.White, Face: face, Dot: fixed.P(best.Min.X+2*edge, best.Min.Y+ascent)}
		d.DrawString(text)
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
