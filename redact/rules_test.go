package redact_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

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
		for _, a := range rule.Allowlists {
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
