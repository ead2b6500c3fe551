package browser

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// PDFOptions say how to print a page. The zero value is Letter, upright,
// without backgrounds.
type PDFOptions struct {
	Background bool
	Landscape  bool
	Scale      float64 // 0.1 to 2; zero is 1
	Paper      string  // Letter, Legal, A4, A3 or Tabloid; empty is Letter
	// HeaderFooter prints Header and Footer, HTML in which the classes date,
	// title, url, pageNumber and totalPages are filled in. Empty ones are the
	// date, and the address with page numbers.
	HeaderFooter   bool
	Header, Footer string
}

// papers are sizes in inches.
var papers = map[string][2]float64{
	"letter": {8.5, 11}, "legal": {8.5, 14}, "a4": {8.27, 11.69}, "a3": {11.69, 16.54}, "tabloid": {11, 17},
}

// The font size has to be given: Chrome's own for headers is 0.
const (
	pdfHeader = `<div style="font-size:9px;width:100%;padding:0 0.4in;text-align:right"><span class="date"></span></div>`
	pdfFooter = `<div style="font-size:9px;width:100%;padding:0 0.4in;display:flex;justify-content:space-between"><span class="url" style="overflow:hidden;text-overflow:ellipsis;white-space:nowrap;max-width:80%"></span><span><span class="pageNumber"></span>/<span class="totalPages"></span></span></div>`
)

// PDF prints the current tab (Page.printToPDF).
func (s *Session) PDF(ctx context.Context, o PDFOptions) ([]byte, error) {
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	size, ok := papers[strings.ToLower(o.Paper)]
	if !ok {
		if o.Paper != "" {
			return nil, fmt.Errorf("browser: print: no paper %q; Letter, Legal, A4, A3 and Tabloid are known", o.Paper)
		}
		size = papers["letter"]
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	params := map[string]any{
		"printBackground": o.Background, "landscape": o.Landscape, "scale": o.Scale,
		"paperWidth": size[0], "paperHeight": size[1], "preferCSSPageSize": true,
	}
	if o.HeaderFooter {
		if o.Header == "" {
			o.Header = pdfHeader
		}
		if o.Footer == "" {
			o.Footer = pdfFooter
		}
		params["displayHeaderFooter"], params["headerTemplate"], params["footerTemplate"] = true, o.Header, o.Footer
		params["marginTop"], params["marginBottom"], params["marginLeft"], params["marginRight"] = 0.5, 0.5, 0.4, 0.4
	}
	var res struct {
		Data string `json:"data"`
	}
	if err := callRaw(ctx, t.sess, "Page.printToPDF", params, &res); err != nil {
		return nil, fmt.Errorf("browser: print: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(res.Data)
	if err != nil {
		return nil, fmt.Errorf("browser: print: decode answer: %w", err)
	}
	if len(data) == 0 {
		return nil, errors.New("browser: print: Chrome returned an empty document")
	}
	return data, nil
}
