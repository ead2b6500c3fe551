package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/seed-4bdb41d0/webhand/dom"
)

// Every way to name an element, and the name that people who listen to pages
// hear. White space counts in ours and not in the comparison with Chrome's,
// which joins what stands in inline blocks.
var namings = []struct{ name, html, want string }{
	{"content", `<button id=$>Save <b>all</b></button>`, "Save all"},
	{"content in blocks", `<a id=$ href=/x><div>Kitchen</div><div>12 products</div></a>`, "Kitchen 12 products"},
	{"content in spans made blocks", `<a id=$ href=/x><span style="display:block">Kitchen</span><span style="display:block">12 products</span></a>`, "Kitchen 12 products"},
	{"content in one word", `<button id=$>un<b>bold</b>ed</button>`, "unbolded"},
	{"line break", `<a id=$ href=/x>About<br>us</a>`, "About us"},
	{"white space between elements", `<a id=$ href=/x><b>Two</b> <i>words</i></a>`, "Two words"},
	{"picture in the content", `<a id=$ href=/x><img alt=Cart src="data:," width=9 height=9> 3</a>`, "Cart 3"},
	{"words for those who listen", `<a id=$ href=/x>Read<span style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)"> more about tea</span></a>`, "Read more about tea"},
	{"what is hidden does not count", `<button id=$>Go<span hidden> away</span><span style="visibility:hidden"> now</span></button>`, "Go"},
	{"what is hidden from those who listen", `<button id=$>Close <span aria-hidden=true>×</span></button>`, "Close"},
	{"aria-label", `<button id=$ aria-label="Close the dialog">×</button>`, "Close the dialog"},
	{"aria-label inside", `<button id=$>Go <span aria-label="to the next page">→</span></button>`, "Go to the next page"},
	{"aria-labelledby", `<span id=l1>Bill</span> <span id=l2>name</span><input id=$ aria-labelledby="l1 l2">`, "Bill name"},
	{"aria-labelledby of something hidden", `<span id=l3 hidden>Secret <b>word</b></span><input id=$ aria-labelledby=l3>`, "Secret word"},
	{"aria-labelledby of itself too", `<h4 id=l4>Report</h4><a id=$ href=/x aria-label=Open aria-labelledby="$ l4">x</a>`, "Open Report"},
	{"aria-labelledby before aria-label", `<span id=l5>First</span><button id=$ aria-label=Second aria-labelledby=l5>Third</button>`, "First"},
	{"aria-labelledby of a field", `<input id=l6 value=Oslo><button id=$ aria-labelledby=l6>x</button>`, "Oslo"},
	{"label for", `<label for=$>E-mail <em>(work)</em></label><input id=$>`, "E-mail (work)"},
	{"label around", `<label>Phone <input id=$></label>`, "Phone"},
	{"label around in blocks", `<label><input id=$ type=radio><span style="display:block">Express</span><span style="display:block">next day</span></label>`, "Express next day"},
	{"two labels", `<label for=$>One</label><label for=$>Two</label><input id=$>`, "One Two"},
	{"label with a field in it", `<label><input id=$ type=checkbox> Remind me after <input value=3 size=2> days</label>`, "Remind me after 3 days"},
	{"label with hidden words", `<label for=$>City<span hidden> (required)</span></label><input id=$>`, "City"},
	{"placeholder", `<input id=$ placeholder="Search the shop">`, "Search the shop"},
	{"title", `<button id=$ title="Delete row"></button>`, "Delete row"},
	{"title after the placeholder", `<input id=$ title=Title placeholder=Holder>`, "Title"},
	{"alt", `<input id=$ type=image alt="Go on" src="data:,">`, "Go on"},
	{"value of a button", `<input id=$ type=button value=Refresh>`, "Refresh"},
	{"submit without a value", `<input id=$ type=submit>`, "Submit"},
	{"reset without a value", `<input id=$ type=reset>`, "Reset"},
	{"svg title", `<button id=$><svg width=9 height=9><title>Menu</title><path d="M0 0h9v9z"/></svg></button>`, "Menu"},
	{"aria-label on a drawing", `<a id=$ href=/x><svg width=9 height=9 role=img aria-label=Home><path d="M0 0h9v9z"/></svg></a>`, "Home"},
	{"summary", `<details><summary id=$>More <i>details</i></summary>x</details>`, "More details"},
	{"select", `<label for=$>Size</label><select id=$><option>S<option>M</select>`, "Size"},
	{"textarea", `<label>Notes<textarea id=$>text</textarea></label>`, "Notes"},
	{"checkbox role", `<div id=$ role=checkbox aria-checked=true tabindex=0>Agree</div>`, "Agree"},
	{"switch", `<div id=$ role=switch aria-checked=false tabindex=0 aria-label=Dark style="width:20px;height:9px"></div>`, "Dark"},
	{"tab", `<div role=tablist><div id=$ role=tab tabindex=0>Reviews <span>(12)</span></div></div>`, "Reviews (12)"},
	{"text box role", `<span id=l7>Message</span><div id=$ role=textbox contenteditable aria-labelledby=l7>draft</div>`, "Message"},
	{"slotted", `<x-name-card><b slot=t>Slotted</b></x-name-card><script>customElements.define('x-name-card', class extends HTMLElement { connectedCallback() { const r = this.attachShadow({mode: 'open'}); r.innerHTML = '<button>Buy <slot name=t></slot></button>' } })</script>`, ""},
}

