package tools

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// ScreenshotParams are the parameters of screenshot.
type ScreenshotParams struct {
	FileName string `json:"file_name,omitempty" jsonschema_description:"save to this file; without it the picture is shown in the next step"`
	FullPage bool   `json:"full_page,omitempty"`
}

// SaveAsPDFParams are the parameters of save_as_pdf.
type SaveAsPDFParams struct {
	FileName            string  `json:"file_name,omitempty" jsonschema_description:"the page's title when left out"`
	PrintBackground     bool    `json:"print_background" jsonschema:"default=true"`
	Landscape           bool    `json:"landscape" jsonschema:"default=false"`
	Scale               float64 `json:"scale" jsonschema:"minimum=0.1,maximum=2,default=1"`
	PaperFormat         string  `json:"paper_format" jsonschema:"enum=Letter,enum=Legal,enum=A4,enum=A3,enum=Tabloid,default=Letter"`
	DisplayHeaderFooter bool    `json:"display_header_footer" jsonschema:"default=true"`
	HeaderTemplate      string  `json:"header_template,omitempty"`
	FooterTemplate      string  `json:"footer_template,omitempty"`
}

func captureActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "screenshot", ReadOnly: true, Description: "Take a picture of the view, to see it in the next step or to save it as a file."}, screenshot},
		{registry.Spec{Name: "save_as_pdf", ReadOnly: true, Description: "Print the page to a PDF file."}, saveAsPDF},
	}
}

func screenshot(ctx context.Context, p ScreenshotParams, s *browser.Session, f *Files) (*registry.Result, error) {
	if p.FileName == "" {
		return &registry.Result{
			Text: "A picture of the page comes with the next step", Metadata: map[string]any{"include_screenshot": true},
		}, nil
	}
	name := p.FileName
	if !strings.HasSuffix(strings.ToLower(name), ".png") {
		name += ".png"
	}
	data, err := s.Screenshot(ctx, browser.ScreenshotOptions{FullPage: p.FullPage})
	if err != nil {
		return nil, failedTo("screenshot", err)
	}
	return saved(f, name, data, "Saved a picture of the page")
}

// saved stores what was captured, never over an earlier file.
func saved(f *Files, name string, data []byte, what string) (*registry.Result, error) {
	stored, err := f.Save(name, data, true)
	if err != nil {
		return nil, failedTo("save "+name, err)
	}
	path, _ := f.Path(stored)
	return &registry.Result{
		Text:        fmt.Sprintf("%s as %s (%d bytes)", what, stored, len(data)),
		Attachments: []string{path},
		Metadata:    map[string]any{"file": stored},
	}, nil
}

func saveAsPDF(ctx context.Context, p SaveAsPDFParams, s *browser.Session, f *Files) (*registry.Result, error) {
	data, err := s.PDF(ctx, browser.PDFOptions{
		Background: p.PrintBackground, Landscape: p.Landscape, Scale: p.Scale, Paper: p.PaperFormat,
		HeaderFooter: p.DisplayHeaderFooter, Header: p.HeaderTemplate, Footer: p.FooterTemplate,
	})
	if err != nil {
		return nil, failedTo("save_as_pdf", err)
	}
	name := p.FileName
	if name == "" {
		name = titleName(ctx, s)
	}
	if !strings.HasSuffix(strings.ToLower(name), ".pdf") {
		name += ".pdf"
	}
	return saved(f, name, data, "Saved the page")
}

// titleName makes a file name of the page's title.
func titleName(ctx context.Context, s *browser.Session) string {
	title, err := browser.Evaluate[string](ctx, s, "document.title")
	if err != nil {
		return "page"
	}
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == ' ' || r == '-' {
			return r
		}
		return -1
	}, title)
	r := []rune(name)
	if name = strings.TrimSpace(string(r[:min(50, len(r))])); name == "" {
		return "page"
	}
	return name
}
