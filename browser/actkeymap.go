package browser

// keyDef is a key of a US keyboard, as the UI Events specification names it.
type keyDef struct {
	key  string // what the page sees in event.key
	code string // the place on the keyboard
	vk   int64  // Windows virtual key code, which Chrome acts on
	text string // what it types; empty for a key that types nothing
}

// namedKeys are the keys that have a name rather than a character.
var namedKeys = map[string]keyDef{
	"Enter":       {"Enter", "Enter", 13, "\r"},
	"Tab":         {"Tab", "Tab", 9, ""},
	"Escape":      {"Escape", "Escape", 27, ""},
	"Backspace":   {"Backspace", "Backspace", 8, ""},
	"Delete":      {"Delete", "Delete", 46, ""},
	"Insert":      {"Insert", "Insert", 45, ""},
	"Home":        {"Home", "Home", 36, ""},
	"End":         {"End", "End", 35, ""},
	"PageUp":      {"PageUp", "PageUp", 33, ""},
	"PageDown":    {"PageDown", "PageDown", 34, ""},
	"ArrowLeft":   {"ArrowLeft", "ArrowLeft", 37, ""},
	"ArrowUp":     {"ArrowUp", "ArrowUp", 38, ""},
	"ArrowRight":  {"ArrowRight", "ArrowRight", 39, ""},
	"ArrowDown":   {"ArrowDown", "ArrowDown", 40, ""},
	"Space":       {" ", "Space", 32, " "},
	"CapsLock":    {"CapsLock", "CapsLock", 20, ""},
	"ContextMenu": {"ContextMenu", "ContextMenu", 93, ""},
	"PrintScreen": {"PrintScreen", "PrintScreen", 44, ""},
	"Pause":       {"Pause", "Pause", 19, ""},
	"F1":          {"F1", "F1", 112, ""},
	"F2":          {"F2", "F2", 113, ""},
	"F3":          {"F3", "F3", 114, ""},
	"F4":          {"F4", "F4", 115, ""},
	"F5":          {"F5", "F5", 116, ""},
	"F6":          {"F6", "F6", 117, ""},
	"F7":          {"F7", "F7", 118, ""},
	"F8":          {"F8", "F8", 119, ""},
	"F9":          {"F9", "F9", 120, ""},
	"F10":         {"F10", "F10", 121, ""},
	"F11":         {"F11", "F11", 122, ""},
	"F12":         {"F12", "F12", 123, ""},
	"Shift":       {"Shift", "ShiftLeft", 16, ""},
	"Control":     {"Control", "ControlLeft", 17, ""},
	"Alt":         {"Alt", "AltLeft", 18, ""},
	"Meta":        {"Meta", "MetaLeft", 91, ""},
}

// keyAliases are other words for keys, in lower case.
var keyAliases = map[string]string{
	"return": "Enter", "newline": "Enter", "esc": "Escape", "del": "Delete", "ins": "Insert",
	"left": "ArrowLeft", "right": "ArrowRight", "up": "ArrowUp", "down": "ArrowDown",
	"arrow_left": "ArrowLeft", "arrow_right": "ArrowRight", "arrow_up": "ArrowUp", "arrow_down": "ArrowDown",
	"page_up": "PageUp", "page_down": "PageDown", "pgup": "PageUp", "pgdn": "PageDown", "pagedn": "PageDown",
	"spacebar": "Space", "back_space": "Backspace", "caps": "CapsLock", "menu": "ContextMenu",
	"ctrl": "Control", "control": "Control", "ctl": "Control", "controlleft": "Control", "controlright": "Control",
	"option": "Alt", "opt": "Alt", "altleft": "Alt", "altright": "Alt",
	"cmd": "Meta", "command": "Meta", "win": "Meta", "windows": "Meta", "super": "Meta",
	"shiftleft": "Shift", "shiftright": "Shift",
	"mod": "ControlOrMeta", "cmdorctrl": "ControlOrMeta", "commandorcontrol": "ControlOrMeta", "controlormeta": "ControlOrMeta", "ctrlorcmd": "ControlOrMeta",
	"plus": "+", "minus": "-", "comma": ",", "period": ".", "slash": "/", "backslash": "\\", "equal": "=", "equals": "=",
}

var modifierOf = map[string]Modifiers{"Alt": ModAlt, "Control": ModCtrl, "Meta": ModMeta, "Shift": ModShift}

// charKeys are the characters that a US keyboard types; keyOf fills in the rest.
const (
	plainPunct = "`-=[]\\;',./"
	shiftPunct = "~_+{}|:\"<>?"
	shiftDigit = ")!@#$%^&*("
)

var punctCodes = []struct {
	code string
	vk   int64
}{
	{"Backquote", 192}, {"Minus", 189}, {"Equal", 187}, {"BracketLeft", 219}, {"BracketRight", 221},
	{"Backslash", 220}, {"Semicolon", 186}, {"Quote", 222}, {"Comma", 188}, {"Period", 190}, {"Slash", 191},
}

// keyOf returns the key that types a character, and whether it takes Shift.
func keyOf(r rune) (def keyDef, shift, ok bool) {
	s := string(r)
	switch {
	case r >= 'a' && r <= 'z':
		return keyDef{s, "Key" + string(r-32), int64(r - 32), s}, false, true
	case r >= 'A' && r <= 'Z':
		return keyDef{s, "Key" + s, int64(r), s}, true, true
	case r >= '0' && r <= '9':
		return keyDef{s, "Digit" + s, int64(r), s}, false, true
	case r == ' ':
		return namedKeys["Space"], false, true
	}
	for i, c := range shiftDigit {
		if c == r {
			return keyDef{s, "Digit" + string(rune('0'+i)), int64('0' + i), s}, true, true
		}
	}
	for i, c := range plainPunct {
		if c == r {
			return keyDef{s, punctCodes[i].code, punctCodes[i].vk, s}, false, true
		}
	}
	for i, c := range shiftPunct {
		if c == r {
			return keyDef{s, punctCodes[i].code, punctCodes[i].vk, s}, true, true
		}
	}
	return keyDef{}, false, false
}
