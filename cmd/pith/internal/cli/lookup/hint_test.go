package lookup_test

import (
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
)

// A text from a file becomes one word of a command, never a part of it.
func TestCommandsCanBePasted(t *testing.T) {
	for want, words := range map[string][]string{
		"pi --session 0199-ab":               {"pi", "--session", "0199-ab"},
		"pi --session '$(touch X)'":          {"pi", "--session", "$(touch X)"},
		"pi --session '`reboot`'":            {"pi", "--session", "`reboot`"},
		`pi --session 'a'\''b; rm -rf ~'`:    {"pi", "--session", "a'b; rm -rf ~"},
		"pi --session ''":                    {"pi", "--session", ""},
		"pi --session '/tmp/a b/c.jsonl'":    {"pi", "--session", "/tmp/a b/c.jsonl"},
		"pi --session '/tmp/$HOME/c.jsonl'":  {"pi", "--session", "/tmp/$HOME/c.jsonl"},
		`pi --session $'a\012b\'\\\033[1m日'`: {"pi", "--session", "a\nb'\\\x1b[1m日"},
		`pi --session $'a\342\200\256b\377'`: {"pi", "--session", "a\u202eb\xff"},
	} {
		if got := lookup.Command(words...); got != want {
			t.Errorf("Command(%q) = %s, want %s", words, got, want)
		}
	}
}