// Names are computed from the page's own tree; Chrome's accessibility tree,
// forty times as dear, has to agree.
func TestNamesAreThoseOfTheAccessibilityTree(t *testing.T) {
	var page strings.Builder
	for i, n := range namings {
		page.WriteString("<div>" + strings.ReplaceAll(n.html, "$", fmt.Sprintf("n%d", i)) + "</div>\n")
	}
	srv := serve(t, map[string]string{"/": page.String()})
	s := newTestSession(t)
	st := look(t, s, srv.URL, StateOptions{Full: true, Text: dom.TextOptions{Budget: -1}})
	ours := make(map[string]*dom.Element)
	for i := range st.Page.Elements {
		if id, ok := st.Page.Elements[i].Attr("id"); ok {
			ours[id] = &st.Page.Elements[i]
		}
	}
	tab, err := s.active(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	sess, world, err := tab.world(testContext(t), tab.main)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range namings {
		t.Run(n.name, func(t *testing.T) {
			if n.want == "" {
				if targetOf(t, st, "Buy Slotted") == nil {
					t.Errorf("no target Buy Slotted")
				}
				return
			}
			id := fmt.Sprintf("n%d", i)
			e := ours[id]
			if e == nil || e.Index == 0 {
				t.Fatalf("is no target: %+v", e)
			}
			if e.Name != n.want {
				t.Errorf("named %q, want %q", e.Name, n.want)
			}
			if got := axName(t, sess, world, id); squeezed(got) != squeezed(e.Name) {
				t.Errorf("named %q here and %q by Chrome", e.Name, got)
			}
		})
	}
}

// axName is what Chrome calls the element.
func axName(t *testing.T, sess *cdpSession, world runtime.ExecutionContextID, id string) string {
	t.Helper()
	obj, err := cdp.Call(testContext(t), sess, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.getElementById('" + id + "')", ContextID: world})
	if err != nil || obj.Result == nil || obj.Result.ObjectID == "" {
		t.Fatalf("find %s: %v", id, err)
	}
	res, err := cdp.Call(testContext(t), sess, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: obj.Result.ObjectID, FetchRelatives: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range res.Nodes {
		if n.Name != nil && !n.Ignored {
			return strings.Trim(string(n.Name.Value), `"`)
		}
	}
	return ""
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }
