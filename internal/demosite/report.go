package demosite

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// reportRows is how long the report is.
const reportRows = 1000

type reportRow struct {
	Number  int
	Date    time.Time
	Region  string
	Channel string
	Product string
	Units   int
	Revenue int // euro cents
	Status  string
}

var (
	regions  = []string{"North", "South", "East", "West", "Islands"}
	channels = []string{"Web", "Shop", "Market", "Wholesale"}
	statuses = []string{"Paid", "Paid", "Paid", "Open", "Refunded"}
)

// newReport makes up a year of sales. The same on every start.
func newReport(c *catalog) []reportRow {
	first := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	rows := make([]reportRow, reportRows)
	for i := range rows {
		key := func(what string) string { return fmt.Sprintf("row %d/%s", i+1, what) }
		p := c.products[draw(key("product"), len(c.products))]
		units := 1 + draw(key("units"), 40)
		rows[i] = reportRow{
			Number:  i + 1,
			Date:    first.AddDate(0, 0, i*365/reportRows),
			Region:  regions[draw(key("region"), len(regions))],
			Channel: channels[draw(key("channel"), len(channels))],
			Product: p.Name,
			Units:   units,
			Revenue: units * p.Cents,
			Status:  statuses[draw(key("status"), len(statuses))],
		}
	}
	return rows
}

var reportColumns = []struct {
	Key, Title string
	Numeric    bool
	compare    func(a, b reportRow) int
}{
	{"number", "No.", true, func(a, b reportRow) int { return cmp.Compare(a.Number, b.Number) }},
	{"date", "Date", false, func(a, b reportRow) int { return a.Date.Compare(b.Date) }},
	{"region", "Region", false, func(a, b reportRow) int { return cmp.Compare(a.Region, b.Region) }},
	{"channel", "Channel", false, func(a, b reportRow) int { return cmp.Compare(a.Channel, b.Channel) }},
	{"product", "Product", false, func(a, b reportRow) int { return cmp.Compare(a.Product, b.Product) }},
	{"units", "Units", true, func(a, b reportRow) int { return cmp.Compare(a.Units, b.Units) }},
	{"revenue", "Revenue", true, func(a, b reportRow) int { return cmp.Compare(a.Revenue, b.Revenue) }},
	{"status", "Status", false, func(a, b reportRow) int { return cmp.Compare(a.Status, b.Status) }},
}

// reportColumn is a heading as the page shows it.
type reportColumn struct {
	Title, Link string
	Sort        string // "", "ascending" or "descending", as aria-sort has it
	Numeric     bool
}

// sorted returns the rows in the order that v asks for, and the headings.
func (s *Site) sorted(v url.Values) ([]reportRow, []reportColumn) {
	by, down := v.Get("sort"), v.Get("dir") == "desc"
	rows := s.report
	var heads []reportColumn
	for _, c := range reportColumns {
		h := reportColumn{Title: c.Title, Numeric: c.Numeric, Link: "/report?sort=" + c.Key}
		if c.Key == by {
			rows = slices.Clone(rows)
			slices.SortStableFunc(rows, func(a, b reportRow) int {
				if down {
					return c.compare(b, a)
				}
				return c.compare(a, b)
			})
			if h.Sort = "descending"; !down {
				h.Sort = "ascending"
				h.Link += "&dir=desc"
			}
		}
		heads = append(heads, h)
	}
	return rows, heads
}

func (s *Site) reportPage(w http.ResponseWriter, r *http.Request, v *visitor) {
	rows, heads := s.sorted(r.URL.Query())
	total := 0
	for _, row := range rows {
		total += row.Revenue
	}
	s.render(w, v, http.StatusOK, "report", view{Title: "Sales report 2025", Section: "bench", Data: struct {
		Heads []reportColumn
		Rows  []reportRow
		Total int
		CSV   string
	}{heads, rows, total, "/report.csv?" + r.URL.RawQuery}})
}

func (s *Site) reportCSV(w http.ResponseWriter, r *http.Request) {
	rows, heads := s.sorted(r.URL.Query())
	attachment(w, "report-2025.csv", "text/csv; charset=utf-8")
	out := csv.NewWriter(w)
	var titles []string
	for _, h := range heads {
		titles = append(titles, h.Title)
	}
	_ = out.Write(titles)
	for _, row := range rows {
		_ = out.Write([]string{
			strconv.Itoa(row.Number), row.Date.Format(time.DateOnly), row.Region, row.Channel, row.Product,
			strconv.Itoa(row.Units), fmt.Sprintf("%d.%02d", row.Revenue/100, row.Revenue%100), row.Status,
		})
	}
	out.Flush()
}

// attachment makes the answer a download.
func attachment(w http.ResponseWriter, name, mime string) {
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
}
