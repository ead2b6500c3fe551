package browser

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/input"
)

// keyEvent is Input.dispatchKeyEvent.
type keyEvent struct {
	Type      string   `json:"type"`
	Modifiers int      `json:"modifiers,omitempty"`
	Text      string   `json:"text,omitempty"`
	Unmod     string   `json:"unmodifiedText,omitempty"`
	Code      string   `json:"code,omitempty"`
	Key       string   `json:"key,omitempty"`
	VK        int64    `json:"windowsVirtualKeyCode,omitempty"`
	Commands  []string `json:"commands,omitempty"`
}

// keyboard sends keys to one session, in order and without waiting.
type keyboard struct {
	sess  *cdpSession
	mac   bool
	calls []*call
}

func (k *keyboard) event(ev keyEvent) {
	k.calls = append(k.calls, k.sess.send(input.CommandDispatchKeyEvent, ev))
}

// flush waits until all keys were received.
func (k *keyboard) flush(ctx context.Context) error {
	err := await(ctx, k.calls)
	k.calls = nil
	return err
}

// down and up of one key. A key that types something sends its text unless a
// modifier makes it a command.
func (k *keyboard) press(def keyDef, mods Modifiers) {
	ev := keyEvent{Type: "rawKeyDown", Modifiers: int(mods), Code: def.code, Key: def.key, VK: def.vk}
	if mods&ModShift != 0 && len(def.key) == 1 {
		ev.Key = shifted(def.key)
	}
	if mods&(ModCtrl|ModMeta|ModAlt) == 0 && def.text != "" {
		ev.Type = "keyDown"
		ev.Text = def.text
		if mods&ModShift != 0 && len(def.text) == 1 && def.text != "\r" {
			ev.Text = shifted(def.text)
		}
		ev.Unmod = ev.Text
	}
	ev.Commands = k.commands(def, mods)
	k.event(ev)
	k.event(keyEvent{Type: "keyUp", Modifiers: int(mods), Code: def.code, Key: ev.Key, VK: def.vk})
}

// commands are the editing commands of a shortcut. Chrome runs them only when
// they come along: the operating system's key bindings are not asked.
func (k *keyboard) commands(def keyDef, mods Modifiers) []string {
	main := ModCtrl
	if k.mac {
		main = ModMeta
	}
	if mods&^ModShift != main {
		return nil
	}
	switch strings.ToLower(def.key) {
	case "a":
		return []string{"selectAll"}
	case "c":
		return []string{"copy"}
	case "x":
		return []string{"cut"}
	case "v":
		if mods&ModShift != 0 {
			return []string{"pasteAndMatchStyle"}
		}
		return []string{"paste"}
	case "z":
		if mods&ModShift != 0 {
			return []string{"redo"}
		}
		return []string{"undo"}
	case "y":
		return []string{"redo"}
	}
	return nil
}

// shifted is what a key types with Shift.
func shifted(s string) string {
	if s >= "a" && s <= "z" {
		return strings.ToUpper(s)
	}
	if s >= "0" && s <= "9" {
		return string(shiftDigit[s[0]-'0'])
	}
	if i := strings.Index(plainPunct, s); i >= 0 {
		return string(shiftPunct[i])
	}
	return s
}

