package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// What the shop's checkout writes around its button.
const (
	orderButton = `<button type="submit" class="button" id="place-order">Place order</button>`
	inItsPlace  = `<p>` + orderButton + `</p>`
	formEnd     = `</form>
  <aside`
)

// decoy presses tell the shop that the wrong thing was clicked.
const decoyPress = ` onclick="navigator.sendBeacon('/wrong')"`

func button(attrs, text string) string {
	return `<button type="submit"` + attrs + `>` + text + `</button>`
}

func decoy(attrs, text string) string {
	return `<button type="button"` + attrs + decoyPress + `>` + text + `</button>`
}

// later runs a script in the page after so many milliseconds.
func later(ms int, js string) string {
	return fmt.Sprintf(`<script>addEventListener("load", () => setTimeout(() => { %s }, %d));</script>`, js, ms)
}

// cover lies over the whole page.
const cover = `<div id="cover" style="position:fixed;inset:0;z-index:9999;background:#fffc"><button id="close-cover" onclick="this.parentNode.remove()">No thanks</button></div>`

// coverAtTheEnd puts the cover over the page when the terms are accepted.
const coverAtTheEnd = `<script>terms.addEventListener("change", () => document.body.insertAdjacentHTML("beforeend", ` + "`" + cover + "`" + `))</script>`

// mutation is a change of the checkout page and what a replay has to make of
// it.
type mutation struct {
	name string
	// edit changes the page of the checkout.
	edit func(page string) string
	// level is how the button is found; "" when the order must not be placed.
	level string
	// field is how the street is found, when that is asked for.
	field string
	// fails is what the error has to match or say.
	fails any
	// policy, and what the model answers when it is asked to heal.
	policy OnMiss
	heals  func(req *llm.Request) []string
	clears bool // the answer only clears the way
	result ReplayResult
}

// swap replaces text that must be there.
func swap(pairs ...string) func(string) string {
	return func(page string) string {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(page, pairs[i]) {
				panic("the checkout has no " + pairs[i])
			}
		}
		return strings.NewReplacer(pairs...).Replace(page)
	}
}

var (
	idAttr    = regexp.MustCompile(`\b(id|for|aria-describedby)="[^"]+"`)
	classAttr = regexp.MustCompile(`class="[^"]+"`)
	fieldsets = regexp.MustCompile(`(?s)<fieldset class="panel">.*?</fieldset>`)
	country   = regexp.MustCompile(`(?s)<label class="option"><input type="radio" name="shipping" value="express".*?</label>`)
)

var german = []string{
	"Full name", "Vollständiger Name", "Street and number", "Straße und Hausnummer", ">Email<", ">E-Mail<", "Postcode and city", "Postleitzahl und Ort",
	">Country<", ">Land<", "Delivery date", "Liefertag", "Gift note", "Grußkarte", "I accept the terms of sale", "Ich nehme die Bedingungen an",
	"Place order", "Bestellung abschicken", "Who is it for?", "Für wen?", "Where should it go?", "Wohin?", "How should we send it?", "Versand",
	"Is it a present?", "Ist es ein Geschenk?", ">Express<", ">Eilsendung<", `aria-label="Checkout"`, `aria-label="Kasse"`,
	"next working day", "am nächsten Werktag", "<h1>Checkout", "<h1>Kasse",
}

