package browser

import (
	"regexp"
	"testing"
)

// A board whose one listener sits on the box around it was told as one target
// with the texts of all its cells run together, so no cell could be pressed.
func TestItemsOfAListeningContainerAreTargets(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<title>boards</title>
		<style>.cell{display:inline-block;width:30px;height:30px;border:1px solid}.r{background:red}</style>
		<div id=board><div class="cell r"></div><div class=cell></div><div class="cell done"></div></div>
		<div id=pad><div class=key>a</div><div class=key>b</div></div>
		<table id=cal><tr><td>1<td>2<tr><td>3<td>4</table>
		<div id=card><h3>Card title</h3><p>One text</p><p>Another text</p></div>
		<script>for (const id of ['board', 'pad', 'cal', 'card'])
			document.getElementById(id).addEventListener('click', (e) => { document.title = id + ':' + (e.target.textContent || e.target.className) })</script>`})
	s := newTestSession(t)
	ctx := testContext(t)
	if _, err := s.Navigate(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	st, err := s.State(ctx, StateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := st.Text.String
	for _, want := range []string{
		`\[\d+\]<div[^>]*bg=red`, `\[\d+\]<div[^>]*>a\n`, `\[\d+\]<div[^>]*>b\n`,
		`\[\d+\]<td[^>]*>1\n`, `\[\d+\]<td[^>]*>4\n`, `\[\d+\]<div[^>]*>Card title One text Another text`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the state lacks %s", want)
		}
	}
	if n := len(regexp.MustCompile(`\[\d+\]<`).FindAllString(text, -1)); n != 3+2+4+1 {
		t.Errorf("%d targets, want 10: each item once, and the card as one", n)
	}
	for _, e := range st.Page.Elements {
		if e.Index == 0 || e.Text != "3" {
			continue
		}
		if _, err := s.Click(ctx, e.Index, ClickOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if title, err := Evaluate[string](ctx, s, "document.title"); err != nil || title != "cal:3" {
		t.Errorf("title = %q, %v: the cell was not pressed", title, err)
	}
	if t.Failed() {
		t.Log(text)
	}
}