// chord presses modifiers, the key, and lets go in the opposite order.
func (k *keyboard) chord(st stroke) {
	var mods Modifiers
	var held []string
	for _, m := range st.mods {
		if m == "ControlOrMeta" {
			m = "Control"
			if k.mac {
				m = "Meta"
			}
		}
		mods |= modifierOf[m]
		held = append(held, m)
		d := namedKeys[m]
		k.event(keyEvent{Type: "rawKeyDown", Modifiers: int(mods), Code: d.code, Key: d.key, VK: d.vk})
	}
	if def, shift, ok := keyOf(firstRune(st.key.key)); ok && shift && len(st.mods) == 0 && len(st.key.key) == 1 {
		k.typeKey(def, true)
	} else {
		k.press(st.key, mods)
	}
	for i := len(held) - 1; i >= 0; i-- {
		mods &^= modifierOf[held[i]]
		d := namedKeys[held[i]]
		k.event(keyEvent{Type: "keyUp", Modifiers: int(mods), Code: d.code, Key: d.key, VK: d.vk})
	}
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// typeKey types one character of the keyboard.
func (k *keyboard) typeKey(def keyDef, shift bool) {
	mods := 0
	if shift {
		mods = int(ModShift)
	}
	k.event(keyEvent{Type: "keyDown", Modifiers: mods, Code: def.code, Key: def.key, VK: def.vk, Text: def.text, Unmod: def.text})
	k.event(keyEvent{Type: "keyUp", Modifiers: mods, Code: def.code, Key: def.key, VK: def.vk})
}

// newline says what a line break in typed text does.
type newline int

const (
	breakLine newline = iota // insert it as text
	breakSoft                // Shift+Enter, which editors take for a line break
	breakKey                 // press Enter
)

// text types exactly s: by keys what the keyboard has, by inserting the rest.
// More than limit characters are inserted but for the last, whose key tells
// the page that somebody types; inserted says so.
func (k *keyboard) text(s string, nl newline, limit int) (inserted bool) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if len(s) > limit && (nl == breakLine || nl == breakKey && !strings.Contains(s, "\n")) {
		cut := lastRuneStart(s)
		k.insert(s[:cut])
		s, inserted = s[cut:], true
	}
	var odd strings.Builder
	flush := func() {
		if odd.Len() > 0 {
			k.insert(odd.String())
			odd.Reset()
		}
	}
	for _, r := range s {
		if r == '\n' && nl != breakLine {
			flush()
			mods := Modifiers(0)
			if nl == breakSoft {
				mods = ModShift
			}
			k.press(namedKeys["Enter"], mods)
			continue
		}
		def, shift, ok := keyOf(r)
		if !ok {
			odd.WriteRune(r)
			continue
		}
		flush()
		k.typeKey(def, shift)
	}
	flush()
	return inserted
}

// How many bytes of text are typed key by key at most: a key takes a
// millisecond, and only some fields look at each.
const (
	keyLimit   = 300
	plainLimit = 32 // into a field that shows no sign of looking
)

func lastRuneStart(s string) int {
	i := len(s) - 1
	for i > 0 && s[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

func (k *keyboard) insert(s string) {
	k.calls = append(k.calls, k.sess.send(input.CommandInsertText, input.InsertTextParams{Text: s}))
}

// SendKeys presses keys or types text into whatever has the focus: a key by
// its name (Enter, ArrowDown, F5), keys held together (Control+A), keys one
// after another (Tab Tab Enter), quoted text among them ("hello" Enter), or
// plain text. The effect's notes say which of these it was taken for.
func (s *Session) SendKeys(ctx context.Context, keys string) (*Effect, error) {
	strokes, err := parseKeys(keys)
	if err != nil {
		return nil, err
	}
	t, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.front(ctx); err != nil {
		return nil, err
	}
	w := t.watchEffects()
	defer w.stop()
	var at struct {
		What string `json:"what"`
		Mac  bool   `json:"mac"`
	}
	if err := t.page().do(ctx, "keys", nil, &at); err != nil {
		return nil, err
	}
	k := &keyboard{sess: t.sess, mac: at.Mac}
	var unsent []string
	for i, st := range strokes {
		if i > 0 && w.leaving(ctx, strokes[i-1]) {
			for _, rest := range strokes[i:] {
				unsent = append(unsent, rest.String())
			}
			break
		}
		if st.text != "" {
			k.text(st.text, breakKey, len(st.text))
		} else {
			k.chord(st)
		}
		// A key that leaves the page must not be followed by one meant for it,
		// so each is received before the next.
		if err := k.flush(ctx); err != nil && !isGoneFrame(err) {
			return nil, fmt.Errorf("browser: send keys %s: %w", st, err)
		}
	}
	tr, err := t.page().outcome(ctx, w)
	if err != nil {
		return nil, err
	}
	eff := &Effect{What: at.What}
	tr.State = nil
	eff.take(tr)
	eff.Focus = tr.Focus
	w.finish(ctx, eff, tr.Leaves)
	if len(unsent) > 0 {
		eff.Notes = append(eff.Notes, "the page was left, so these keys were not sent: "+strings.Join(unsent, " "))
	}
	if len(strokes) == 1 && strokes[0].text != "" {
		eff.Notes = append(eff.Notes, "typed as text")
	}
	if eff.nothing() && eff.Focus == at.What {
		eff.Notes = append(eff.Notes, "nothing on the page changed")
	}
	return eff, nil
}
