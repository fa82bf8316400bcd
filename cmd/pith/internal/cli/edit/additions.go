package edit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// An addition adds one entry to a session and returns its id.
type addition func(ctx context.Context, s *pith.Session) (string, error)

func adding(e format.Entry) addition {
	return func(ctx context.Context, s *pith.Session) (string, error) { return change.Append(ctx, s, e) }
}

// additions returns the additions that the arguments of append request.
func (a *Commands) additions(ctx context.Context, words []string, f appendFlags) ([]addition, error) {
	adds, err := settings(f)
	if err != nil {
		return nil, err
	}
	add, err := a.content(ctx, words, f)
	if err != nil {
		return nil, err
	}
	if add != nil {
		adds = append(adds, add)
	}
	if len(adds) == 0 {
		return nil, exit.Helpf("nothing to add; pass TEXT or a flag, see pith append --help")
	}
	return adds, nil
}

// settings returns the changes of model and thinking level.
func settings(f appendFlags) ([]addition, error) {
	var adds []addition
	if f.given("model") {
		provider, id, ok := strings.Cut(f.model, "/")
		if !ok || provider == "" || id == "" {
			return nil, exit.Usagef("invalid --model %q: use PROVIDER/ID, for example anthropic/claude-sonnet-4-5", f.model)
		}
		adds = append(adds, adding(&format.ModelChange{Provider: provider, ModelID: id}))
	}
	if f.given("thinking") {
		if !slices.Contains(llm.ThinkingLevels, f.thinking) {
			return nil, exit.Usagef("invalid --thinking %q: use %s", f.thinking, strings.Join(llm.ThinkingLevels, ", "))
		}
		adds = append(adds, adding(&format.ThinkingLevelChange{Level: f.thinking}))
	}
	return adds, nil
}

// content returns the addition of any other entry, or nil.
func (a *Commands) content(ctx context.Context, words []string, f appendFlags) (addition, error) {
	asJSON := f.given("json-message") || f.given("entry")
	if asJSON && len(words) > 0 {
		return nil, exit.Usagef("TEXT cannot be used with --json-message or --entry")
	}
	if f.given("data") && !f.given("custom") {
		return nil, exit.Usagef("--data needs --custom TYPE")
	}
	switch {
	case f.given("json-message"):
		return a.jsonMessage(ctx, f.message)
	case f.given("entry"):
		return a.jsonEntry(ctx, f.entry)
	case f.given("custom"):
		return a.customEntry(ctx, words, f)
	case len(words) > 0:
		return a.textMessage(ctx, words, f.role)
	case f.given("role"):
		return nil, exit.Usagef("--role %s needs TEXT; - reads it from standard input", f.role)
	}
	return nil, nil
}

func (a *Commands) textMessage(ctx context.Context, words []string, role string) (addition, error) {
	text, err := a.words(ctx, words)
	if err != nil {
		return nil, err
	}
	switch format.Role(role) {
	case "", format.RoleUser:
		return adding(&format.MessageEntry{Message: format.NewUser(text, a.Env.Now())}), nil
	case format.RoleAssistant:
		return func(ctx context.Context, s *pith.Session) (string, error) { return a.appendAnswer(ctx, s, text) }, nil
	}
	return nil, exit.Usagef("invalid --role %q: use user or assistant, or --json-message for other roles", role)
}

// appendAnswer adds a response that looks as if the model of the session had
// given it, at no cost.
func (a *Commands) appendAnswer(ctx context.Context, s *pith.Session, text string) (string, error) {
	c, err := s.Context()
	if err != nil {
		return "", err
	}
	m := &format.Assistant{
		Content: format.BlockContent(&format.TextBlock{Text: text}), API: "manual", Provider: "manual", Model: "manual",
		StopReason: "stop", Timestamp: a.Env.Now().UnixMilli(),
	}
	if c.Model != nil {
		m.Provider, m.Model = c.Model.Provider, c.Model.ModelID
	}
	return s.AppendMessage(ctx, m)
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

func (a *Commands) customEntry(ctx context.Context, words []string, f appendFlags) (addition, error) {
	if f.custom == "" {
		return nil, exit.Usagef("--custom is empty; pass the type of the extension")
	}
	if len(words) > 0 && f.given("data") {
		return nil, exit.Usagef("TEXT and --data cannot be used together: the model sees TEXT, and not --data")
	}
	if len(words) > 0 {
		text, err := a.words(ctx, words)
		if err != nil {
			return nil, err
		}
		return adding(&format.CustomMessage{CustomType: f.custom, Content: format.TextContent(text), Display: true}), nil
	}
	var data []byte
	if f.given("data") {
		var err error
		if data, err = a.jsonArgument(ctx, "--data", f.data); err != nil {
			return nil, err
		}
	}
	return adding(&format.Custom{CustomType: f.custom, Data: data}), nil
}

func (a *Commands) jsonMessage(ctx context.Context, arg string) (addition, error) {
	raw, err := a.jsonArgument(ctx, "--json-message", arg)
	if err != nil {
		return nil, err
	}
	m, err := format.DecodeMessage(raw)
	if err != nil || m.Role() == "" {
		return nil, exit.Usagef("--json-message is not a JSON object with a role")
	}
	if _, unknown := m.(*format.UnknownMessage); unknown {
		a.Note("warning: unknown role %q; agents may ignore this message", m.Role())
	}
	return adding(&format.MessageEntry{Message: m}), nil
}

// jsonArgument returns JSON from an argument, or from standard input for "-".
func (a *Commands) jsonArgument(ctx context.Context, flag, arg string) (json.RawMessage, error) {
	raw := []byte(arg)
	if arg == "-" {
		var err error
		if raw, err = a.ReadInput(ctx); err != nil {
			return nil, err
		}
	}
	if !jsonl.Valid(raw) || !utf8.Valid(raw) {
		return nil, exit.Usagef("%s is not valid JSON", flag)
	}
	if jsonl.TooDeep(raw) {
		return nil, exit.Usagef("%s is nested more than %d levels deep", flag, jsonl.MostNested)
	}
	return raw, nil
}

// jsonEntry adds an entry of any type that pi writes. Its place in the tree is
// determined again.
func (a *Commands) jsonEntry(ctx context.Context, arg string) (addition, error) {
	raw, err := a.jsonArgument(ctx, "--entry", arg)
	if err != nil {
		return nil, err
	}
	if jsonl.KindOf(raw) != '{' {
		return nil, exit.Usagef("--entry is not a JSON object")
	}
	e, err := format.DecodeEntry(raw)
	if err != nil {
		return nil, exit.Usagef("--entry: %w", err)
	}
	if _, unknown := e.(*format.UnknownEntry); unknown {
		return nil, exit.Usagef("--entry: %w", &change.EntryTypeError{Type: e.Head().Type})
	}
	return adding(e), nil
}
