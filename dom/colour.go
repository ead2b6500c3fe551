package dom

import (
	"math"
	"strconv"
	"strings"
)

// colourName returns the plain name of a computed CSS colour: "red" for
// rgb(250, 10, 5). It is "" for what is transparent or cannot be read.
func colourName(css string) string {
	r, g, b, ok := parseRGB(css)
	if !ok {
		return ""
	}
	hi, lo := max(r, g, b), min(r, g, b)
	light := (hi + lo) / 2
	chroma := hi - lo
	if chroma < 22 || (chroma < 40 && (light > 225 || light < 30)) {
		switch {
		case light < 40:
			return "black"
		case light > 225:
			return "white"
		default:
			return "gray"
		}
	}
	var hue float64
	switch hi {
	case r:
		hue = math.Mod(float64(g-b)/float64(chroma)+6, 6)
	case g:
		hue = float64(b-r)/float64(chroma) + 2
	default:
		hue = float64(r-g)/float64(chroma) + 4
	}
	hue *= 60
	switch {
	case hue < 14 || hue >= 345:
		if light > 190 {
			return "pink"
		}
		return "red"
	case hue < 45:
		if light < 100 {
			return "brown"
		}
		return "orange"
	case hue < 70:
		if light < 90 {
			return "olive"
		}
		return "yellow"
	case hue < 165:
		return "green"
	case hue < 195:
		return "cyan"
	case hue < 255:
		return "blue"
	case hue < 290:
		return "purple"
	case hue < 325:
		if light > 170 {
			return "pink"
		}
		if light < 100 {
			return "purple"
		}
		return "magenta"
	default:
		if light > 140 {
			return "pink"
		}
		return "red"
	}
}

// packRGB is the exact colour as 1<<24 and its RGB, 0 for none.
func packRGB(css string) uint32 {
	r, g, b, ok := parseRGB(css)
	if !ok {
		return 0
	}
	return 1<<24 | uint32(r&255)<<16 | uint32(g&255)<<8 | uint32(b&255)
}

// parseRGB reads rgb(), rgba() and color(srgb ...) as getComputedStyle gives
// them. What is nearly transparent is not ok.
func parseRGB(css string) (r, g, b int, ok bool) {
	i := strings.IndexByte(css, '(')
	if i < 0 || !strings.HasSuffix(css, ")") {
		return 0, 0, 0, false
	}
	unit := false
	body := css[i+1 : len(css)-1]
	switch css[:i] {
	case "rgb", "rgba":
	case "color":
		rest, found := strings.CutPrefix(body, "srgb ")
		if !found {
			return 0, 0, 0, false
		}
		body, unit = rest, true
	default:
		return 0, 0, 0, false
	}
	var v [4]float64
	v[3] = 1
	n := 0
	for len(body) > 0 && n < 4 {
		body = strings.TrimLeft(body, " ,/")
		end := strings.IndexAny(body, " ,/")
		if end < 0 {
			end = len(body)
		}
		f, err := strconv.ParseFloat(strings.TrimSuffix(body[:end], "%"), 64)
		if err != nil {
			return 0, 0, 0, false
		}
		v[n] = f
		n++
		body = body[end:]
	}
	if n < 3 || v[3] < 0.1 {
		return 0, 0, 0, false
	}
	if unit {
		v[0], v[1], v[2] = v[0]*255, v[1]*255, v[2]*255
	}
	return int(v[0]), int(v[1]), int(v[2]), true
}
