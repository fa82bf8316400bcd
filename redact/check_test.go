package redact_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

func TestCheck(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx5Q9vKz8\nMIIEowIBAAKCAQEAx5Q9vKz8\n-----END PRIVATE KEY-----\n"
	filler := strings.Repeat("ordinary words on a line\n", 50_000) // more than is looked at together
	tests := map[string]struct {
		in   string
		want []redact.Finding
	}{
		"clean":      {`{"a":"b"}` + "\nplain\n", nil},
		"redacted":   {`{"a":"[redacted:github-pat#1]"}` + "\n", nil},
		"a line":     {"{}\n{\"a\":\"\\u0067" + githubPAT[1:] + "\"}\n", []redact.Finding{{Rule: "github-pat", Line: 2, Path: "/a"}}},
		"a page":     {"<html>\n<p>x " + githubPAT + "</p>", []redact.Finding{{Rule: "github-pat", Line: 2}}},
		"over lines": {"# a\n" + key, []redact.Finding{{Rule: "private-key", Line: 3}}},
		"far behind": {filler + "x" + key + filler, []redact.Finding{{Rule: "private-key", Line: 50_002}}},
		"as a name":  {`{"` + githubPAT + `":{"b":1}}`, []redact.Finding{{Rule: "github-pat", Line: 1, Path: "/[redacted:github-pat#1]"}}},
		"a long line": {
			"{}\n{\"a\":\"" + strings.Repeat("ordinary words ", 400_000) + githubPAT + strings.Repeat(" more words", 400_000) + "\"}\n" + githubPAT,
			[]redact.Finding{{Rule: "github-pat", Line: 2}, {Rule: "github-pat", Line: 3}},
		},
		"no line end": {awsKey, []redact.Finding{{Rule: "aws-access-token", Line: 1}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := newRedactor(t, redact.Options{}).Check(strings.NewReader(tt.in))
			if err != nil || len(got) != len(tt.want) {
				t.Fatalf("Check = %+v, %v; want %+v", got, err, tt.want)
			}
			for i, want := range tt.want {
				want.Kind, want.Number = redact.ByRule, 1
				if got[i] != want {
					t.Errorf("Check = %+v; want %+v", got[i], want)
				}
			}
		})
	}
}

// TestFalseAlarms wants at most one finding a megabyte in ordinary sessions.
func TestFalseAlarms(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	size, count := 0, 0
	for name, lines := range ordinary(t) {
		for i, line := range lines {
			out, found := r.Line(line)
			size += len(line)
			count += len(found)
			for _, f := range found {
				t.Logf("%s:%d: %+v", name, i+1, f)
			}
			checkLine(t, line, out, found)
		}
	}
	if limit := max(1, size>>20); count > limit {
		t.Errorf("%d findings in %d bytes; want at most %d", count, size, limit)
	}
}
