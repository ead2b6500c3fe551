package tools

import (
	"strings"
	"testing"
)

func TestBatchStopsWhenThePageChangedUnderIt(t *testing.T) {
	h := newHand(t)
	h.serve("/next", `<title>next</title><button>Other</button>`)
	for _, tc := range []struct {
		name, html, actions string
		ran                 int
		why                 string
	}{
		{"a link leads away", `<a href=/next>go</a><button onclick="document.title='B'">two</button>`, `[{"click":{"index":«go»}},{"click":{"index":«two»}}]`, 1, "the page is now"},
		{"navigate ends the step", `<button>two</button>`, `[{"navigate":{"url":"` + h.url + `/next"}},{"click":{"index":«two»}}]`, 1, "navigate ends the step"},
		{"a tab opens", `<a target=_blank href=/next>go</a><button>two</button>`, `[{"click":{"index":«go»}},{"click":{"index":«two»}}]`, 1, "another tab"},
		{"a dialog opens", `<button onclick="alert('hi')">one</button><button>two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 1, "dialog"},
		{"the next element is gone", `<button onclick="document.getElementById('b').remove()">one</button><button id=b>two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 1, "is not on the page any more"},
		{"the next element is another", `<button onclick="document.getElementById('b').textContent='Delete all'">one</button><button id=b>two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 1, "Delete all"},
		{"a row is another", `<button onclick="document.getElementById('b').textContent='Row 2'">one</button><ul><li><button id=b>Row 1</button></ul>`, `[{"click":{"index":«one»}},{"click":{"index":«Row 1»}}]`, 1, "another element"},
		{"the address changes", `<button onclick="history.pushState(0,'','/elsewhere')">one</button><button>two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 1, "the address is now"},
		{"an action fails", `<button disabled>one</button><button>two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 1, "failed"},
		{"done with others", `<button>one</button>`, `[{"click":{"index":«one»}},{"done":{"text":"x"}}]`, 1, "done has to be alone"},
		{"nothing stands against it", `<button onclick="document.body.prepend(document.createElement('input'))">one</button><button onclick="document.title='B'">two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 2, ""},
		{"a fragment is no other page", `<a href="#x">one</a><button>two</button>`, `[{"click":{"index":«one»}},{"click":{"index":«two»}}]`, 2, ""},
		{"a count in a button", `<button onclick="document.getElementById('b').textContent='Cart (1)'">one</button><button id=b>Cart (0)</button>`, `[{"click":{"index":«one»}},{"click":{"index":«b»}}]`, 2, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h.t = t
			h.show(tc.html)
			results, why := h.run(tc.actions)
			if len(results) != tc.ran {
				t.Errorf("%d actions ran, want %d (%s)", len(results), tc.ran, why)
			}
			if tc.why == "" && why != "" || !strings.Contains(why, tc.why) {
				t.Errorf("reason %q, want %q", why, tc.why)
			}
		})
	}
	h.t = t
}

// Actions that were written down before the run expect the page to change.
func TestBatchUnguarded(t *testing.T) {
	h := newHand(t)
	h.serve("/next", `<title>next</title>`)
	h.show(`<input aria-label=name><button onclick="document.body.append(document.createElement('p'))">one</button><button onclick="location='/next'">two</button>`)
	results, why := h.runWith(`[{"input":{"index":«name»,"text":"x"}},{"click":{"index":«one»}},{"click":{"index":«two»}},{"navigate":{"url":"`+h.url+`/next"}},{"wait":{"seconds":0}}]`,
		BatchOptions{Session: h.s, Unguarded: true})
	if len(results) != 5 || why != "" {
		t.Errorf("%d of 5 actions ran: %s", len(results), why)
	}
}
