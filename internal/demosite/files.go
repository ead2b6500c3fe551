package demosite

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// upload is what the site keeps of a file: not the content.
type upload struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const maxUploadsKept = 20

func (s *Site) filesPage(w http.ResponseWriter, r *http.Request, v *visitor) {
	v.mu.Lock()
	kept := slices.Clone(v.uploads)
	v.mu.Unlock()
	s.render(w, v, http.StatusOK, "files", view{Title: "Files", Section: "bench", Data: struct {
		Uploads []upload
		Max     int64
	}{kept, s.cfg.MaxUpload >> 20}})
}

// fileUpload takes the files of the form field "file". It answers the page's
// script with JSON and a plain form with the page.
func (s *Site) fileUpload(w http.ResponseWriter, r *http.Request, v *visitor) {
	r.Body = http.MaxBytesReader(w, r.Body, s.cfg.MaxUpload)
	got, err := readUploads(r)
	wantsJSON := strings.Contains(r.Header.Get("Accept"), "application/json")
	if err != nil {
		status := http.StatusUnprocessableEntity
		if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
			status = http.StatusRequestEntityTooLarge
			err = fmt.Errorf("a file may have at most %d bytes", s.cfg.MaxUpload)
		}
		if wantsJSON {
			writeJSON(w, status, map[string]string{"error": sentence(err)})
			return
		}
		v.setFlash(sentence(err))
		http.Redirect(w, r, "/files", http.StatusSeeOther)
		return
	}
	v.mu.Lock()
	for _, u := range got {
		v.uploads = keep(v.uploads, u, maxUploadsKept)
	}
	v.mu.Unlock()
	if wantsJSON {
		writeJSON(w, http.StatusOK, got)
		return
	}
	http.Redirect(w, r, "/files", http.StatusSeeOther)
}

// readUploads hashes every file of the form as it streams in.
func readUploads(r *http.Request) ([]upload, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	var got []upload
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if p.FormName() != "file" || p.FileName() == "" {
			continue
		}
		u, err := hashPart(p)
		if err != nil {
			return nil, err
		}
		got = append(got, u)
	}
	if len(got) == 0 {
		return nil, errors.New("choose a file first")
	}
	return got, nil
}

func hashPart(p *multipart.Part) (upload, error) {
	h := sha256.New()
	n, err := io.Copy(h, p)
	if err != nil {
		return upload{}, err
	}
	return upload{p.FileName(), n, hex.EncodeToString(h.Sum(nil))}, nil
}

// fileDownload serves what /files offers.
func (s *Site) fileDownload(w http.ResponseWriter, r *http.Request) {
	switch name := r.PathValue("name"); name {
	case "catalogue.csv":
		attachment(w, name, "text/csv; charset=utf-8")
		_, _ = w.Write(s.catalogueCSV())
	case "care-guide.txt":
		attachment(w, name, "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, careGuide())
	case "care-guide.pdf": // no attachment: browsers show it, or save it
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(textPDF("Care guide", strings.Split(careGuide(), "\n")))
	default:
		http.NotFound(w, r)
	}
}

func (s *Site) catalogueCSV() []byte {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	_ = out.Write([]string{"article", "name", "category", "price", "stock"})
	for _, p := range s.catalog.products {
		_ = out.Write([]string{
			p.Facts[len(p.Facts)-1].Value, p.Name, p.Category,
			fmt.Sprintf("%d.%02d", p.Cents/100, p.Cents%100), strconv.Itoa(p.Stock),
		})
	}
	out.Flush()
	return b.Bytes()
}

func careGuide() string {
	return strings.Join([]string{
		"Wren & Hollow care guide",
		"",
		"Kitchen: dishwasher safe unless it is wood. Oil wood twice a year.",
		"Lighting: switch off, let it cool, wipe with a dry cloth.",
		"Textiles: wash at 30 degrees, dry on a line.",
		"Bags: brush off dust, wax the canvas once a year.",
		"Garden: store dry in winter.",
		"",
		"The answer to the question on the test bench is 4711.",
		"",
	}, "\n")
}
