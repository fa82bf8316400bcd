package slash_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/slash"
)

var table = slash.Table[int]{{Name: "tree", Do: 1}, {Name: "thinking", Arguments: "[LEVEL]", Do: 2}, {Name: "clone", Do: 3}}

func TestFind(t *testing.T) {
	for line, want := range map[string]struct {
		do       int
		argument string
	}{"/tree": {1, ""}, "/thinking  high ": {2, "high"}, "/thin": {0, ""}, "/": {0, ""}} {
		name, argument := slash.Split(line)
		do := 0
		if c := table.Find(name); c != nil {
			do = c.Do
		}
		if do != want.do || argument != want.argument {
			t.Errorf("%q: command %d with %q, want %d with %q", line, do, argument, want.do, want.argument)
		}
	}
}

func TestComplete(t *testing.T) {
	for _, tc := range []struct{ line, completed, fit string }{
		{"/c", "/clone ", "clone"},
		{"/t", "/t", "tree thinking"},
		{"/th", "/thinking ", "thinking"},
		{"/x", "/x", ""},
		{"/tree x", "/tree x", ""},
		{"tree", "tree", ""},
	} {
		completed, fit := table.Complete(tc.line), []string{}
		for _, c := range table.Fitting(tc.line) {
			fit = append(fit, c.Name)
		}
		if completed != tc.completed || strings.Join(fit, " ") != tc.fit {
			t.Errorf("%q: %q, fit %q; want %q, %q", tc.line, completed, fit, tc.completed, tc.fit)
		}
	}
}

func TestUsage(t *testing.T) {
	if got := table[1].Usage() + table[0].Usage(); got != "/thinking [LEVEL]/tree" {
		t.Errorf("usages %q", got)
	}
}
