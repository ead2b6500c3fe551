package llm

import "unicode/utf8"

// EstimateTokens is about how many tokens a request takes, counted by its
// characters and images. It is within a third or so of the real number for
// the texts of web pages; package llm/tokens counts exactly where the model's
// tokenizer is public.
func EstimateTokens(req *Request) int {
	n := 3
	for _, m := range req.Messages {
		n += 4 // role and separators
		for _, p := range m.Parts {
			if p.Image != nil {
				n += imageTokens(p.Image)
				continue
			}
			n += EstimateText(p.Text)
		}
	}
	return n
}

// EstimateText is about how many tokens a text takes: four characters of the
// Latin script to a token, two of punctuation, one or so of scripts that
// need three bytes.
func EstimateText(s string) int {
	ascii, marks, wide := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			wide++
		case c >= '0' && c <= '9', c < '0' && c != ' ', c > '9' && c < 'A', c > 'Z' && c < 'a', c > 'z':
			marks++
		default:
			ascii++
		}
	}
	// Half a token for a mark or a digit; 0.3 for each byte of a wide rune,
	// which makes 0.9 for one of three bytes.
	return (ascii*10 + marks*20 + wide*12 + 39) / 40
}

// imageTokens is what a large screenshot costs at most providers; the low
// detail has a fixed, small price.
func imageTokens(img *Image) int {
	if img.Detail == DetailLow {
		return 85
	}
	return 1100
}
