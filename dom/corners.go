package dom

import (
	"strconv"
	"strings"
)

// Point is a point of the top viewport in CSS pixels.
type Point struct{ X, Y int }

// readPoints reads "x,y x,y": corners relative to the box they are in.
func readPoints(v string, box Rect, scale float64) []Point {
	out := make([]Point, 0, 4)
	for p := range strings.FieldsSeq(v) {
		x, y, _ := strings.Cut(p, ",")
		out = append(out, Point{box.X + int(float64(atoi(x))*scale), box.Y + int(float64(atoi(y))*scale)})
	}
	return out
}

func appendPoints(b []byte, points []Point) []byte {
	for i, p := range points {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(p.X), 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, int64(p.Y), 10)
	}
	return b
}

// corners says how a straight-edged shape runs where that can matter: where
// its corners are when boxes are shown, else how many a polygon has.
func (r *renderer) corners(e *Element) {
	switch {
	case len(e.Points) == 0:
	case r.boxes:
		r.buf = append(r.buf, ` points="`...)
		r.buf = appendPoints(r.buf, e.Points)
		r.buf = append(r.buf, '"')
	case e.Tag == "polygon":
		r.buf = append(r.buf, " corners="...)
		r.buf = strconv.AppendInt(r.buf, int64(len(e.Points)), 10)
	}
}
