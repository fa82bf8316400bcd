package pith

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// AppendMessage appends a message under the leaf. A message decoded from JSON
// keeps its original bytes, except for fields changed since. Summaries are not
// stored as messages: use AppendCompaction and BranchWithSummary.
func (s *Session) AppendMessage(ctx context.Context, m format.Message) (string, error) {
	if m == nil {
		return "", invalidf(ErrNotStored, "message", "", "no message")
	}
	switch m.Role() {
	case "":
		return "", invalidf(ErrNotStored, "message", "", "a message needs a role")
	case format.RoleCompactionSummary, format.RoleBranchSummary:
		return "", invalidf(ErrNotStored, "role", string(m.Role()), "a %s is generated from a summary entry; it is not stored as a message", m.Role())
	}
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.MessageEntry{Base: b, Message: m}, nil
	}})
}

// AppendThinkingLevel records a change of the thinking level.
func (s *Session) AppendThinkingLevel(ctx context.Context, level string) (string, error) {
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.ThinkingLevelChange{Base: b, Level: level}, nil
	}})
}

// AppendModel records a change of the model.
func (s *Session) AppendModel(ctx context.Context, provider, modelID string) (string, error) {
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.ModelChange{Base: b, Provider: provider, ModelID: modelID}, nil
	}})
}

// AppendCompaction appends a compaction under the leaf. The session sets its
// Base and its SystemMessage, which records the system messages in force at the
// leaf. An empty FirstKeptEntryID keeps no earlier message. Atomic ignores
// every compaction except those with [format.VerbatimStrategy], so an Atomic
// session accepts no other kind.
//
// A compaction is made for one branch. If other writers continued the session,
// AppendCompaction returns a *StaleError, whatever the [ConflictPolicy], when
// the kept entry is not on the path that the compaction would join or when no
// entry is kept. Otherwise, as in pi, an entry of another branch keeps nothing.
func (s *Session) AppendCompaction(ctx context.Context, c format.Compaction) (string, error) {
	details, err := oneLine("details", c.Details)
	if err != nil {
		return "", err
	}
	return s.append(ctx, addition{
		fits: func(parent int) error {
			own := parent == s.leaf && s.stale == nil
			if c.FirstKeptEntryID == "" {
				if !own {
					return errHidesOthers
				}
				return nil
			}
			err := s.onPath(c.FirstKeptEntryID, parent)
			if own && errors.Is(err, ErrOffBranch) {
				return nil // as in pi: the caller asked for it at its own leaf
			}
			return err
		},
		build: func(b format.Base, parent int) (format.Entry, error) {
			if !journal.KeepsLines(c.Details) {
				if err := s.View().summaryRefused(); err != nil {
					return nil, err
				}
			}
			system, err := s.View().systemMessage(b, parent)
			if err != nil {
				return nil, err
			}
			entry := c
			entry.Base, entry.SystemMessage, entry.Details = b, system, details
			entry.FirstKeptEntryID = cmp.Or(entry.FirstKeptEntryID, b.ID)
			return &entry, nil
		},
	})
}

// errHidesOthers means that a compaction would hide entries that its author has
// not seen.
var errHidesOthers = errors.New("other processes added entries")

// systemMessage returns the system message in force at an entry, with the time
// of b.
func (v *View) systemMessage(b format.Base, at int) (json.RawMessage, error) {
	c, err := v.contextAt(at)
	if err != nil {
		return nil, err
	}
	raw, ok, err := c.plan.System(c.path)
	if err != nil || !ok {
		return nil, err
	}
	stamp, _ := b.Time()
	return jsonl.Set(raw, "timestamp", fmt.Appendf(nil, "%d", stamp.UnixMilli())), nil
}

// AppendCustom appends extension state, which models do not see. Data is any
// value that encodes to JSON; a json.RawMessage or []byte is used as JSON. Nil
// omits the data.
func (s *Session) AppendCustom(ctx context.Context, customType string, data any) (string, error) {
	raw, err := format.JSON(data)
	if err == nil {
		raw, err = oneLine("data", raw)
	}
	if err != nil {
		return "", err
	}
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.Custom{Base: b, CustomType: customType, Data: raw}, nil
	}})
}

