package inspect_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pith-sessions/pith/inspect"
)

func TestChoose(t *testing.T) {
	s := script(t, // entries a to i at seconds 0 to 8
		user("Über die Brücke"), answer(says("one"), `{"type":"thinking","thinking":"deep KELVIN thought"}`),
		user("second"), answer(calls("1", "bash", `{"command":"make lint"}`)), result("1", "bash", "Connection Reset by peer", true),
		user("third"), `{"type":"message","message":{"role":"bashExecution","command":"ls","output":"out","exitCode":0}}`,
		user("fourth"), `{"type":"label","targetId":"a","label":"Mark"}`)
	r := reading(t, s, inspect.Scope{})
	tests := map[string]struct {
		choice inspect.Choice
		want   string // the turns that match, and those asked for
	}{
		"all":                       {inspect.Choice{}, "[0 1 2 3] [0 1 2 3]"},
		"one turn":                  {inspect.Choice{Turns: "2"}, "[1] [1]"},
		"a range":                   {inspect.Choice{Turns: "2-3"}, "[1 2] [1 2]"},
		"several, in any order":     {inspect.Choice{Turns: "4,1-2, 2"}, "[0 1 3] [0 1 3]"},
		"to the end":                {inspect.Choice{Turns: "3-"}, "[2 3] [2 3]"},
		"the last":                  {inspect.Choice{Turns: "-2"}, "[2 3] [2 3]"},
		"more than there are":       {inspect.Choice{Turns: "-9"}, "[0 1 2 3] [0 1 2 3]"},
		"text in some":              {inspect.Choice{Turns: "-2", Search: "über"}, "[] [2 3]"},
		"text":                      {inspect.Choice{Search: "ÜBER"}, "[0] [0 1 2 3]"},
		"thinking":                  {inspect.Choice{Search: "\u212aelvin"}, "[0] [0 1 2 3]"},
		"tool output":               {inspect.Choice{Search: "connection reset"}, "[1] [0 1 2 3]"},
		"a phrase":                  {inspect.Choice{Search: `"reset by"`}, "[1] [0 1 2 3]"},
		"not a phrase":              {inspect.Choice{Search: `"reset connection"`}, "[] [0 1 2 3]"},
		"words of two entries":      {inspect.Choice{Search: "lint peer second"}, "[1] [0 1 2 3]"},
		"arguments":                 {inspect.Choice{Search: "MAKE"}, "[1] [0 1 2 3]"},
		"a label":                   {inspect.Choice{Search: "mark"}, "[3] [0 1 2 3]"},
		"names of JSON are no text": {inspect.Choice{Search: "toolCallId"}, "[] [0 1 2 3]"},
		"role":                      {inspect.Choice{Roles: []string{inspect.RoleBash}}, "[2] [0 1 2 3]"},
		"a tool with a result":      {inspect.Choice{Roles: []string{inspect.RoleTool}}, "[1] [0 1 2 3]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			sel, err := r.Choose(t.Context(), tt.choice)
			got := fmt.Sprint(sel.Indexes, sel.Asked)
			if err != nil || got != tt.want {
				t.Errorf("Choose(%+v) = %s, %v; want %s", tt.choice, got, err, tt.want)
			}
		})
	}
	r = reading(t, script(t, user("1"), answer(says("x")), user("2"), answer(calls("1", "bash", `{}`))), inspect.Scope{})
	if sel, err := r.Choose(t.Context(), inspect.Choice{Roles: []string{inspect.RoleTool}}); err != nil || fmt.Sprint(sel.Indexes) != "[1]" {
		t.Errorf("Choose(a tool without a result) = %v, %v; want the second", sel.Indexes, err)
	}
	if _, err := r.Choose(t.Context(), inspect.Choice{Roles: []string{"nobody"}}); !errors.Is(err, inspect.ErrChoice) {
		t.Errorf("Choose(an unknown role) = %v, want ErrChoice", err)
	}
	for _, bad := range []string{"0", "3", "1-9", "2-1", "-0", "-", "x", "1-x", ",", "1,,2", " "} {
		if _, err := r.Select(bad); !errors.As(err, new(*inspect.TurnsError)) {
			t.Errorf("Select(%q) = %v, want a TurnsError", bad, err)
		}
	}
}

func TestSnippets(t *testing.T) {
	long := "İ word Größe ist WICHTIG"
	r := reading(t, script(t, user(long), answer(says("nothing")), result("1", "bash", "line one\nthe wichtig part", false)), inspect.Scope{})
	got, err := r.Snippets(0, "wichtig", 5)
	want := "[{a İ word Größe ist WICHTIG} {c line one the wichtig part}]"
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("Snippets(wichtig) = %v, %v; want %s", got, err, want)
	}
	near := reading(t, script(t, user("two workers lease the same parcel")), inspect.Scope{})
	if got, err := near.Snippets(0, "lease workers", 5); err != nil || len(got) != 1 {
		t.Errorf("Snippets(lease workers) = %v, %v; want both words in one", got, err)
	}
	if got, _ := r.Snippets(0, "wichtig", 1); len(got) != 1 {
		t.Errorf("Snippets(wichtig, at most 1) = %v", got)
	}
}

// A turn chosen by role has text of that role: a response that only calls
// tools does not count as one in which the model speaks.
func TestRolesSpeak(t *testing.T) {
	r := reading(t, script(t, user("one"), answer(calls("1", "bash", "{}")), result("1", "bash", "x", false), user("two"), answer(says("done"))), inspect.Scope{})
	for role, want := range map[string]string{inspect.RoleAssistant: "[1]", inspect.RoleTool: "[0]", inspect.RoleUser: "[0 1]"} {
		if got, err := r.Choose(t.Context(), inspect.Choice{Roles: []string{role}}); err != nil || fmt.Sprint(got.Indexes) != want {
			t.Errorf("Choose(%s) = %v, %v; want %s", role, got.Indexes, err, want)
		}
	}
	for _, file := range zoo() {
		s := open(t, file.data)
		if s == nil {
			continue
		}
		r := reading(t, s, inspect.Scope{})
		for _, role := range inspect.Roles() {
			sel, err := r.Choose(t.Context(), inspect.Choice{Roles: []string{role}})
			if err != nil {
				t.Fatalf("%s: Choose(%s): %v", file.name, role, err)
			}
			for _, i := range sel.Indexes {
				if x := turn(t, r, i, inspect.Detail{Roles: []string{role}}); len(x.Items) == 0 {
					t.Errorf("%s: Choose(%s) chose turn %d, in which there is nothing of it", file.name, role, x.Number)
				}
			}
		}
	}
}
