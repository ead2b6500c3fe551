package report

import (
	"image"
	"image/color"
	"sort"
)

// quantize reduces an image to at most n colours by median cut over a
// histogram of five bits a channel. Screens are mostly flat, so no dithering:
// it would only make the file larger.
func quantize(img *image.RGBA, n int) (color.Palette, []uint8) {
	const bins = 1 << 15
	count := make([]int32, bins)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := img.Pix[(y-b.Min.Y)*img.Stride:][:b.Dx()*4]
		for i := 0; i < len(row); i += 4 {
			count[bin(row[i], row[i+1], row[i+2])]++
		}
	}
	var used []int32
	for i, c := range count {
		if c > 0 {
			used = append(used, int32(i))
		}
	}
	boxes := []box{newBox(used, count)}
	for len(boxes) < n {
		// Split the box whose colours are furthest from its mean.
		best := -1
		for i, bx := range boxes {
			if len(bx.bins) > 1 && (best < 0 || bx.weight() > boxes[best].weight()) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		l, r := boxes[best].split(count)
		boxes[best] = l
		boxes = append(boxes, r)
	}
	pal := make(color.Palette, len(boxes))
	lut := make([]uint8, bins)
	for i, bx := range boxes {
		pal[i] = bx.mean(count)
		for _, c := range bx.bins {
			lut[c] = uint8(i)
		}
	}
	return pal, lut
}

func bin(r, g, b uint8) int { return int(r>>3)<<10 | int(g>>3)<<5 | int(b>>3) }

type box struct {
	bins   []int32
	pixels int64
	axis   int // the channel with the widest spread: 0 red, 1 green, 2 blue
	spread int
}

func channel(c int32, axis int) int { return int(c>>(10-5*axis)) & 31 }

func newBox(bins []int32, count []int32) box {
	bx := box{bins: bins}
	lo, hi := [3]int{31, 31, 31}, [3]int{}
	for _, c := range bins {
		bx.pixels += int64(count[c])
		for a := range 3 {
			v := channel(c, a)
			lo[a], hi[a] = min(lo[a], v), max(hi[a], v)
		}
	}
	for a := range 3 {
		if s := hi[a] - lo[a]; s > bx.spread {
			bx.axis, bx.spread = a, s
		}
	}
	return bx
}

func (b box) weight() int64 { return b.pixels * int64(b.spread*b.spread) }

func (b box) split(count []int32) (box, box) {
	sort.Slice(b.bins, func(i, j int) bool { return channel(b.bins[i], b.axis) < channel(b.bins[j], b.axis) })
	var sum int64
	at := 1
	for i, c := range b.bins[:len(b.bins)-1] {
		sum += int64(count[c])
		at = i + 1
		if sum*2 >= b.pixels {
			break
		}
	}
	return newBox(b.bins[:at], count), newBox(b.bins[at:], count)
}

func (b box) mean(count []int32) color.RGBA {
	var sum [3]int64
	for _, c := range b.bins {
		for a := range 3 {
			sum[a] += int64(channel(c, a)) * int64(count[c])
		}
	}
	var out [3]uint8
	for a := range 3 {
		// Five bits back to eight, so that white stays white.
		v := float64(sum[a]) / float64(max(b.pixels, 1)) * 255 / 31
		out[a] = uint8(v + 0.5)
	}
	return color.RGBA{out[0], out[1], out[2], 255}
}
