package browser

import (
	"regexp"
	"strings"
	"testing"
)

// What has no words is told by what else a person sees of it: its icon, its
// class, its exact colour, its file, its place.
func TestWordlessThingsCanBeToldApart(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<title>wordless</title>
		<style>.area{width:200px;height:150px;border:1px solid} .cc{width:12px;height:12px}</style>
		<button class="tool-bold"><svg viewBox="0 0 18 18" width=18 height=18><path d="M2 2H9V9z"/></svg></button>
		<button class="tool-italic"><svg viewBox="0 0 18 18" width=18 height=18><path d="M2 2H9V9z"/></svg></button>
		<a href="#" role=button class="ui-button ui-corner-tr ui-button-icon-only"><span style="display:block;width:16px;height:16px" class="ui-icon ui-icon-arrow-up"></span></a>
		<p><input type=checkbox><input type=checkbox><input type=checkbox>
		<div class=area id=pad onclick="document.title='pad'"></div>
		<p>Match <span class=cc style="display:inline-block;background:#a04bd2"></span> please
		<p><img src="/chart_7.png" width=80 height=60>
		<ul><li class=active><a href="#">Seven</a></ul>
		<p><b>Higgins</b><i style="margin-left:6px">@vanda</i><u>s</u>`,
		"/chart_7.png": ""})
	s := newTestSession(t)
	st := look(t, s, srv.URL, StateOptions{})
	text := st.Text.String
	for _, want := range []string{
		`\]<button class=tool-bold`, `\]<button class=tool-italic`, `icon=arrow-up`, `(?s)(type=checkbox @\d+,\d+,\d+,\d+.*){3}`,
		`\]<div id=pad class=area @\d+,\d+,202,152`, `bg=purple/#a04bd2`, `<img>chart_7\.png`, `Higgins @vandas`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("the state lacks %s", want)
		}
	}
	if n := strings.Count(text, "Seven"); n != 1 {
		t.Errorf("an active item with one link says its words %d times", n)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// Shapes outside the edge of their drawing are not painted and were told as
// if they could be pressed.
func TestShapesBeyondTheirDrawingAreNotTold(t *testing.T) {
	srv := serve(t, map[string]string{"/": `<title>moving</title><svg width=160 height=160>
		<circle cx=-40 cy=20 r=18 fill=red onclick=1></circle><circle cx=80 cy=20 r=18 fill=green onclick=1></circle>
		<line x1=0 y1=80 x2=160 y2=80 stroke=black stroke-width=1></line></svg>`})
	s := newTestSession(t)
	st := look(t, s, srv.URL, StateOptions{})
	if text := st.Text.String; strings.Contains(text, "fill=red") || !strings.Contains(text, "fill=green") || !strings.Contains(text, "<line") {
		t.Error(text)
	}
}
