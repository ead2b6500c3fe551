package dom

import (
	"bytes"
	"embed"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed js/*.js
var scripts embed.FS

// parts are the script's files in the order they need each other.
var parts = []string{
	"tag", "core", "visible", "classify", "items", "record", "context", "fields", "pieces", "text", "element", "frame", "mdwalk", "branch", "walk", "identify", "main",
}

// Global is the name of the object the script installs in its world.
const Global = "__webhand"

// Script returns the JavaScript that installs the walker. It is evaluated once
// for each document, in an isolated world with universal access
// (Page.createIsolatedWorld, grantUniveralAccess), where the page can neither
// see nor alter it. Evaluating it again in the same document is harmless: its
// value is the document's token either way.
func Script() string { return script() }

var script = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("(() => {'use strict';\nif (globalThis." + Global + ") return globalThis." + Global + ".token;\n")
	for _, p := range parts {
		b.WriteString(source(p))
	}
	b.WriteString("})()")
	return b.String()
})

// TagSource returns the JavaScript that defines localName, which tells what an
// element is as the walker does. It needs nothing and may stand in any scope.
func TagSource() string { return source("tag") }

// source is one part of the script.
func source(part string) string {
	src, err := scripts.ReadFile("js/" + part + ".js")
	if err != nil {
		panic(err) // the list of parts and the folder are built together
	}
	return string(src)
}

// WalkOptions say what a walk covers. The zero value is the default state:
// what is within one margin of the viewport.
type WalkOptions struct {
	// Full walks the whole page instead of what is near the viewport.
	Full bool
	// Markdown writes structure and words for [Markdown], without boxes.
	Markdown bool
	// Facts writes what [Page.Identify] needs of each target, too.
	Facts bool
	// Margin is how far beyond the viewport near reaches, in CSS pixels.
	// Zero is 500.
	Margin int
	// MaxText caps the characters of one value, and of the pieces that a text
	// comes in. Of a text of more than 16 pieces, 128 for the whole page, those
	// around what shows come. Zero is 2,000, and without limit for Markdown.
	MaxText int
	// MaxNodes caps the elements and texts written. Zero is 250,000.
	MaxNodes int
	// Limit caps the time the walk may hold the page. Zero is 5 s. A walk
	// that runs into a cap answers with what it has and says so.
	Limit time.Duration
	// Branch is the [Identity.Path] of an element: only the way there and what
	// is below it is walked. If none is there, or another element may be taken
	// for it, the answer is [ErrNoBranch]. Since is not looked at then.
	Branch string
	// Since is the [Capture.Generation] the caller still holds. If nothing
	// changed since, the answer is [ErrUnchanged].
	Since string
	// MaxAge bounds how old such an answer may be, since changes made by
	// style alone are not noticed. Zero is 2 s.
	MaxAge time.Duration
}

// Expression returns the JavaScript that runs the walk in the script's world;
// its value is the string that [Decode] reads.
func (o WalkOptions) Expression() string {
	def := func(v, d int) int {
		if v <= 0 {
			return d
		}
		return v
	}
	text := def(o.MaxText, 2000)
	if o.Markdown && o.MaxText <= 0 {
		text = 1 << 30
	}
	b := make([]byte, 0, 160)
	b = append(b, Global+".walk({full:"...)
	b = strconv.AppendBool(b, o.Full || o.Markdown || o.Branch != "")
	b = append(b, ",md:"...)
	b = strconv.AppendBool(b, o.Markdown)
	b = append(b, ",facts:"...)
	b = strconv.AppendBool(b, o.Facts)
	num := func(k string, v int) {
		b = append(b, ',')
		b = append(b, k...)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(v), 10)
	}
	num("margin", def(o.Margin, 500))
	num("text", text)
	num("max", def(o.MaxNodes, 250_000))
	num("limit", def(int(o.Limit/time.Millisecond), 5000))
	num("age", def(int(o.MaxAge/time.Millisecond), 2000))
	b = append(b, ",branch:"...)
	branch, err := json.Marshal(o.Branch)
	if err != nil {
		branch = []byte(`""`) // a string can always be encoded
	}
	b = append(b, branch...)
	b = append(b, ",since:"...)
	b = strconv.AppendQuoteToASCII(b, o.Since)
	b = append(b, "})"...)
	return string(b)
}

// Parts reports in how many parts the answer of a walk comes, of which data,
// as the protocol delivers it, is the first. It is 1 for what is whole.
func Parts(data []byte) int {
	rest, ok := bytes.CutPrefix(data, []byte(`"+`))
	if !ok {
		return 1
	}
	digits, _, _ := bytes.Cut(rest, []byte("|"))
	n, _ := strconv.Atoi(string(digits))
	return max(n, 1)
}

// PartExpression returns the JavaScript that gives part i, from 1, of the last
// walk's answer. Each part is given once, in order.
func PartExpression(i int) string { return Global + ".part(" + strconv.Itoa(i) + ")" }