func mutations() []mutation {
	pressIt := func(req *llm.Request) []string { return []string{click(index(req, "Buy now"))} }
	return []mutation{
		{name: "nothing", edit: func(p string) string { return p }, level: "exact", field: "exact"},
		{name: "a class that comes with the focus", edit: swap(orderButton, button(` class="button focus hover" id="place-order"`, "Place order")), level: "stable"},
		{name: "another class", edit: swap(orderButton, button(` class="css-1x9" id="place-order"`, "Place order")), level: "path"},
		{name: "all classes renamed", edit: func(p string) string { return classAttr.ReplaceAllString(p, `class="c"`) }, level: "path"},
		{name: "another id", edit: swap(orderButton, button(` class="button" id="b47"`, "Place order")), level: "path"},
		{name: "id and class changed", edit: swap(orderButton, button(` class="x" id="b47"`, "Place order")), level: "path"},
		{name: "no ids at all, labels left hanging", edit: func(p string) string {
			return idAttr.ReplaceAllStringFunc(p, func(s string) string {
				if strings.Contains(s, "checkout") || strings.Contains(s, "note") || strings.Contains(s, "shipping") {
					return s
				}
				return "data-was" + s[strings.Index(s, "="):]
			})
		}, level: "path", field: "path"},
		{name: "the text changed", edit: swap("Place order", "Buy now"), level: "path"},
		{name: "the page translated", edit: swap(german...), level: "path", field: "path"},
		{name: "text and id changed", edit: swap(orderButton, button(` class="button" id="buy"`, "Buy now")), fails: ErrNoMatch},
		{
			name: "text and id changed, healed", edit: swap(orderButton, button(` class="button" id="buy"`, "Buy now")), policy: MissHeal,
			heals: pressIt, level: "healed",
		},
		{
			name: "text and id changed, skipped", edit: swap(orderButton, button(` class="button" id="buy"`, "Buy now")), policy: MissSkip,
			result: ReplayPartial,
		},
		{
			name: "the model finds nothing either", edit: swap(orderButton, ""), policy: MissHeal, heals: func(*llm.Request) []string { return nil },
			fails: "found nothing that does the same",
		},
		{
			name: "the model goes on with something else", edit: swap(orderButton, button(` class="button" id="buy"`, "Buy now")), policy: MissHeal,
			heals: func(req *llm.Request) []string { return []string{`{"wait":{"seconds":0}}`} }, fails: "ends with wait",
		},
		{name: "the parts of the form in another order", edit: func(p string) string {
			sets := fieldsets.FindAllString(p, -1)
			p = strings.Replace(p, sets[0], "@@", 1)
			p = strings.Replace(p, sets[1], sets[0], 1)
			return strings.Replace(p, "@@", sets[1], 1)
		}, level: "exact", field: "exact"},
		{name: "wrapped in a div", edit: swap(inItsPlace, `<div><p>`+orderButton+`</p></div>`), level: "name"},
		{name: "wrapped, without its id", edit: swap(inItsPlace, `<div class="bar">`+button(` class="button"`, "Place order")+`</div>`), level: "name"},
		{name: "wrapped, with another text", edit: swap(inItsPlace, `<div class="bar">`+button(` class="button" id="place-order"`, "Buy now")+`</div>`), level: "unique attribute"},
		{name: "an input instead of a button", edit: swap(orderButton, `<input type="submit" class="button" value="Place order">`), level: "name"},
		{name: "a link of the same text instead", edit: swap(orderButton, `<a href="/wrong"`+decoyPress+`>Place order</a>`), fails: ErrNoMatch},
		{
			name: "a twin before it", fails: ErrAmbiguous,
			edit: swap(orderButton, orderButton+`<script>document.currentScript.previousElementSibling.onclick = (e) => { e.preventDefault(); navigator.sendBeacon("/wrong"); }</script>`+orderButton),
		},
		{name: "a button of another kind with its id and text", edit: swap(orderButton, decoy(` class="button" id="place-order"`, "Place order")+orderButton), level: "exact"},
		{name: "a twin before it, without its id", edit: swap(orderButton, decoy(` class="button"`, "Place order")+orderButton), level: "exact"},
		{
			name: "a twin before it, neither with an id",
			edit: swap(orderButton, decoy(` class="button"`, "Place order")+button(` class="button"`, "Place order")), fails: ErrAmbiguous,
		},
		{name: "a hidden twin before it", edit: swap(orderButton, `<span style="display:none">`+decoy(` class="button" id="place-order"`, "Place order")+`</span>`+orderButton), level: "exact"},
		{
			name: "the same text in another form", level: "exact",
			edit: swap(formEnd, `</form><form aria-label="Newsletter">`+decoy(` class="button"`, "Place order")+`</form><aside`),
		},
		{
			name: "the same text in another form, its own gone", fails: ErrNoMatch,
			edit: swap(orderButton, "", formEnd, `</form><form aria-label="Newsletter">`+decoy(` class="button"`, "Place order")+`</form><aside`),
		},
		{
			name: "its id on another button, its own moved", fails: ErrAmbiguous,
			edit: swap(inItsPlace, `<div>`+button(` class="button"`, "Place order")+decoy(` class="button" id="place-order"`, "Cancel")+`</div>`),
		},
		{
			name: "its id on another button, its own in place", level: "path",
			edit: swap(orderButton, button(` class="button"`, "Place order")+`<span></span>`, `</aside>`, decoy(` id="place-order"`, "Cancel")+`</aside>`),
		},
		{name: "removed", edit: swap(orderButton, ""), fails: ErrNoMatch},
		{name: "another button in its place", edit: swap(orderButton, decoy(` class="button" id="cancel"`, "Cancel")), fails: ErrNoMatch},
		{name: "moved into a frame", edit: swap(orderButton, `<iframe title="Pay" srcdoc="&lt;button id=place-order class=button&gt;Place order&lt;/button&gt;"></iframe>`), fails: ErrNoMatch},
		{
			name: "delayed", level: "exact",
			edit: swap(inItsPlace, `<p id="late"></p>`+later(1200, "late.outerHTML = `"+inItsPlace+"`")),
		},
		{name: "covered for a while", edit: swap(formEnd, cover+later(1200, "cover.remove()")+formEnd), level: "exact", field: "exact"},
		{name: "covered for good", edit: swap(orderButton, orderButton+coverAtTheEnd), fails: ErrNoMatch},
		{
			name: "covered for good, healed", edit: swap(orderButton, orderButton+coverAtTheEnd),
			policy: MissHeal, level: "healed", clears: true,
			heals: func(req *llm.Request) []string { return []string{click(index(req, "No thanks"))} },
		},
		{name: "disabled for a while", edit: swap(orderButton, button(` disabled class="button" id="place-order"`, "Place order")+later(1200, `document.getElementById("place-order").disabled = false`)), level: "exact"},
		{name: "disabled for good", edit: swap(orderButton, button(` disabled class="button" id="place-order"`, "Place order")), fails: "disabled"},
		{name: "one choice less", edit: func(p string) string { return country.ReplaceAllString(p, "") }, fails: ErrNoMatch},
		{name: "the server sends the form back", edit: swap(`id="checkout"`, `id="checkout" onformdata="event.formData.delete('terms')"`), fails: ErrInDoubt, result: ReplayDoubtful},
		{name: "the button does nothing any more", edit: swap(`id="checkout"`, `id="checkout" onsubmit="return false"`), fails: ErrInDoubt, result: ReplayDoubtful},
	}
}

