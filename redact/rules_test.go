package redact_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

func TestReadRules(t *testing.T) {
	const file = `
title = "ours" # a comment
[extend]
disabledRules = ["aws-access-token"]

[[rules]]
id = "Ticket No"
regex = '''\bTK-[0-9]{6}\b'''
keywords = ["tk-",
  "other", # the last comma is allowed
]
[[rules.allowlists]]
stopwords = ["000000"]

[[rules]]
id = "slow"
regex = "\\bno keyword \\d{4}"
`
	set, err := redact.ReadRules("ours.toml", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r := newRedactor(t, redact.Options{KeepSuspects: true, Rules: []*redact.RuleSet{set}})
	in := `{"a":"TK-123456 TK-000000 no keyword 1234 ` + awsKey + `"}`
	want := `{"a":"[redacted:ticket-no#1] TK-000000 [redacted:slow#1] ` + awsKey + `"}`
	if out, _ := r.Line([]byte(in)); string(out) != want {
		t.Errorf("Line(%s)\n got %s\nwant %s", in, out, want)
	}
}

func TestBadRules(t *testing.T) {
	tests := map[string]struct {
		file string
		line int
		err  error // what errors.Is must match, if anything
	}{
		"no id":           {"[[rules]]\nregex = 'a'", 1, redact.ErrNoID},
		"no regex":        {"\n[[rules]]\nid = 'a'", 2, redact.ErrNoRegex},
		"bad regex":       {"[[rules]]\nid = 'a'\nregex = '('", 1, nil},
		"bad exception":   {"[[rules]]\nid = 'a'\nregex = 'b'\n[[rules.allowlists]]\nregexes = ['(']", 1, nil},
		"no such group":   {"[[rules]]\nid = 'a'\nregex = 'b'\nsecretGroup = 1", 1, redact.ErrGroup},
		"not a number":    {"[[rules]]\nid = 'a'\nregex = 'b'\nentropy = 'high'", 4, nil},
		"open string":     {"a = 'b", 1, nil},
		"open array":      {"a = ['b'", 1, nil},
		"open table":      {"[[rules", 1, nil},
		"no value":        {"a =", 1, nil},
		"not TOML":        {"{\"rules\": []}", 1, nil},
		"two on a line":   {"a = 1 b = 2", 1, nil},
		"not UTF-8":       {"a = '\xff'", 1, nil},
		"allowlist alone": {"[[rules.allowlists]]\nregexes = ['a']", 1, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := redact.ReadRules("x.toml", strings.NewReader(tt.file))
			var bad *redact.RuleError
			if !errors.As(err, &bad) || bad.File != "x.toml" || bad.Line != tt.line || tt.err != nil && !errors.Is(err, tt.err) {
				t.Errorf("ReadRules(%q) = %v; want a RuleError of line %d, %v", tt.file, err, tt.line, tt.err)
			}
		})
	}
}

// TestBuiltin compiles all rules, which the package does only when one is met.
func TestBuiltin(t *testing.T) {
	rules := redact.Builtin()
	if len(rules) < 240 {
		t.Errorf("%d rules; the file of gitleaks alone has 221 with an expression", len(rules))
	}
	for _, rule := range rules {
		re, err := regexp.Compile(rule.Regex)
		if err != nil || rule.SecretGroup > re.NumSubexp() || len(rule.Keywords) == 0 {
			t.Errorf("rule %s: %v, %d groups, keywords %v", rule.ID, err, rule.SecretGroup, rule.Keywords)
		}
		for _, a := range rule.Allow {
			for _, expr := range a.Regexes {
				if _, err := regexp.Compile(expr); err != nil {
					t.Errorf("rule %s: %v", rule.ID, err)
				}
			}
		}
	}
}

func TestShortValues(t *testing.T) {
	for name, o := range map[string]redact.Options{
		"SHORT": {Secrets: []redact.Secret{{Name: "SHORT", Value: "abc"}}},
		"user":  {Names: redact.Names{User: "al"}},
		"word":  {Names: redact.Names{Words: []string{""}}},
	} {
		_, err := redact.New(o)
		var short *redact.ValueError
		if !errors.As(err, &short) || short.Name != name || !errors.Is(err, redact.ErrShort) {
			t.Errorf("New(%+v) = %v; want ErrShort of %s", o, err, name)
		}
	}
}
