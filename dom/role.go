package dom

import "strings"

// roleOf returns the ARIA role of an element: the first token of its role
// attribute, or the native one.
func roleOf(tag string, attrs []Attr, editable bool) string {
	var role, typ, list string
	href, multiple, alt := false, false, true
	size := ""
	for i := range attrs {
		v := attrs[i].Value
		switch attrs[i].Name {
		case "role":
			role = firstToken(v)
		case "type":
			typ = strings.ToLower(v)
		case "href":
			href = true
		case "multiple":
			multiple = true
		case "alt":
			alt = v != ""
		case "list":
			list = v
		case "size":
			size = v
		case "scope":
		}
	}
	if role != "" {
		return role
	}
	switch tag {
	case "a", "area":
		if href {
			return "link"
		}
		return ""
	case "input":
		switch typ {
		case "button", "submit", "reset", "image":
			return "button"
		case "checkbox", "radio":
			return typ
		case "range":
			return "slider"
		case "number":
			return "spinbutton"
		case "file":
			return "button"
		case "search":
			if list == "" {
				return "searchbox"
			}
		case "color", "date", "time", "datetime-local", "month", "week":
			return ""
		}
		if list != "" {
			return "combobox"
		}
		return "textbox"
	case "select":
		if multiple || (size != "" && size != "0" && size != "1") {
			return "listbox"
		}
		return "combobox"
	case "img":
		if !alt {
			return "presentation"
		}
		return "img"
	}
	if r, ok := nativeRoles[tag]; ok {
		return r
	}
	if editable {
		return "textbox"
	}
	return ""
}

var nativeRoles = map[string]string{
	"button": "button", "summary": "button", "textarea": "textbox", "option": "option",
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
	"ul": "list", "ol": "list", "menu": "list", "li": "listitem",
	"table": "table", "tr": "row", "td": "cell", "th": "columnheader", "caption": "caption",
	"form": "form", "fieldset": "group", "details": "group", "dialog": "dialog",
	"nav": "navigation", "main": "main", "header": "banner", "footer": "contentinfo", "aside": "complementary",
	"section": "region", "article": "article", "search": "search", "figure": "figure", "blockquote": "blockquote",
	"svg": "img", "progress": "progressbar", "meter": "meter", "output": "status",
	TextTag: "text",
}

func firstToken(s string) string {
	for f := range strings.FieldsSeq(s) {
		return strings.ToLower(f)
	}
	return ""
}
