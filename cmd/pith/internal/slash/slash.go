// Package slash is what pith chat and the terminal app share of the commands that
// a line which begins with a slash gives: how such a line is read, found and
// completed, and what the commands that mean the same in both do to the live
// conversation.
//
// It prints nothing. Each of the two binds the commands to what it shows.
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

// A Command is a word behind a slash. H is what its front end does for it.
type Command[H any] struct {
	Name      string
	Arguments string // as help shows them; "" for none
	About     string
	Do        H
}

// Usage is the command as it is written, with its arguments.
func (c *Command[H]) Usage() string {
	return strings.TrimSpace("/" + c.Name + " " + c.Arguments)
}

// A Table is the commands of a front end, in the order of its help.
type Table[H any] []Command[H]

// Is reports whether a line is meant as a command.
func Is(line string) bool { return strings.HasPrefix(line, "/") }

// Split is the name of the command that a line gives, and what stands behind it.
func Split(line string) (name, argument string) {
	name, argument, _ = strings.Cut(strings.TrimPrefix(line, "/"), " ")
	return name, strings.TrimSpace(argument)
}

// Find is the command of a name; nil when there is none.
func (t Table[H]) Find(name string) *Command[H] {
	i := slices.IndexFunc(t, func(c Command[H]) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t[i]
}

// Fitting are the commands whose names begin as a line that gives no argument yet.
func (t Table[H]) Fitting(line string) Table[H] {
	begun, ok := strings.CutPrefix(line, "/")
	if !ok || strings.ContainsAny(begun, " \n") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t), func(c Command[H]) bool { return !strings.HasPrefix(c.Name, begun) })
}

// Complete finishes the name of a command in a line, as far as it is certain. Where
// none fits the line stays as it is.
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

// Models are the names of the models that can be asked, and which of them the
// conversation is with; -1 for none.
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

// SetModel has another model asked from now on.
func SetModel(ctx context.Context, s *agent.Conversation, own *userconfig.Setup, name string) error {
	client, err := own.Models.Client(name)
	if err != nil {
		return err
	}
	return s.SetModel(ctx, client)
}

// A LevelError says that a word is no level of thinking.
type LevelError struct{ Level string }

func (e *LevelError) Error() string {
	return fmt.Sprintf("%q is no level; choose one of %s", e.Level, strings.Join(llm.ThinkingLevels, ", "))
}

// SetThinking changes how much the model thinks. What is no level is a
// [LevelError].
func SetThinking(ctx context.Context, s *agent.Conversation, level string) error {
	if !slices.Contains(llm.ThinkingLevels, level) {
		return &LevelError{level}
	}
	return s.SetThinking(ctx, level)
}

// Label labels an entry, which is a whole id, @leaf or @root, and without one where
// the session stands. A dash takes the label away; without a text nothing changes.
// It returns the entry.
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
