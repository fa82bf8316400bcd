package summarize_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/compact/summarize"
)

func TestChoose(t *testing.T) {
	with := summarize.ChooseOptions{Client: &scripted{}}
	tests := []struct {
		name    string
		options summarize.ChooseOptions
		want    string // the type
		err     string
	}{
		{"", with, "*summarize.ModelSummarizer", ""},
		{"", summarize.ChooseOptions{}, "summarize.extract", ""},
		{"model", with, "*summarize.ModelSummarizer", ""},
		{"model", summarize.ChooseOptions{}, "<nil>", `needs a model and none is configured; set one, or use "no-model"`},
		{"no-model", with, "summarize.extract", ""},
		{"extract", with, "summarize.extract", ""},
		{"none", with, "summarize.extract", ""},
		{"cmd:pi -p", summarize.ChooseOptions{}, "summarize.external", ""},
		{"cmd:", with, "<nil>", "has no command"},
		{"cmd:  ", with, "<nil>", "has no command"},
		{"gpt\x1b[2J", with, "<nil>", `unknown summarizer "gpt\x1b[2J"; use "model", "no-model", or "cmd:" and a command`},
	}
	for _, tt := range tests {
		s, err := summarize.Choose(tt.name, tt.options)
		if got := fmt.Sprintf("%T", s); got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("Choose(%q) = %s, %v; want %s and an error with %q", tt.name, got, err, tt.want, tt.err)
		}
	}
}

// Those who do not ask a model with a window take conversations of any length.
func TestAnyLength(t *testing.T) {
	for name, want := range map[string]bool{summarize.NoModel: true, "cmd:cat": true, summarize.ByModel: false} {
		s, err := summarize.Choose(name, summarize.ChooseOptions{Client: &scripted{}})
		if err != nil {
			t.Fatalf("Choose(%q): %v", name, err)
		}
		long, ok := s.(interface{ AnyLength() bool })
		if got := ok && long.AnyLength(); got != want {
			t.Errorf("Choose(%q) takes any length: %t; want %t", name, got, want)
		}
	}
}
