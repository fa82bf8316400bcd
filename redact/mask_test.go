package redact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// Masking and redaction cover the same text, and masking does not affect later
// numbers.
func TestMask(t *testing.T) {
	first, second := "ghp_"+strings.Repeat("a1B2c3D4e5F6", 3), "ghp_"+strings.Repeat("z9Y8x7W6v5U4", 3)
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.MaskText("keys "+first+" and "+second), "keys [redacted:github-pat#0] and [redacted:github-pat#0]"; got != want {
		t.Errorf("MaskText = %q, want %q", got, want)
	}
	if got, want := string(r.MaskLine([]byte(`{"a":"`+first+`"}`))), `{"a":"[redacted:github-pat#0]"}`; got != want {
		t.Errorf("MaskLine = %q, want %q", got, want)
	}
	if got, _ := r.Text(second); got != "[redacted:github-pat#1]" {
		t.Errorf("Text after MaskText = %q, want the number 1", got)
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		"plain":                           {"plain"},
		"a [redacted:x#1] b":              {"a ", " b"},
		"[redacted:x#1][redacted:y-z#22]": nil,
		"[redacted:x#1]b":                 {"b"},
		"[redacted: no placeholder":       {"[redacted: no placeholder"},
		"[redacted:[redacted:x#1]":        {"[redacted:"},
	} {
		var got []string
		for at, part := range redact.Visible(text) {
			if text[at:at+len(part)] != part {
				t.Errorf("Visible(%q): %q does not stand at %d", text, part, at)
			}
			got = append(got, part)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
}
