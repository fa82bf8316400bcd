package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/opencalls"
	"github.com/pith-sessions/pith/sessiondir"
)

// ErrBlank means that a name or a label has no visible characters.
var ErrBlank = errors.New("the text is empty")

// A NotUserMessageError means that an entry cannot be asked again, because it is
// not a user message.
type NotUserMessageError struct{ Entry string }

func (e *NotUserMessageError) Error() string {
	return fmt.Sprintf("entry %s is not a user message", e.Entry)
}

// Append adds an entry of any type that pi writes below the leaf. The session
// sets its envelope. It returns the ID of the new entry.
func Append(ctx context.Context, s *pith.Session, e format.Entry) (string, error) {
	switch e := e.(type) {
	case *format.MessageEntry:
		return s.AppendMessage(ctx, e.Message)
	case *format.ModelChange:
		return s.AppendModel(ctx, e.Provider, e.ModelID)
	case *format.ThinkingLevelChange:
		return s.AppendThinkingLevel(ctx, e.Level)
	case *format.Compaction:
		return s.AppendCompaction(ctx, *e)
	case *format.BranchSummary:
		return s.BranchWithSummary(ctx, s.LeafID(), *e)
	case *format.Custom:
		return s.AppendCustom(ctx, e.CustomType, e.Data)
	case *format.CustomMessage:
		return s.AppendCustomMessage(ctx, *e)
	case *format.Label:
		return s.SetLabel(ctx, e.TargetID, e.Label)
	case *format.SessionInfo:
		return s.SetName(ctx, e.Name)
	case *format.UsageEntry:
		return s.AppendUsage(ctx, *e)
	case *format.ContextEdit:
		return s.AppendContextEdit(ctx, e.TargetID, e.Replacement)
	}
	return "", &EntryTypeError{e.Head().Type}
}

// An EntryTypeError means that Append adds no entries of a type.
type EntryTypeError struct{ Type format.Type }

func (e *EntryTypeError) Error() string {
	return fmt.Sprintf("entries of type %q cannot be added", e.Type)
}

// CheckText returns ErrBlank if a name or a label would be empty.
func CheckText(text string) error {
	if format.CleanName(text) == "" {
		return ErrBlank
	}
	return nil
}

// Position returns the ID of the current entry as people see it; "" before the
// first.
func Position(s *pith.Session) (string, error) {
	id, err := catalog.ResolveEntry(s, "@leaf")
	if none := (*catalog.NoEntryError)(nil); errors.As(err, &none) {
		return "", nil
	}
	return id, err
}

// Branch makes an entry the current one; "" means before the first entry. It
// records that with an entry, as closing a session with a moved leaf does. Here
// the move was requested, so a failure is reported. Branch returns the entry that
// was current, and the ID of the new entry, or "" if the session was there
// already.
func Branch(ctx context.Context, s *pith.Session, to string) (from, marker string, err error) {
	if from, err = Position(s); err != nil || from == to {
		return from, "", err
	}
	if to == "" {
		s.ResetLeaf()
	} else if err := s.Branch(to); err != nil {
		return from, "", err
	}
	if marker, err = s.AppendCustom(ctx, format.LeafCustomType, format.LeafData(to)); err != nil {
		s.Follow() // closing must not try again
	}
	return from, marker, err
}

// Fork creates a session from the entries before a user message, and returns it
// with the text of the message. A fork at any other entry would leave out that
// entry without a way to say it again; the error is a *NotUserMessageError.
func Fork(ctx context.Context, source *pith.Session, id string) (*pith.Session, string, error) {
	if h := source.Header(); h.Source != "" {
		return nil, "", h.CheckWritable()
	}
	e, err := source.Entry(id)
	if err != nil {
		return nil, "", err
	}
	if m, ok := e.(*format.MessageEntry); ok {
		if user, ok := m.Message.(*format.User); ok {
			s, err := source.Fork(ctx, id)
			return s, user.Content.Joined(), err
		}
	}
	return nil, "", &NotUserMessageError{id}
}

// Clone creates a session from the entries up to one. Tool calls without a result
// get one that says so (pitfall 131).
func Clone(ctx context.Context, source *pith.Session, id string, now time.Time) (*pith.Session, error) {
	s, err := source.Clone(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := opencalls.Close(ctx, s, now); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ParseTags returns the tags that words add (+TAG or TAG) and remove (-TAG).
func ParseTags(words []string) (add, remove []string, err error) {
	for _, word := range words {
		tag, away := strings.CutPrefix(word, "-")
		if !away {
			tag = strings.TrimPrefix(tag, "+")
		}
		if err := marks.CheckTag(tag); err != nil {
			return nil, nil, err
		}
		if away {
			remove = append(remove, tag)
		} else {
			add = append(add, tag)
		}
	}
	return add, remove, nil
}

// Tag adds and removes tags.
func Tag(m *marks.Marks, add, remove []string) {
	m.Tags = slices.DeleteFunc(append(m.Tags, add...), func(tag string) bool { return slices.Contains(remove, tag) })
}

// CheckOwn returns a *format.ForeignError if the session in a file belongs to
// another agent. A file that cannot be read does not.
func CheckOwn(path string) error {
	if h, err := sessiondir.HeaderOf(path); err == nil && h.Source != "" {
		return h.CheckWritable()
	}
	return nil
}
