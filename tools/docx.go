package tools

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The parts of a DOCX package (ECMA-376) that a plain document needs.
const (
	docxTypes = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>`
	docxRels = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
	docxDocRels = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`
	docxStyles = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="36"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:rPr><w:b/><w:sz w:val="30"/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="Heading3"><w:name w:val="heading 3"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:rPr><w:b/><w:sz w:val="26"/></w:rPr></w:style></w:styles>`
)

// heading returns the level of a Markdown heading, 0 for other lines.
func heading(line string) (level int, text string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level >= len(line) || line[level] != ' ' {
		return 0, line
	}
	return min(level, 3), strings.TrimSpace(line[level:])
}

// writeDOCX makes a document of Markdown: headings and paragraphs.
func writeDOCX(text string) ([]byte, error) {
	var doc bytes.Buffer
	doc.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`)
	for line := range strings.SplitSeq(text, "\n") {
		level, words := heading(line)
		doc.WriteString("<w:p>")
		if level > 0 {
			fmt.Fprintf(&doc, `<w:pPr><w:pStyle w:val="Heading%d"/></w:pPr>`, level)
		}
		if words != "" {
			doc.WriteString(`<w:r><w:t xml:space="preserve">`)
			if err := xml.EscapeText(&doc, []byte(words)); err != nil {
				return nil, err
			}
			doc.WriteString("</w:t></w:r>")
		}
		doc.WriteString("</w:p>")
	}
	doc.WriteString("</w:body></w:document>")
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", docxTypes},
		{"_rels/.rels", docxRels},
		{"word/document.xml", doc.String()},
		{"word/_rels/document.xml.rels", docxDocRels},
		{"word/styles.xml", docxStyles},
	} {
		w, err := z.Create(part.name)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(w, part.text); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// maxInflated bounds what a document may unpack to.
const maxInflated = 50 << 20

// readDOCX returns the paragraphs of a document, a line each, headings as
// Markdown.
func readDOCX(data []byte) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("the DOCX file cannot be read: %w", err)
	}
	f, err := z.Open("word/document.xml")
	if err != nil {
		return "", errors.New("the DOCX file holds no document")
	}
	defer f.Close()
	d := xml.NewDecoder(io.LimitReader(f, maxInflated))
	var out, para strings.Builder
	prefix, inText := "", false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("the DOCX file cannot be read: %w", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				inText = true
			case "tab":
				para.WriteByte('\t')
			case "br", "cr":
				para.WriteByte('\n')
			case "pStyle":
				prefix = headingPrefix(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				inText = false
			case "tc":
				para.WriteByte('\t')
			case "p":
				out.WriteString(prefix + para.String() + "\n")
				para.Reset()
				prefix = ""
			}
		case xml.CharData:
			if inText {
				para.Write(t)
			}
		}
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func headingPrefix(t xml.StartElement) string {
	for _, a := range t.Attr {
		if a.Name.Local == "val" {
			if n, ok := strings.CutPrefix(a.Value, "Heading"); ok && len(n) == 1 && n >= "1" && n <= "6" {
				return strings.Repeat("#", int(n[0]-'0')) + " "
			}
		}
	}
	return ""
}
