package dom

import (
	"fmt"
	"strings"
)

// Keys of the walker's own that are undone while records are read.
const (
	keyLone   = ".t"    // the only text of the element
	keyHref   = ".href" // nothing: as the attribute says
	keySource = ".src"  // the same
	keyBack   = ".bg"   // "=": that of the element before
)

// recordReader reads the lines of elements and texts, which tell only what
// differs from their neighbours. js/record.js has the form.
type recordReader struct {
	c          *Capture
	opened     map[int32]int32 // frame element -> the frame in it
	x, y, w, h int32           // the box before
	ref        int32
	back       string
	joined     strings.Builder // room for addresses, many in one piece
}

func (rr *recordReader) read(d *decoder, isText bool) error {
	c := rr.c
	at := int32(len(c.records))
	up := d.num()
	if up < 0 || up > at {
		return fmt.Errorf("%w: parent %d before element %d", errWire, up, at)
	}
	r := record{parent: at - up, flags: uint32(d.num()) ^ fBreak}
	if up == 0 {
		r.parent = -1
	} else {
		r.frame = c.records[r.parent].frame
		if len(rr.opened) > 0 {
			if f, ok := rr.opened[r.parent]; ok {
				r.frame = f
			}
		}
		if c.records[r.parent].tag == "" {
			return fmt.Errorf("%w: text %d has children", errWire, r.parent)
		}
	}
	if !isText {
		r.why = uint16(d.num())
	}
	rr.x += d.num()
	rr.y += d.num()
	rr.w += d.num()
	rr.h += d.num()
	r.x, r.y, r.w, r.h = rr.x, rr.y, rr.w, rr.h
	if isText {
		r.text = d.field()
		c.records = append(c.records, r)
		return nil
	}
	ref := d.num()
	if r.flags&fTarget != 0 {
		rr.ref += ref + 1
		r.ref = rr.ref
	}
	r.tag = d.field()
	if r.tag == "" {
		r.tag = "unknown"
	}
	lone := record{parent: at, flags: fBreak, frame: r.frame, x: r.x, y: r.y, w: r.w, h: r.h}
	has := rr.attributes(d, &r, &lone)
	c.records = append(c.records, r)
	if has {
		c.records = append(c.records, lone)
	}
	return nil
}

// attributes reads those of r, and reports whether there was a text for lone.
func (rr *recordReader) attributes(d *decoder, r, lone *record) (has bool) {
	c := rr.c
	r.attr0 = int32(len(c.attrs))
	href, source := -1, -1
	for !d.lineEnd() {
		k, v := d.field(), d.field()
		if k != "" && k[0] == '.' {
			switch {
			case k == keyLone:
				lone.text, has = v, true
				continue
			case k == keyHref && v == "":
				href = len(c.attrs)
			case k == keySource && v == "":
				source = len(c.attrs)
			case k == keyBack && v == "=":
				v = rr.back
			case k == keyBack:
				rr.back = v
			}
		}
		c.attrs = append(c.attrs, Attr{Name: k, Value: v})
	}
	r.attr1 = int32(len(c.attrs))
	if href >= 0 {
		c.attrs[href].Value = rr.address(r, "href")
	}
	if source >= 0 {
		c.attrs[source].Value = rr.address(r, "src")
	}
	return has
}

// address is what the attribute of r says, behind the origin of its document
// if it is a path.
func (rr *recordReader) address(r *record, name string) string {
	c := rr.c
	path := ""
	for _, a := range c.attrs[r.attr0:r.attr1] {
		if a.Name == name {
			path = a.Value
		}
	}
	if path == "" || path[0] != '/' || int(r.frame) >= len(c.frames) {
		return path
	}
	const piece = 32 << 10
	origin, b := c.frames[r.frame].origin, &rr.joined
	if b.Cap()-b.Len() < len(origin)+len(path) {
		*b = strings.Builder{}
		b.Grow(max(piece, len(origin)+len(path)))
	}
	start := b.Len()
	b.WriteString(origin)
	b.WriteString(path)
	return b.String()[start:]
}
