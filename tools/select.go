package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// DropdownOptionsParams are the parameters of dropdown_options.
type DropdownOptionsParams struct {
	Index int `json:"index" jsonschema:"minimum=1"`
}

// SelectDropdownParams are the parameters of select_dropdown.
type SelectDropdownParams struct {
	Index int      `json:"index" jsonschema:"minimum=1" jsonschema_description:"the list's number"`
	Text  string   `json:"text,omitempty" jsonschema_description:"the option's text or value"`
	Texts []string `json:"texts,omitempty" jsonschema_description:"several options, of a list that takes several"`
	Add   bool     `json:"add,omitempty" jsonschema_description:"keep what is chosen already"`
}

func dropdownActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "dropdown_options", Description: "List the options of a list, native or built by the page."}, dropdownOptions},
		{registry.Spec{Name: "select_dropdown", Description: "Choose in a list, native or built by the page, by the option's text or value."}, selectDropdown},
	}
}

func dropdownOptions(ctx context.Context, p DropdownOptionsParams, s *browser.Session) (*registry.Result, error) {
	l, err := s.Options(ctx, p.Index)
	if err != nil {
		return nil, failedTo("dropdown_options", err)
	}
	if len(l.Options) == 0 {
		return &registry.Result{Text: element(p.Index, l.What) + " has no options now; type into it or wait, lists may load while one types"}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Options of %s, to be used with select_dropdown:\n", element(p.Index, l.What))
	for _, o := range l.Options {
		fmt.Fprintf(&b, "- %q", o.Text)
		if o.Value != "" && o.Value != o.Text {
			fmt.Fprintf(&b, " value=%q", o.Value)
		}
		if o.Group != "" {
			fmt.Fprintf(&b, " in %q", o.Group)
		}
		if o.Selected {
			b.WriteString(" (selected)")
		}
		if o.Disabled {
			b.WriteString(" (disabled)")
		}
		b.WriteByte('\n')
	}
	if l.Multiple {
		b.WriteString("Several may be chosen.\n")
	}
	return &registry.Result{
		Text: b.String(), Once: true, Memory: fmt.Sprintf("Listed the %d options of %s", len(l.Options), element(p.Index, l.What)),
		Metadata: map[string]any{"options": l.Options},
	}, nil
}

func selectDropdown(ctx context.Context, p SelectDropdownParams, s *browser.Session) (*registry.Result, error) {
	values := p.Texts
	if p.Text != "" || len(values) == 0 {
		values = append([]string{p.Text}, values...)
	}
	if len(values) == 1 && values[0] == "" {
		return nil, errors.New("select_dropdown: say in text which option to choose; dropdown_options lists them")
	}
	eff, err := s.Select(ctx, p.Index, values, browser.SelectOptions{Add: p.Add})
	if err != nil {
		return acted("", eff, failedTo("select_dropdown", err))
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = fmt.Sprintf("%q", v)
	}
	return acted(fmt.Sprintf("Chose %s in %s", strings.Join(quoted, ", "), element(p.Index, eff.What)), eff, nil)
}

// optionWords lists the choices of a list in one line.
func optionWords(l *browser.OptionList) string {
	out := make([]string, 0, len(l.Options))
	for i, o := range l.Options {
		if i == 40 {
			out = append(out, fmt.Sprintf("and %d more", len(l.Options)-i))
			break
		}
		s := fmt.Sprintf("%q", o.Text)
		if o.Selected {
			s += " (selected)"
		}
		if o.Disabled {
			s += " (disabled)"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}
