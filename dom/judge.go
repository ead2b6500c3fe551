package dom

// judge takes indices away from what only looks like a target: wrappers
// around the real one, containers that listen for what happens in them.
func (b *builder) judge() {
	p := b.page
	es := p.Elements
	view := p.ViewW * p.ViewH
	// inner[i] counts the targets below i, counting up from the leaves.
	inner := make([]int32, len(es))
	for i := len(es) - 1; i >= 0; i-- {
		e := &es[i]
		if e.Index != 0 && weak(e) && !keepWeak(es, i, int(inner[i]), view) {
			e.Index = 0
		}
		if par := e.Parent; par >= 0 {
			inner[par] += inner[i]
			if e.Index != 0 {
				inner[par]++
			}
		}
	}
}

// unname takes the name away from what was one for being a target only: all
// that is in a table, say, is not what the table is called.
func (b *builder) unname() {
	for i := range b.page.Elements {
		e := &b.page.Elements[i]
		if e.Index != 0 || !e.content {
			continue
		}
		role, _ := e.Attr("role")
		if !namedByContent(e.Tag, firstToken(role)) {
			e.Name, e.content = "", false
		}
	}
}

// weak targets have nothing but a listener, the pointer cursor or a tab stop.
func weak(e *Element) bool {
	const strong = whyNative | whyRole | whyHandler | whyDrag | whyEditable | whyLabel | whyScroll
	return e.why&strong == 0
}

func keepWeak(es []Element, i, inner, view int) bool {
	e := &es[i]
	if inner == 0 {
		// Something to press that is as large as the page and says nothing
		// is its background.
		return e.why&whyPointer == 0 || view == 0 || e.Bounds.W*e.Bounds.H < view*9/10 || e.Text != ""
	}
	if inner == 1 && sameBox(es, i) {
		return false
	}
	if e.why&whyPointer != 0 {
		return view == 0 || e.Bounds.W*e.Bounds.H < view*6/10
	}
	if e.why&whyListener != 0 {
		// Delegation: it listens for its children's sake.
		return inner == 1 && e.Bounds.W*e.Bounds.H < view/4
	}
	return false
}

// sameBox reports that the one target inside element i fills it.
func sameBox(es []Element, i int) bool {
	for j := i + 1; j < int(es[i].end); j++ {
		if es[j].Index != 0 {
			a, b := es[i].Bounds, es[j].Bounds
			return b.W*b.H*10 >= a.W*a.H*7
		}
	}
	return false
}
