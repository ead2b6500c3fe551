package agent

import (
	"bytes"
	"image"
	"image/png"

	"golang.org/x/image/draw"

	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// imageRead shows an action's picture in the next prompt.
func imageRead(img registry.Image) memory.Read {
	mime := img.MIME
	if mime == "" {
		mime = "image/png"
		if bytes.HasPrefix(img.Data, []byte("\xff\xd8")) {
			mime = "image/jpeg"
		}
	}
	r := memory.Read{Images: []llm.Image{{MIME: mime, Data: img.Data}}}
	if img.Name != "" {
		r.Text = "Picture: " + img.Name
	}
	return r
}

// fitImage scales a PNG or JPEG down to fit into size, keeping its shape. What
// cannot be scaled is returned as it is.
func fitImage(data []byte, size image.Point) []byte {
	if size.X <= 0 || size.Y <= 0 {
		return data
	}
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return data
	}
	b := src.Bounds()
	scale := min(float64(size.X)/float64(b.Dx()), float64(size.Y)/float64(b.Dy()))
	if scale >= 1 {
		return data
	}
	dst := image.NewRGBA(image.Rect(0, 0, max(int(float64(b.Dx())*scale), 1), max(int(float64(b.Dy())*scale), 1)))
	draw.CatmullRom.Scale(dst, dst.Bounds(), src, b, draw.Src, nil)
	var out bytes.Buffer
	if png.Encode(&out, dst) != nil {
		return data
	}
	return out.Bytes()
}
