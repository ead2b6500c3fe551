package report

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	_ "image/jpeg" // screenshots come as PNG or JPEG
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"golang.org/x/image/draw"
)

// GIFOptions say how the animation looks. The zero value is fine.
type GIFOptions struct {
	// Delay is how long each frame is shown. Zero is 3 s.
	Delay time.Duration
	// Width is the greatest width in pixels. Zero is 800.
	Width int
	// NoTaskCard leaves out the first frame, which shows the task.
	NoTaskCard bool
	// NoGoals leaves out the band with the goal of each step.
	NoGoals bool
}

// ErrNoScreenshots is returned by GIF for a history without a picture.
var ErrNoScreenshots = errors.New("report: the history has no screenshot to animate (was the agent's vision off?)")

// GIF writes an animation of a run: a card with the task, then every step's
// screenshot with its number and goal.
func GIF(w io.Writer, h *agent.History, opts GIFOptions) error {
	if opts.Delay <= 0 {
		opts.Delay = 3 * time.Second
	}
	if opts.Width <= 0 {
		opts.Width = 800
	}
	shots := h.TaskSteps()
	steps := make([]*agent.Step, 0, len(shots))
	for _, s := range shots {
		if s.Page.Screenshot != "" {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return ErrNoScreenshots
	}
	size, frames, err := drawSteps(h.Dir, steps, opts)
	if err != nil {
		return err
	}
	if !opts.NoTaskCard {
		card, err := taskCard(h, size)
		if err != nil {
			return err
		}
		frames = append([]*image.RGBA{card}, frames...)
	}
	out := &gif.GIF{Config: image.Config{Width: size.X, Height: size.Y}}
	var prev *image.RGBA
	for _, f := range frames {
		out.Image = append(out.Image, encodeFrame(prev, f))
		out.Delay = append(out.Delay, int(opts.Delay/(10*time.Millisecond)))
		out.Disposal = append(out.Disposal, gif.DisposalNone)
		prev = f
	}
	if err := gif.EncodeAll(w, out); err != nil {
		return fmt.Errorf("report: encode GIF: %w", err)
	}
	return nil
}

// drawSteps reads, scales and labels the screenshots, side by side. All frames
// get the size of the first.
func drawSteps(dir string, steps []*agent.Step, opts GIFOptions) (image.Point, []*image.RGBA, error) {
	first, err := readImage(dir, steps[0].Page.Screenshot)
	if err != nil {
		return image.Point{}, nil, err
	}
	size := first.Bounds().Size()
	if size.X > opts.Width {
		size = image.Pt(opts.Width, size.Y*opts.Width/size.X)
	}
	frames := make([]*image.RGBA, len(steps))
	errs := make([]error, len(steps))
	var workers sync.WaitGroup
	var next atomic.Int64
	for range min(len(steps), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			// A face keeps the glyph it draws in a buffer: one for each worker.
			face, faceErr := newTypeface(max(14, opts.Width/40))
			for i := next.Add(1) - 1; i < int64(len(steps)); i = next.Add(1) - 1 {
				if faceErr != nil {
					errs[i] = fmt.Errorf("report: font: %w", faceErr)
					return
				}
				s := steps[i]
				img, err := readImage(dir, s.Page.Screenshot)
				if err != nil {
					errs[i] = err
					return
				}
				f := image.NewRGBA(image.Rectangle{Max: size})
				draw.ApproxBiLinear.Scale(f, fit(img.Bounds().Size(), size), img, img.Bounds(), draw.Src, nil)
				label(f, face, s, opts)
				frames[i] = f
			}
		})
	}
	workers.Wait()
	return size, frames, errors.Join(errs...)
}

// fit centres a picture of size in within out, keeping its proportions.
func fit(in, out image.Point) image.Rectangle {
	w, h := out.X, in.Y*out.X/max(in.X, 1)
	if h > out.Y {
		w, h = in.X*out.Y/max(in.Y, 1), out.Y
	}
	at := image.Pt((out.X-w)/2, (out.Y-h)/2)
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
}

var (
	ink   = color.RGBA{0xf7, 0xf7, 0xf5, 0xff}
	paper = color.RGBA{0x1d, 0x24, 0x2e, 0xff}
	veil  = color.RGBA{0x14, 0x19, 0x20, 0xd8}
	mark  = color.RGBA{0x0f, 0x76, 0x6e, 0xff}
)

