package report

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"image"
	"image/jpeg"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/agent"
	"golang.org/x/image/draw"
)

// HTMLOptions say what goes into the page. The zero value is everything, with
// pictures 960 pixels wide.
type HTMLOptions struct {
	// Width is the greatest width of a screenshot in pixels. Zero is 960.
	Width int
	// NoImages leaves out the screenshots.
	NoImages bool
	// Cost is what the run cost, as text such as "$0.012". Empty takes it from
	// the history, where the prices of all models used are known.
	Cost string
}

var (
	//go:embed report.html
	pageHTML string
	//go:embed report.css
	pageCSS string
	//go:embed report.js
	pageJS string

	page = template.Must(template.New("report").Funcs(template.FuncMap{"seconds": seconds}).Parse(pageHTML))
)

// HTML writes the run as one HTML page: a timeline with pictures, what the
// model saw and wrote, the actions with their boxes on the picture, results,
// errors, tokens and times. The page loads nothing, and its content security
// policy forbids it to.
func HTML(w io.Writer, h *agent.History, opts HTMLOptions) error {
	if opts.Width <= 0 {
		opts.Width = 960
	}
	v, err := view(h, opts)
	if err != nil {
		return err
	}
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("report: write: %w", err)
	}
	return nil
}

// pageView is what the template shows.
type pageView struct {
	Nonce   string
	CSS     template.CSS
	JS      template.JS
	Live    bool
	Version int // of a live view
	History *agent.History
	Tasks   []agent.TaskRun
	Outcome agent.Outcome
	Good    bool
	Took    time.Duration
	Tokens  int
	Cost    string
	Steps   []stepView
	Chart   []bar
}

type stepView struct {
	*agent.Step
	Image   template.URL
	W, H    int // of the picture, pixels
	Boxes   []boxView
	Took    time.Duration
	Actions []actionView
}

type actionView struct {
	agent.Action
	Args string
}

type boxView struct {
	X, Y, W, H float64 // percent of the picture
	Label      string
}

// bar is a step's row in the chart; the parts are percent of the longest step.
type bar struct {
	Number                          int
	Observe, Model, Act, Held, Rest float64
	Title                           string
}

func view(h *agent.History, opts HTMLOptions) (*pageView, error) {
	var nonce [12]byte
	_, _ = rand.Read(nonce[:]) // never fails
	v := &pageView{
		Nonce: base64.RawURLEncoding.EncodeToString(nonce[:]),
		// Both are files of this package.
		CSS: template.CSS(pageCSS), JS: template.JS(pageJS), //nolint:gosec // our own files
		History: h, Tasks: h.Tasks, Outcome: h.Outcome(), Good: h.Succeeded(),
		Took: h.Duration(), Tokens: h.Usage.Tokens.Total(), Cost: opts.Cost,
	}
	var longest int64 = 1
	if u := h.Usage; v.Cost == "" && u.Priced && u.Cost > 0 {
		v.Cost = fmt.Sprintf("$%.4f", u.Cost)
	}
	for _, s := range h.Steps {
		longest = max(longest, s.Timing.Total)
	}
	pictures := sync.WaitGroup{}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	v.Steps = make([]stepView, 0, len(h.Steps)) // never moves while pictures are made
	for _, s := range h.Steps {
		sv := stepView{Step: s, Took: time.Duration(s.Timing.Total) * time.Millisecond}
		for _, a := range s.Actions {
			sv.Actions = append(sv.Actions, actionView{Action: a, Args: indent(a.Args)})
		}
		v.Steps = append(v.Steps, sv)
		if s.Page.Screenshot != "" && !opts.NoImages {
			at := &v.Steps[len(v.Steps)-1]
			pictures.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				if err := at.picture(h.Dir, opts.Width); err != nil {
					// A report with one picture missing is better than none.
					at.Image = ""
				}
			})
		}
		part := func(ms int64) float64 { return float64(ms) * 100 / float64(longest) }
		t := s.Timing
		v.Chart = append(v.Chart, bar{
			Number: s.Number, Observe: part(t.Observe), Model: part(t.Model), Act: part(t.Act), Held: part(t.Held), Rest: part(t.Overhead()),
			Title: fmt.Sprintf("step %d: page %d ms, model %d ms, actions %d ms, waiting %d ms, rest %d ms", s.Number, t.Observe, t.Model, t.Act, t.Held, t.Overhead()),
		})
	}
	pictures.Wait()
	return v, nil
}

// picture embeds the screenshot, smaller and as JPEG, with the boxes of the
// elements that were acted on.
func (v *stepView) picture(dir string, width int) error {
	img, err := readImage(dir, v.Page.Screenshot)
	if err != nil {
		return err
	}
	size := img.Bounds().Size()
	if size.X > width {
		size = image.Pt(width, size.Y*width/size.X)
	}
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, small, &jpeg.Options{Quality: 72}); err != nil {
		return err
	}
	v.Image = template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(buf.Bytes())) //nolint:gosec // bytes we encoded
	v.W, v.H = size.X, size.Y
	for _, a := range v.Step.Actions {
		b, ok := boundsOf(a.Element)
		if !ok {
			continue
		}
		full := img.Bounds().Size()
		v.Boxes = append(v.Boxes, boxView{
			X: b[0] * 100 / float64(full.X), Y: b[1] * 100 / float64(full.Y),
			W: b[2] * 100 / float64(full.X), H: b[3] * 100 / float64(full.Y),
			Label: a.Name,
		})
	}
	return nil
}

// boundsOf reads the box of a recorded element: [x, y, width, height] in
// viewport pixels.
func boundsOf(element json.RawMessage) ([4]float64, bool) {
	var e struct {
		Bounds []float64 `json:"bounds"`
	}
	if len(element) == 0 || json.Unmarshal(element, &e) != nil || len(e.Bounds) != 4 || e.Bounds[2] <= 0 || e.Bounds[3] <= 0 {
		return [4]float64{}, false
	}
	return [4]float64(e.Bounds), true
}

func indent(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "{}" {
		return ""
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return strings.TrimSpace(b.String())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
