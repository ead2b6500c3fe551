package dom

import (
	"encoding/json"
	"errors"
	"testing"
)

func ident(path, class, name string, attrs ...string) Identity {
	f := &Facts{Tag: "button", Path: path, Attrs: map[string]string{"class": class}}
	for i := 0; i+1 < len(attrs); i += 2 {
		f.Attrs[attrs[i]] = attrs[i+1]
	}
	p := &Page{Frames: []Frame{{Element: -1, Parent: -1}}}
	return p.Identify(&Element{Tag: "button", Role: "button", Name: name}, f)
}

func TestMatchWalksTheLadder(t *testing.T) {
	want := ident("html/body/button[1]", "btn focus", "Save", "id", "s")
	want.Twins, want.Twin = 1, 1
	rows := []struct {
		name  string
		page  []Identity
		at    int
		level Level
	}{
		{"as it was", []Identity{ident("html/body/button[2]", "btn focus", "Save", "id", "s")}, 0, LevelExact},
		{"only the focus is gone", []Identity{ident("html/body/button[1]", "btn", "Save", "id", "s")}, 0, LevelStable},
		{"renamed class", []Identity{ident("html/body/button[2]", "x", "Other", "id", "o"), ident("html/body/button[1]", "css-1x", "Save", "id", "s")}, 1, LevelPath},
		{"moved", []Identity{ident("html/body/div/button", "css", "Save")}, 0, LevelName},
		{"renamed and moved", []Identity{ident("html/body/div/button", "css", "Store", "id", "s")}, 0, LevelUnique},
	}
	for _, row := range rows {
		at, level, err := Match(want, row.page)
		if err != nil || at != row.at || level != row.level {
			t.Errorf("%s: %d by %s, %v; want %d by %s", row.name, at, level, err, row.at, row.level)
		}
	}
}

func TestMatchDoesNotGuess(t *testing.T) {
	want := ident("html/body/button", "", "Save")
	want.Twins, want.Twin = 1, 1
	_, _, err := Match(want, []Identity{ident("html/body/button[1]", "", "Save"), ident("html/body/button[2]", "", "Save")})
	var amb *AmbiguousError
	if !errors.Is(err, ErrAmbiguous) || !errors.As(err, &amb) || len(amb.Candidates) != 2 {
		t.Errorf("a decoy twin: %v", err)
	}
	// As many twins as there were: the second is the second.
	page := []Identity{ident("html/body/li[1]/button", "", "Add"), ident("html/body/li[2]/button", "", "Add"), ident("html/body/li[3]/button", "", "Add")}
	CountTwins(page)
	if at, _, err := Match(page[1], page); at != 1 || err != nil {
		t.Errorf("second of three: %d, %v", at, err)
	}
	if _, _, err := Match(page[1], page[:2]); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("one of three is gone: %v", err)
	}
	// What now stands in the place is another thing.
	if _, _, err := Match(ident("html/body/button", "a", "Pay"), []Identity{ident("html/body/button", "b", "Cancel")}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("another button in its place: %v", err)
	}
	inFrame := want
	inFrame.Frame = "https://a.test/f#1"
	if _, _, err := Match(inFrame, []Identity{want}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("left its frame: %v", err)
	}
}

func TestIdentitySurvivesJSON(t *testing.T) {
	id := ident("html/body/button", "btn", "Save", "id", "x")
	id.Exact = 1<<63 + 3
	b, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	var back Identity
	if err := json.Unmarshal(b, &back); err != nil || back.Exact != id.Exact || back.Unique["id"] != "x" {
		t.Errorf("%s came back as %+v, %v", b, back, err)
	}
}

func TestTheSameWordsElsewhereAreAnotherElement(t *testing.T) {
	in := func(id Identity, within ...string) Identity { id.Within = within; return id }
	want := in(ident("html/body/form/button", "a", "Save", "id", "s"), "form Address")
	for _, row := range []struct {
		name string
		page []Identity
		is   error
	}{
		{"in another form, its own gone", []Identity{in(ident("html/body/form[2]/button", "b", "Save"), "form Newsletter")}, ErrNoMatch},
		{"in the same form", []Identity{in(ident("html/body/form/div/button", "b", "Save"), "form Address")}, nil},
		{"moved, with its id", []Identity{in(ident("html/body/div/button", "b", "Save", "id", "s"), "dialog Done")}, nil},
		{"its id on another button", []Identity{
			in(ident("html/body/form/div/button", "b", "Save"), "form Address"),
			in(ident("html/body/form/button[2]", "b", "Delete", "id", "s"), "form Address"),
		}, ErrAmbiguous},
		{"its id in another group, with other words", []Identity{in(ident("html/body/div/button", "b", "Delete", "id", "s"), "dialog Account")}, ErrNoMatch},
		{"its id and place, translated", []Identity{in(ident("html/body/form/button", "b", "Speichern", "id", "s"), "form Adresse")}, nil},
	} {
		if _, _, err := Match(want, row.page); !errors.Is(err, row.is) || (err == nil) != (row.is == nil) {
			t.Errorf("%s: %v, want %v", row.name, err, row.is)
		}
	}
	inRow := in(ident("html/body/ul/li[1]/button", "", "Remove", "name", "remove"), "listitem Blue mug", "form Cart")
	if _, _, err := Match(inRow, []Identity{in(ident("html/body/ul/li[9]/button", "", "Remove"), "listitem Red mug", "form Cart")}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("the button of another row: %v", err)
	}
	// One choice of several has the name of all.
	radio := ident("html/body/input[1]", "", "Express", "name", "shipping", "value", "express")
	if _, _, err := Match(radio, []Identity{ident("html/body/input[1]", "", "Standard", "name", "shipping", "value", "standard")}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("another choice: %v", err)
	}
	// Without words the place alone does not do.
	icon := ident("html/body/button[1]", "edit", "")
	if _, _, err := Match(icon, []Identity{ident("html/body/button[1]", "share", "")}); !errors.Is(err, ErrNoMatch) {
		t.Errorf("an icon in the place of another: %v", err)
	}
}