// prefilled fills in most of the checkout, so that a replay of what is looked
// at here is short.
func prefilled(page string) string {
	for field, v := range map[string]string{"name": "Ada Lovelace", "email": "ada@example.com", "city": "1010 Vienna", "delivery": "2026-12-02"} {
		re := regexp.MustCompile(`(<input id="` + field + `" name="` + field + `"[^>]*?value=")"`)
		page = re.ReplaceAllString(page, `${1}`+v+`"`)
	}
	return strings.Replace(page, "<option>Austria", "<option selected>Austria", 1)
}

// changed is the checkout after an edit; other pages stay.
func changed(edit func(string) string) func(path, page string) string {
	return func(path, page string) string {
		if path != "/checkout" || !strings.Contains(page, "Who is it for?") {
			return page
		}
		return edit(prefilled(page))
	}
}

// recordShort records the end of a checkout that is filled in already.
func recordShort(t *testing.T, s *shop) *History {
	t.Helper()
	s.change(changed(func(p string) string { return p }))
	return recordOrder(t, s,
		func(req *llm.Request) []string {
			return []string{input(index(req, "Street"), "12 St James's Square"), click(index(req, "Express"))}
		},
		func(req *llm.Request) []string {
			return []string{click(index(req, "I accept the terms")), click(index(req, "Place order"))}
		})
}

