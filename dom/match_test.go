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
