package sessionfilter_test

import (
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	info := catalog.Info{Cwd: "/home/ann/my project", Model: "anthropic/claude-opus-4-5", Root: catalog.RootPi, Status: catalog.StatusInterrupted, Modified: noon.Add(-48 * time.Hour)}
	info.Spent.Cost = 6_500_000_000
	for text, want := range map[string]struct {
		match bool
		rest  string
		err   string
	}{
		"":                                      {true, "", ""},
		"lease  clock":                          {true, "lease  clock", ""},
		"project:proj lease":                    {true, "lease", ""},
		`lease project:"MY PROJECT" clock`:      {true, "lease clock", ""},
		"project:other":                         {false, "", ""},
		"model:opus":                            {true, "", ""},
		"model:gpt":                             {false, "", ""},
		"source:pi":                             {true, "", ""},
		"source:claude":                         {false, "", ""},
		"status:inter":                          {true, "", ""},
		"status:complete":                       {false, "", ""},
		"status:complete,interrupted":           {true, "", ""},
		"status:":                               {true, "", ""},
		"status:odd":                            {true, "", `unknown status "odd"; use complete, pending, interrupted, aborted, error, empty`},
		"cost:>5":                               {true, "", ""},
		"cost:>7":                               {false, "", ""},
		"cost:<7":                               {true, "", ""},
		"cost:<$5":                              {false, "", ""},
		"cost:>":                                {true, "", ""},
		"cost:much":                             {true, "", "invalid cost:much; use cost:>5 or cost:<0.5"},
		"cost:<nan":                             {true, "", "invalid cost:<nan; use cost:>5 or cost:<0.5"},
		"since:7d":                              {true, "", ""},
		"since:1d":                              {false, "", ""},
		"until:2026-01-31":                      {false, "", ""},
		"since:x":                               {true, "", "invalid since:x; use a date like 2026-01-31, or an age like 12h or 7d"},
		"re:project:x y":                        {true, "re:project:x y", ""},
		`"project:x"`:                           {true, `"project:x"`, ""},
		"https://example.org/x":                 {true, "https://example.org/x", ""},
		"PROJECT:proj status:inter cost:>5 fix": {true, "fix", ""},
	} {
		f, rest, err := sessionfilter.Parse(text, noon)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got := f.Match(&info); got != want.match || rest != want.rest || said != want.err {
			t.Errorf("Parse(%q) matches %t, leaves %q, says %q; want %+v", text, got, rest, said, want)
		}
	}
}

func TestLast(t *testing.T) {
	for text, want := range map[string]string{"fix project:par": "project=par", "project:": "project=", "project:a ": "", "fix": "", `project:"my pro`: "project=my pro", "": ""} {
		got := ""
		if key, value, ok := sessionfilter.Last(text); ok {
			got = key + "=" + value
		}
		if got != want {
			t.Errorf("Last(%q) = %q, want %q", text, got, want)
		}
	}
}
