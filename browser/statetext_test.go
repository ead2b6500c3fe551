package browser

import "testing"

// What a page says is told once, and what it keeps closed is not told.
func TestTextTellsWhatShowsOnce(t *testing.T) {
	for _, row := range []struct{ name, html, want string }{
		{"words of a closed details", `<details><summary>More</summary>Loose words<p>A paragraph</p></details>`, "[1]<summary aria-expanded=false>More"},
		{"words of an open details", `<details open><summary>More</summary>Loose words</details>`, "[1]<summary aria-expanded=true>More\nLoose words"},
		{"an icon that is all a cell shows", `<style>i{display:inline-block;width:9px;height:9px}</style><table><tr><th>Plan<th>Mail</tr><tr><td>Free<td><i class="fa fa-times"></i></tr><tr><td>Pro<td><i class="fa fa-check"></i></tr></table>`,
			"<table>\n | Plan | Mail\n | Free | (times)\n | Pro | (check)"},
		{"an icon in a sentence", `<style>i{display:inline-block;width:9px;height:9px}</style><p>Press the <i class="ui-icon ui-icon-disk"></i> symbol.`, "Press the (disk) symbol."},
		{"an icon that decorates words", `<style>i{display:inline-block;width:9px;height:9px}</style><p><i class="fa fa-phone"></i> Call us`, "Call us"},
		{"stars", `<style>i{display:inline-block;width:9px;height:9px}</style><p>Rated <span><i class="fa fa-star"></i><i class="fa fa-star"></i><i class="fa fa-star-half"></i></span>`, "Rated (star) (star) (star-half)"},
		{"a heading of link and words", `<h3><a href=/a>Title</a> <small>2 h</small></h3>`, "<h3>\n [1]<a>Title\n 2 h"},
		{"a heading that is one link", `<h3><a href=/a>Title</a></h3>`, "[1]<a>Title"},
		{"a heading named otherwise", `<h3 aria-label="Offers of the week"><a href=/a>Title</a> <small>2 h</small></h3>`, "<h3>Offers of the week\n [1]<a>Title\n 2 h"},
		{"code", "<pre>def f(x):\n    if x:\n\treturn 1\n\n    return 2\n</pre>", "<pre>\n def f(x):\n     if x:\n     return 1\n     return 2"},
		{"code in colours", "<pre><code><span>def</span> <span>g</span>():\n<b>    </b><i>if</i> y:\n        <i>return</i> <span>1</span>\n    <i>return</i> 2</code></pre>",
			"<pre>\n def g():\n     if y:\n         return 1\n     return 2"},
		{"code in colours outside of pre", "<code style='display:block;white-space:pre'><b>if</b> y:\n    <i>return</i> 1</code><p>not <code>a\n   b</code>", "if y:\n    return 1\nnot a b"},
		{"code in a table", "<style>td+td{white-space:pre}</style><table><tr><td>1<td><b>if</b> y:<tr><td>2<td>    <i>return</i> 1<tr><td>3<td>\t<i>x()</i></table>",
			"<table>\n | 1 | if y:\n | 2 |     return 1\n | 3 |     x()"},
		{"an indentation that ends with its block", "<pre>a\n     </pre><pre>b</pre>", "<pre>a\n<pre>b"},
		{"a message that keeps its lines", "<div style='white-space:pre-wrap'>so:\n   one\n     two</div>", "so:\n   one\n     two"},
		{"one that keeps line ends only", "<div style='white-space:pre-line'>so:\n   one</div>", "so:\none"},
		{"code with a link", "<pre>a:\n  <a href=/x>link</a> rest\n  b</pre>", "a:\n[1]<a>link\nrest\n  b"},
		{"indented HTML", "<div>\n      <p>one\n         two</p>\n      three\n  </div>", "one two\nthree"},
	} {
		t.Run(row.name, func(t *testing.T) {
			srv := serve(t, map[string]string{"/": row.html})
			if got := look(t, newTestSession(t), srv.URL, StateOptions{}).Text.String; got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}
