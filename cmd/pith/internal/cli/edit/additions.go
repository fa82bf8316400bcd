package edit

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// addition returns the entry that the arguments of append describe.
func (a *Commands) addition(ctx context.Context, words []string, f appendFlags) (format.Entry, error) {
	switch {
	case f.given("entry") && len(words) > 0:
		return nil, exit.Usagef("TEXT and --entry cannot be used together")
	case f.given("entry"):
		return a.jsonEntry(ctx, f.entry)
	case len(words) == 0:
		return nil, exit.Helpf("nothing to add; pass TEXT or --entry, see pith append --help")
	}
	text, err := a.words(ctx, words)
	return &format.MessageEntry{Message: format.NewUser(text, a.Env.Now())}, err
}

// words returns arguments as one text.
func (a *Commands) words(ctx context.Context, words []string) (string, error) {
	text, err := strings.Join(words, " "), error(nil)
	if len(words) == 1 {
		text, err = a.TextArgument(ctx, words[0])
	}
	if err == nil && strings.TrimSpace(text) == "" {
		err = exit.Usagef("TEXT is empty; - reads it from standard input")
	}
	return text, err
}

// jsonEntry decodes an entry of any type that pi writes, from an argument or from
// standard input for "-". Its place in the tree is determined again.
func (a *Commands) jsonEntry(ctx context.Context, arg string) (format.Entry, error) {
	raw := []byte(arg)
	if arg == "-" {
		var err error
		if raw, err = a.ReadInput(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case !jsonl.Valid(raw) || !utf8.Valid(raw):
		return nil, exit.Usagef("--entry is not valid JSON")
	case jsonl.TooDeep(raw):
		return nil, exit.Usagef("--entry is nested more than %d levels deep", jsonl.MostNested)
	case jsonl.KindOf(raw) != '{':
		return nil, exit.Usagef("--entry is not a JSON object")
	}
	e, err := format.DecodeEntry(raw)
	if err != nil {
		return nil, exit.Usagef("--entry: %w", err)
	}
	switch e := e.(type) {
	case *format.UnknownEntry:
		return nil, exit.Usagef("--entry: %w", &ops.EntryTypeError{Type: e.Head().Type})
	case *format.MessageEntry:
		if m, unknown := e.Message.(*format.UnknownMessage); unknown {
			if m.Role() == "" {
				return nil, exit.Usagef("--entry: the message has no role")
			}
			a.Note("warning: unknown role %q; agents may ignore this message", m.Role())
		}
	}
	return e, nil
}
