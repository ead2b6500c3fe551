package browser

import (
	"strings"
	"testing"

	"github.com/seed-4bdb41d0/webhand/dom"
)

func TestMarkdownOfAPage(t *testing.T) {
	rows := []struct{ name, html, want string }{
		{"headings and paragraphs", `<h1>Title</h1><p>One <b>bold</b> and <em>soft</em>.</p><p>Two</p>`, "# Title\n\nOne **bold** and *soft*.\n\nTwo"},
		{"link escapes stay", `<p>See <a href="/a%20b?x=%2F">this page</a>.</p>`, "See [this page]($URL/a%20b?x=%2F)."},
		{"lists", `<ul><li>A<li>B<ul><li>C</ul></ul><ol start=3><li>x<li>y</ol>`, "- A\n- B\n  - C\n\n3. x\n4. y"},
		{"table", `<table><tr><th>Name<th>Qty<tr><td>A|B<td><a href="/q">5</a></table>`, "| Name | Qty |\n| --- | --- |\n| A\\|B | [5]($URL/q) |"},
		{"code", "<pre><code class=language-go>func main() {\n\tx := 1\n}</code></pre><p>Use <code>go test</code></p>", "```go\nfunc main() {\n\tx := 1\n}\n```\n\nUse `go test`"},
		{"quote", `<blockquote><p>Said</p><p>Again</p></blockquote><p>After</p>`, "> Said\n>\n> Again\n\nAfter"},
		{"hidden text is not content", `<p>Seen</p><p hidden>No</p><div style="opacity:0">No</div><p style="display:none">No</p><p style="visibility:hidden">No</p>`, "Seen"},
		{"shadow and slots", `<div id=h><b slot=a>slotted</b></div><script>h.attachShadow({mode:'open'}).innerHTML = '<h2>In shadow</h2><slot name=a></slot>'</script>`, "## In shadow\n\n**slotted**"},
		{"frame", `<p>Out</p><iframe srcdoc="<p>In</p>"></iframe>`, "Out\n\nIn"},
		{"layout table", `<table role=presentation><tr><td><h2>A</h2><td><p>B</p></table>`, "## A\n\nB"},
		{"block link", `<a href="/c"><h3>Card</h3><p>Words</p></a>`, "[Card]($URL/c)\n\nWords"},
		{"field values", `<p>Name: <input value=Ann></p>`, "Name: Ann"},
	}
	pages := map[string]string{}
	for i, r := range rows {
		pages["/p"+string(rune('a'+i))] = "<body>" + r.html + "</body>"
	}
	srv := serve(t, pages)
	s := newTestSession(t)
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if _, err := s.Navigate(testContext(t), srv.URL+"/p"+string(rune('a'+i))); err != nil {
				t.Fatal(err)
			}
			got, err := s.Markdown(testContext(t), dom.MarkdownOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(row.want, "$URL", srv.URL); got != want {
				t.Errorf("got:\n%s\n\nwant:\n%s", got, want)
			}
		})
	}
}

func TestMarkdownOptions(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<header><a href=/>Shop</a></header><nav><a href=/x>Menu</a></nav><main><article><header><h1>Title</h1></header><p>Text <a href=/y>link</a> <img src=/i.png alt=Pic width=50 height=50></p></article></main><aside>Ads</aside><footer>Legal</footer>`})
	s := newTestSession(t)
	if _, err := s.Navigate(testContext(t), srv.URL); err != nil {
		t.Fatal(err)
	}
	got, err := s.Markdown(testContext(t), dom.MarkdownOptions{Main: true, NoLinks: true, Images: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := "# Title\n\nText link ![Pic](" + srv.URL + "/i.png)"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