// AppendCustomMessage appends an extension message, which models see. The
// session sets its Base.
func (s *Session) AppendCustomMessage(ctx context.Context, m format.CustomMessage) (string, error) {
	details, err := oneLine("details", m.Details)
	if err != nil {
		return "", err
	}
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		entry := m
		entry.Base, entry.Details = b, details
		return &entry, nil
	}})
}

// AppendUsage records tokens spent outside the conversation. The session sets
// its Base.
func (s *Session) AppendUsage(ctx context.Context, u format.UsageEntry) (string, error) {
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		entry := u
		entry.Base = b
		return &entry, nil
	}})
}

// SetName sets the display name; "" clears it. Line breaks and control
// characters are removed. It is safe while other programs write, because a name
// does not hide their entries.
func (s *Session) SetName(ctx context.Context, name string) (id string, err error) {
	return s.append(ctx, addition{describes: true, build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.SessionInfo{Base: b, Name: format.CleanName(name)}, nil
	}})
}

// errNamed aborts an append that must not replace a name.
var errNamed = errors.New("the session has a name")

// SetNameIfUnset names the session as SetName does, unless it already has a
// name. It is for generated titles, which must not replace a name that a person
// chose. It reads changes by other writers first. set reports whether the
// session was named. A cleared name counts as unset.
func (s *Session) SetNameIfUnset(ctx context.Context, name string) (id string, set bool, err error) {
	if err := s.takePen(ctx); err != nil {
		return "", false, s.wrap("append to", err)
	}
	defer s.dropPen()
	if err := s.writable(); err != nil {
		return "", false, err
	}
	if _, err := s.catchUp(ctx); err != nil {
		return "", false, err
	}
	if s.View().name() != "" {
		return "", false, nil
	}
	id, err = s.appendWithPen(ctx, addition{describes: true, build: func(b format.Base, _ int) (format.Entry, error) {
		if s.View().name() != "" { // checked again after other writers appended
			return nil, errNamed
		}
		return &format.SessionInfo{Base: b, Name: format.CleanName(name)}, nil
	}})
	if errors.Is(err, errNamed) {
		return "", false, nil
	}
	return id, err == nil, err
}

// SetLabel labels an entry on any branch, as in pi; "" clears the label. The
// leaf does not move to that branch. If another writer removed the entry,
// SetLabel returns a *StaleError.
func (s *Session) SetLabel(ctx context.Context, target, label string) (string, error) {
	return s.append(ctx, addition{
		describes: true,
		fits: func(int) error {
			_, err := s.find(target)
			return err
		},
		build: func(b format.Base, _ int) (format.Entry, error) {
			return &format.Label{Base: b, TargetID: target, Label: label}, nil
		},
	})
}

// AppendContextEdit changes how models see an earlier entry of the active path.
// It replaces the entry's content, or hides the entry if replacement is nil.
// The history itself does not change. User, assistant, tool and extension
// messages can be edited. If the entry is not on the path that the edit would
// join because other writers continued the session, AppendContextEdit returns a
// *StaleError, whatever the [ConflictPolicy].
func (s *Session) AppendContextEdit(ctx context.Context, target string, replacement *format.Content) (string, error) {
	var role journal.Role
	return s.append(ctx, addition{
		fits: func(parent int) error {
			if err := s.onPath(target, parent); err != nil {
				return err
			}
			e := &s.seen.Entries[s.seen.Find(target)]
			if role = e.Role; !transcript.Editable(e) {
				return invalidf(ErrNotEditable, "entry", target, "entry %q has no editable content that a model sees", target)
			}
			return nil
		},
		build: func(b format.Base, _ int) (format.Entry, error) {
			edit := &format.ContextEdit{Base: b, TargetID: target}
			if replacement != nil {
				normal := transcript.EditContent(role, *replacement)
				edit.Replacement = &normal
			}
			return edit, nil
		},
	})
}