func label(f *image.RGBA, face *typeface, s *agent.Step, opts GIFOptions) {
	pad := face.size / 2
	number := strconv.Itoa(s.Number)
	nw := face.width(number) + 2*pad
	var lines []string
	if !opts.NoGoals {
		lines = face.wrap(goalOf(s), f.Bounds().Dx()-nw-4*pad, 3)
	}
	h := max(1, len(lines))*face.lineHeight() + 2*pad
	b := f.Bounds()
	if len(lines) > 0 {
		draw.Draw(f, image.Rect(0, b.Max.Y-h, b.Max.X, b.Max.Y), image.NewUniform(veil), image.Point{}, draw.Over)
	}
	badge := image.Rect(pad, b.Max.Y-h+pad/2, pad+nw, b.Max.Y-h+pad/2+face.lineHeight()+pad)
	draw.Draw(f, badge, image.NewUniform(mark), image.Point{}, draw.Src)
	base := b.Max.Y - h + pad + face.size
	face.draw(f, pad+pad, base, number, ink)
	for i, l := range lines {
		face.draw(f, badge.Max.X+pad, base+i*face.lineHeight(), l, ink)
	}
}

// goalOf is what a step was for, in the model's words or ours.
func goalOf(s *agent.Step) string {
	if s.Answer != nil && s.Answer.NextGoal != "" {
		return s.Answer.NextGoal
	}
	if s.Answer != nil && s.Answer.Memory != "" {
		return s.Answer.Memory
	}
	var names []string
	for _, a := range s.Actions {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

func taskCard(h *agent.History, size image.Point) (*image.RGBA, error) {
	card := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(card, card.Bounds(), image.NewUniform(paper), image.Point{}, draw.Src)
	// The longer the task, the smaller its letters, until it fits.
	for px := size.X / 22; ; px = px * 9 / 10 {
		face, err := newTypeface(max(px, 12))
		if err != nil {
			return nil, fmt.Errorf("report: font: %w", err)
		}
		rows := size.Y * 8 / 10 / face.lineHeight()
		lines := face.wrap(h.Task(), size.X*8/10, max(rows, 1)+1)
		if len(lines) > rows && px > 12 {
			continue
		}
		y := (size.Y-len(lines)*face.lineHeight())/2 + face.size
		for _, l := range lines {
			face.draw(card, (size.X-face.width(l))/2, y, l, ink)
			y += face.lineHeight()
		}
		return card, nil
	}
}

// encodeFrame makes a paletted picture of what changed since prev: the
// smallest rectangle, with unchanged pixels in it transparent.
func encodeFrame(prev, f *image.RGBA) *image.Paletted {
	r := f.Bounds()
	if prev != nil {
		r = changed(prev, f)
	}
	sub, ok := f.SubImage(r).(*image.RGBA)
	if !ok || r.Empty() {
		r = image.Rect(0, 0, 1, 1)
		sub = f.SubImage(r).(*image.RGBA)
	}
	pal, lut := quantize(sub, 255)
	clear := uint8(len(pal))
	p := image.NewPaletted(r, append(pal, color.RGBA{}))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			i := f.PixOffset(x, y)
			px := f.Pix[i : i+4 : i+4]
			if prev != nil && bytes.Equal(px, prev.Pix[i:i+4]) {
				p.Pix[p.PixOffset(x, y)] = clear
				continue
			}
			p.Pix[p.PixOffset(x, y)] = lut[bin(px[0], px[1], px[2])]
		}
	}
	return p
}

func changed(a, b *image.RGBA) image.Rectangle {
	r := image.Rectangle{}
	bd := b.Bounds()
	for y := bd.Min.Y; y < bd.Max.Y; y++ {
		i := b.PixOffset(bd.Min.X, y)
		ra, rb := a.Pix[i:i+bd.Dx()*4], b.Pix[i:i+bd.Dx()*4]
		if bytes.Equal(ra, rb) {
			continue
		}
		lo, hi := 0, bd.Dx()
		for lo < hi && bytes.Equal(ra[lo*4:lo*4+4], rb[lo*4:lo*4+4]) {
			lo++
		}
		for hi > lo && bytes.Equal(ra[hi*4-4:hi*4], rb[hi*4-4:hi*4]) {
			hi--
		}
		r = r.Union(image.Rect(lo, y, hi, y+1))
	}
	return r
}

func readImage(dir, name string) (image.Image, error) {
	// A history may come from elsewhere; its names must not lead out of its folder.
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("report: screenshot %q is not a name within the history's folder", name)
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, fmt.Errorf("report: screenshot: %w", err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("report: screenshot %s: %w", name, err)
	}
	return img, nil
}
