package sessionfilter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	info := catalog.Info{Cwd: "/home/ann/my project", Model: "anthropic/claude-opus-4-5", Root: catalog.RootPi, Status: catalog.StatusInterrupted, Modified: noon.Add(-48 * time.Hour), Size: 2000, Name: "Lease clock"}
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
		"status:odd":                            {true, "", `invalid status:odd; use complete, pending, interrupted, aborted, error, empty`},
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
		"since:x":                               {true, "", "invalid since:x; use 2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week"},
		"size:>1KB":                             {true, "", ""},
		"size:>3KB":                             {false, "", ""},
		"size:<1KB":                             {false, "", ""},
		"size:<2000":                            {true, "", ""},
		"size:big":                              {true, "", "invalid size:big; use size:>1MB or size:<500KB"},
		"size:nan":                              {true, "", "invalid size:nan; use size:>1MB or size:<500KB"},
		"name:lease":                            {true, "", ""},
		"name:other":                            {false, "", ""},
		"archived:maybe":                        {true, "", "invalid archived:maybe; use archived:yes"},
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

func TestParseWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "[] ",
		`Parser status:error "a B"`: "[parser a b] ",
		"https://example.org/x":     "[https://example.org/x] ",
		"12:30":                     "[12:30] ",
		"status:":                   "[] status: needs a value",
		"stauts:error":              `[] unknown filter "stauts:error"; use project:, source:, status:, model:, since:, until:, cost:, size:, name:, tag:, -tag:, archived:`,
		"-model:x":                  `[] unknown filter "-model:x"; use project:, source:, status:, model:, since:, until:, cost:, size:, name:, tag:, -tag:, archived:`,
		"since:then":                "[] invalid since:then; use 2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week",
	} {
		_, words, err := sessionfilter.ParseWords(text, noon)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got := fmt.Sprint(words, " ", said); got != want {
			t.Errorf("ParseWords(%q) = %s; want %s", text, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	for text, want := range map[string]bool{"": true, "tag:a": true, "tag:a tag:c": false, "-tag:c": true, "tag:a -tag:b": false, "tag:A": false} {
		f, _, err := sessionfilter.Parse(text, noon)
		if got := f.MatchTags(&marks.Marks{Tags: []string{"a", "b"}}); got != want || err != nil {
			t.Errorf("%q matches %t, %v; want %t", text, got, err, want)
		}
	}
}

func TestOnly(t *testing.T) {
	for text, want := range map[string]string{
		`fix status:error since:7d`: "status:error|fix since:7d", "fix  it": "|fix  it", `tag:x`: "tag:x|", "re:status:error x": "|re:status:error x",
	} {
		if filters, rest := sessionfilter.Only(text, "status", "tag"); filters+"|"+rest != want {
			t.Errorf("Only(%q) = %s|%s; want %s", text, filters, rest, want)
		}
	}
}