func TestReplayOfAChangedPage(t *testing.T) {
	s := newShop(t)
	rec := recordShort(t, s)
	b := session(t)
	if _, err := b.Navigate(t.Context(), s.URL+"/help"); err != nil {
		t.Fatal(err)
	}
	for _, m := range mutations() {
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) { m.try(t, s, b, rec) })
	}
}

func (m mutation) try(t *testing.T, s *shop, b *browser.Session, rec *History) {
	s.fill(t, b)
	s.change(changed(m.edit))
	defer s.change(nil)
	before := len(s.site.Orders())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cfg := Config{Browser: b, Vision: Vision{See: SeeNever}, Replay: ReplayConfig{OnMiss: m.policy, Wait: 20 * time.Second}}
	if m.fails != nil || m.level == "" {
		cfg.Replay.Wait = 1200 * time.Millisecond // there is nothing to wait for
	}
	asked := 0
	if m.heals != nil {
		cfg.Replay.Wait = 1200 * time.Millisecond
		cfg.LLM = &llmtest.Script{Func: func(n int, req *llm.Request) llmtest.Answer {
			asked++
			actions := m.heals(req)
			if actions == nil {
				return llmtest.Text(`{"reason":"there is no such button","possible":false,"includes_action":false,"action":[{"wait":{"seconds":0}}]}`)
			}
			return llmtest.Text(`{"reason":"it is the button that sends the form","possible":true,"includes_action":` + fmt.Sprint(!m.clears) + `,"action":[` + strings.Join(actions, ",") + `]}`)
		}}
	}
	h, err := Replay(ctx, rec, cfg)

	placed := len(s.site.Orders()) - before
	posts, wrong := s.counted()
	if wrong != 0 {
		t.Errorf("a decoy was clicked %d times", wrong)
	}
	if posts > 1 {
		t.Errorf("the form was sent %d times", posts)
	}
	if want := btoi(m.level != ""); placed != want {
		t.Errorf("%d orders placed, want %d", placed, want)
	}
	switch want := m.fails.(type) {
	case nil:
		if err != nil {
			t.Errorf("replay: %v", err)
		}
	case error:
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	case string:
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if errors.Is(err, ErrAmbiguous) {
		var re *ReplayError
		if !errors.As(err, &re) || len(re.Candidates) < 2 {
			t.Errorf("the candidates are not named: %+v", re)
		}
	}
	if m.result != "" && h.Replay.Result != m.result {
		t.Errorf("result %q, want %q", h.Replay.Result, m.result)
	}
	for _, x := range h.Replay.Actions {
		switch {
		case m.level == "healed" && x.Element == `button "Place order"`:
			if x.Status != ReplayHealed {
				t.Errorf("status %q, want healed", x.Status)
			}
		case m.level != "" && x.Element == `button "Place order"` && x.Level != m.level:
			t.Errorf("the button was found by %q, want %q", x.Level, m.level)
		case m.field != "" && strings.Contains(x.Element, "Street") && x.Level != m.field:
			t.Errorf("the street was found by %q, want %q", x.Level, m.field)
		}
	}
	if m.level == "healed" {
		m.again(t, s, b, h.Replay)
	} else if asked > 1 || h.Replay.Repaired != nil {
		t.Errorf("asked %d times, repaired: %v", asked, h.Replay.Repaired != nil)
	}
}

// again replays the repaired recording, which needs no model any more.
func (m mutation) again(t *testing.T, s *shop, b *browser.Session, rep *ReplayReport) {
	r := rep.Repaired
	if r == nil || r.Revision != 1 || len(r.Repairs) != 1 || r.Repairs[0].Reason == "" || rep.Heals != 1 {
		t.Fatalf("repaired recording: %+v", r)
	}
	s.fill(t, b)
	before := len(s.site.Orders())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := Replay(ctx, r, Config{Browser: b}); err != nil {
		t.Errorf("the repaired recording: %v", err)
	}
	if n := len(s.site.Orders()) - before; n != 1 {
		t.Errorf("the repaired recording placed %d orders", n)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
