package tools

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-pdf/fpdf"
	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// writePDF makes a document of Markdown: headings and paragraphs. The fonts
// that every PDF reader has know the letters of western Europe only.
func writePDF(text string) ([]byte, error) {
	for _, r := range text {
		if _, ok := charmap.Windows1252.EncodeRune(r); !ok && r != '\n' && r != '\t' && r != '\r' {
			return nil, fmt.Errorf("a PDF can hold western letters only, and the text has %q; write a .docx, .html or .md file instead", r)
		}
	}
	doc := fpdf.New("P", "mm", "Letter", "")
	doc.SetAutoPageBreak(true, 20)
	doc.SetMargins(20, 20, 20)
	doc.AddPage()
	latin := doc.UnicodeTranslatorFromDescriptor("")
	sizes := []float64{11, 20, 16, 13}
	for line := range strings.SplitSeq(text, "\n") {
		level, words := heading(line)
		style := ""
		if level > 0 {
			style = "B"
		}
		if strings.TrimSpace(words) == "" {
			doc.Ln(3)
			continue
		}
		doc.SetFont("Helvetica", style, sizes[level])
		doc.MultiCell(0, sizes[level]*0.5, latin(words), "", "L", false)
		if level > 0 {
			doc.Ln(2)
		}
	}
	var out bytes.Buffer
	if err := doc.Output(&out); err != nil {
		return nil, fmt.Errorf("make PDF: %w", err)
	}
	return out.Bytes(), nil
}

// readPDF returns the text of a PDF, page by page under a line that numbers
// it. A picture of text has none.
func readPDF(data []byte) (text string, err error) {
	// The parser gives up on broken files by panicking.
	defer func() {
		if v := recover(); v != nil {
			text, err = "", fmt.Errorf("the PDF file cannot be read: %v", v)
		}
	}()
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("the PDF file cannot be read: %w", err)
	}
	var out strings.Builder
	found := false
	fonts := make(map[string]*pdf.Font)
	for n := 1; n <= r.NumPage(); n++ {
		p := r.Page(n)
		if p.V.IsNull() {
			continue
		}
		for _, name := range p.Fonts() {
			if _, ok := fonts[name]; !ok {
				f := p.Font(name)
				fonts[name] = &f
			}
		}
		words, err := p.GetPlainText(fonts)
		if err != nil {
			return "", fmt.Errorf("page %d of the PDF file cannot be read: %w", n, err)
		}
		words = strings.TrimSpace(words)
		found = found || words != ""
		fmt.Fprintf(&out, "--- page %d ---\n%s\n", n, words)
	}
	if !found {
		return "", errors.New("the PDF file holds no text, only pictures of it")
	}
	return out.String(), nil
}
