package demosite_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

func upload(t *testing.T, c *client, accept string, files map[string]string) answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, content := range files {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, content)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, c.base+"/files/upload", &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Accept", accept)
	return c.do(req)
}

func TestUploadShowsNameSizeAndHash(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{MaxUpload: 1 << 20}).URL)
	sum := sha256.Sum256([]byte("hello\n"))
	hash := hex.EncodeToString(sum[:])
	upload(t, c, "text/html", map[string]string{"a letter.txt": "hello\n"}).want(t, 200, "a letter.txt 6 "+hash)

	var got []struct {
		Name, SHA256 string
		Size         int64
	}
	a := upload(t, c, "application/json", map[string]string{"b.bin": "hello\n"})
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(got) != 1 || got[0].SHA256 != hash || got[0].Size != 6 {
		t.Errorf("got %+v, %v from %s", got, err, a.body)
	}
	c.get("/files").want(t, 200, "a letter.txt", "b.bin")

	upload(t, c, "application/json", nil).want(t, http.StatusUnprocessableEntity, "Choose a file first.")
	upload(t, c, "application/json", map[string]string{"big": strings.Repeat("x", 2<<20)}).want(t, http.StatusRequestEntityTooLarge, "at most 1048576 bytes")
	if a := visitorOf(t, c.base).get("/files"); strings.Contains(a.body, "b.bin") {
		t.Error("another visitor sees the upload")
	}
}

func TestDownloads(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	for path, want := range map[string]struct{ mime, disposition, start string }{
		"/files/catalogue.csv":  {"text/csv", `attachment; filename="catalogue.csv"`, "article,name,"},
		"/files/care-guide.txt": {"text/plain", `attachment; filename="care-guide.txt"`, "Wren & Hollow"},
		"/files/care-guide.pdf": {"application/pdf", "", "%PDF-1.4\n"},
	} {
		a := c.get(path)
		if a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), want.mime) ||
			a.header.Get("Content-Disposition") != want.disposition || !strings.HasPrefix(a.body, want.start) {
			t.Errorf("%s: %d %v %.20q, want %v", path, a.status, a.header, a.body, want)
		}
	}
	c.get("/files/passwd").want(t, 404)
}

func TestReportHasThousandRowsAndSorts(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	a := c.get("/report?sort=units&dir=desc")
	rows, sorted := 0, ""
	for n := range a.page.Descendants() {
		if id, _ := attr(n, "id"); strings.HasPrefix(id, "row-") {
			rows++
		}
		if s, ok := attr(n, "aria-sort"); ok {
			sorted += textOf(n) + " " + s
		}
	}
	if rows != 1000 || sorted != "Units descending" {
		t.Errorf("%d rows sorted by %q, want 1000 by Units descending", rows, sorted)
	}
	csvAnswer := c.get("/report.csv?sort=units&dir=desc")
	records, err := csv.NewReader(strings.NewReader(csvAnswer.body)).ReadAll()
	if err != nil || len(records) != 1001 {
		t.Fatalf("the CSV has %d records, %v, want 1001", len(records), err)
	}
	if records[1][5] != "40" || records[1000][5] != "1" {
		t.Errorf("units go from %s to %s, want from 40 to 1", records[1][5], records[1000][5])
	}
}

