// Package slash holds the slash commands that pith chat and the terminal app
// share: how a line is parsed, matched and completed, and the commands that do
// the same in both.
//
// It prints nothing. Each front end binds the commands to its own output.
package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// A Command is a slash command. H is the type of its handler.
type Command[H any] struct {
	Name      string
	Arguments string // as help shows them; "" for none
	About     string
	Do        H
}

// Usage returns the command with its arguments.
func (c *Command[H]) Usage() string {
	return strings.TrimSpace("/" + c.Name + " " + c.Arguments)
}

// A Table holds the commands of a front end, in the order of its help.
type Table[H any] []Command[H]

// Is reports whether a line is a command.
func Is(line string) bool { return strings.HasPrefix(line, "/") }

// Split returns the name of the command in a line, and its argument.
func Split(line string) (name, argument string) {
	name, argument, _ = strings.Cut(strings.TrimPrefix(line, "/"), " ")
	return name, strings.TrimSpace(argument)
}

// Find returns the command with that name; nil if there is none.
func (t Table[H]) Find(name string) *Command[H] {
	i := slices.IndexFunc(t, func(c Command[H]) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t[i]
}

// Fitting returns the commands whose names start with a line that has no
// argument yet.
func (t Table[H]) Fitting(line string) Table[H] {
	prefix, ok := strings.CutPrefix(line, "/")
	if !ok || strings.ContainsAny(prefix, " \n") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t), func(c Command[H]) bool { return !strings.HasPrefix(c.Name, prefix) })
}

// Complete completes the name of a command in a line as far as it is unique. If
// none matches, it returns the line unchanged.
func (t Table[H]) Complete(line string) string {
	fit := t.Fitting(line)
	switch len(fit) {
	case 0:
		return line
	case 1:
		return "/" + fit[0].Name + " "
	}
	start := fit[0].Name
	for _, c := range fit[1:] {
		for !strings.HasPrefix(c.Name, start) {
			start = start[:len(start)-1]
		}
	}
	return "/" + start
}

// Models returns the names of the usable models, and the index of the current
// one; -1 for none.
func Models(s *agent.Conversation, own *userconfig.Setup) (names []string, now int) {
	now = -1
	for i, m := range own.Models.Models() {
		names = append(names, format.ModelName(m.Provider, m.ID))
		if with := s.Model(); with.Provider == m.Provider && with.ID == m.ID {
			now = i
		}
	}
	return names, now
}

// SetModel changes the model of the conversation.
func SetModel(ctx context.Context, s *agent.Conversation, own *userconfig.Setup, name string) error {
	client, err := own.Models.Client(name)
	if err != nil {
		return err
	}
	return s.SetModel(ctx, client)
}

// A LevelError reports an invalid thinking level.
type LevelError struct{ Level string }

func (e *LevelError) Error() string {
	return fmt.Sprintf("invalid thinking level %q: use %s", e.Level, strings.Join(llm.ThinkingLevels, ", "))
}

// SetThinking changes the thinking level. The error for an invalid level is a
// [LevelError].
func SetThinking(ctx context.Context, s *agent.Conversation, level string) error {
	if !slices.Contains(llm.ThinkingLevels, level) {
		return &LevelError{level}
	}
	return s.SetThinking(ctx, level)
}

// Label labels an entry and returns it. The entry is a full ID, @leaf or @root,
// and by default the leaf. A dash removes the label; without a text nothing
// changes.
func Label(ctx context.Context, s *pith.Session, argument string) (entry string, err error) {
	ref, text, _ := strings.Cut(argument, " ")
	if _, err := s.View().Find(ref); err != nil && ref != "@leaf" && ref != "@root" {
		ref, text = "@leaf", argument
	}
	entry, err = catalog.ResolveEntry(s, ref)
	if text = strings.TrimSpace(text); err != nil || text == "" {
		return entry, err
	}
	if text == "-" {
		text = ""
	}
	_, err = s.SetLabel(ctx, entry, format.CleanName(text))
	return entry, err
}