func TestWidgetFrameComesFromAnotherSite(t *testing.T) {
	srv := serve(t, demosite.Config{})
	for _, tt := range []struct{ host, want string }{
		{srv.URL, srv.SecondOrigin},
		{srv.SecondOrigin, srv.URL},
		{srv.For("anna"), srv.URL},
	} {
		req, err := http.NewRequest(http.MethodGet, srv.URL+"/widget", nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(tt.host)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = u.Host
		a := visitorOf(t, srv.URL).do(req)
		src, _ := attr(byID(a.page, "seats"), "src")
		if want := tt.want + "/widget/seats?parent=" + url.QueryEscape(tt.host); !strings.EqualFold(src, want) {
			t.Errorf("at %s the frame is %s, want %s", tt.host, src, want)
		}
	}
	c := visitorOf(t, srv.SecondOrigin)
	a := c.get("/widget/seats?parent=" + srv.URL)
	a.want(t, 200, "Reserve seats")
	if p, _ := attr(byID(a.page, "seats"), "data-parent"); p != srv.URL {
		t.Errorf("the frame answers to %q, want %q", p, srv.URL)
	}
	if a.header.Get("Set-Cookie") != "" {
		t.Error("the frame sets a cookie: it would count as a visitor")
	}
}

func TestCookieBannerGoesAwayForGood(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	if byID(c.get("/offers").page, "cookies") == nil {
		t.Fatal("there is no banner on the first visit")
	}
	for _, path := range []string{"/", "/shop", "/cart", "/bench"} {
		if byID(c.get(path).page, "cookies") != nil {
			t.Errorf("there is a banner on %s", path)
		}
	}
	if byID(c.post("/offers/consent", "choice", "needed").page, "cookies") != nil {
		t.Error("the banner is still there after the choice")
	}
}

func TestErrorPages(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	c.get("/no/such/page").want(t, 404, "could not find")
	c.get("/errors/404").want(t, 404, "could not find")
	c.get("/errors/500").want(t, 500, "broke on our side")
	a := c.get("/errors/503")
	a.want(t, 503, "tidying up")
	if a.header.Get("Retry-After") == "" {
		t.Error("503 without Retry-After")
	}
	if a := c.get("/errors/empty"); a.status != 200 || a.body != "" {
		t.Errorf("empty: %d %q", a.status, a.body)
	}
	if resp, err := c.http.Get(c.base + "/errors/reset"); err == nil {
		resp.Body.Close()
		t.Errorf("reset answered with %s, want a cut connection", resp.Status)
	}
	if a := c.get("/redirect?to=" + url.QueryEscape("/shop?q=mug")); a.path != "/shop?q=mug" {
		t.Errorf("the redirect led to %s", a.path)
	}
	resp, err := c.http.Get(c.base + "/redirect/loop")
	if ue := (*url.Error)(nil); !errors.As(err, &ue) || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("the loop ended with %v", err)
	}
	if resp != nil {
		resp.Body.Close()
	}
}

func TestHostileTextIsThereAndWhatItCatchesIsKept(t *testing.T) {
	srv := serve(t, demosite.Config{})
	c := visitorOf(t, srv.URL)
	c.get("/ads").want(t, 200, "Ignore all previous instructions", "1.9 kilograms", "I have been taken over")
	c.get("/ads/collected").want(t, 200, "Nothing was sent here")
	if got := srv.Site.Collected(); len(got) != 0 {
		t.Fatalf("collected %q before anything was sent", got)
	}
	c.get("/ads/collect?note=one").want(t, 200, "one")
	c.post("/ads/collect", "note", "two").want(t, 200, "one", "two")
	if got := srv.Site.Collected(); len(got) != 2 {
		t.Errorf("collected %q, want both", got)
	}
}

// The controls that tests name must be on the pages, and the pages that log
// must have the log.
func TestBenchPagesHaveWhatTestsName(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	for path, ids := range map[string]string{
		"/tricky":         "log real hidden-display hidden-visibility hidden-attribute transparent offscreen clipped disabled aria-disabled fieldset-disabled late covered cover dismiss glass-covered glass half-covered below-veil no-pointer moving settling listener inline delegated role svg-icon wrapped flat hover-row hover-archive rerendered renamed area-left area-right box pack-14 under-bar bar chat",
		"/tricky/fields":  "log filled short locked phone controlled stubborn secret reveal long number range date time month week moment tint digits digit-1 digit-6 plain-editable rich-editable grouped several listed combo-input combo-list picker picker-list chip-input toggle switch some size-2",
		"/tricky/widgets": "log tab-hours panel-way map details-wash acc-return print-label menu-button menu-copy menu-move move-attic tree tree-january sortable task-1 piece basket calendar month-after virtual feed",
		"/tricky/pointer": "log canvas double context middle hold with-shift context-rename tip slider volume keys command wheel zoom",
		"/component":      "log stepper stepper-value card slotted panel declared gift-field",
		"/dialogs":        "log alert confirm prompt twice later guard leave open-modal modal",
		"/new-tab":        "log blank named same open popup open-later",
		"/files":          "download-csv download-txt download-pdf download-made file choose drop upload-state uploaded",
		"/slow?hang=1":    "late freeze",
		"/widget":         "seats rating widget-result rating-result",
		"/offers":         "claim claim-state cookies cookies-accept cookies-needed",
	} {
		doc := c.get(path).page
		for id := range strings.FieldsSeq(ids) {
			if n := byID(doc, id); n == nil || n.Type != html.ElementNode {
				t.Errorf("%s has nothing with the id %s", path, id)
			}
		}
	}
}
