package pith

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// AppendMessage adds a message under the leaf. A message decoded from JSON is
// written with the bytes it was decoded from, and with the fields that were changed
// since. Summaries are not messages in a file:
// AppendCompaction and BranchWithSummary write what a context makes them of.
func (s *Session) AppendMessage(ctx context.Context, m format.Message) (string, error) {
	if m == nil {
		return "", invalidf(ErrNotStored, "message", "", "no message")
	}
	raw := m.Raw()
	switch m.Role() {
	case "":
		return "", invalidf(ErrNotStored, "message", "", "a message needs a role")
	case format.RoleCompactionSummary, format.RoleBranchSummary:
		return "", invalidf(ErrNotStored, "role", string(m.Role()), "a %s is what a context makes of a summary; it is not stored as a message", m.Role())
	case format.RoleUser, format.RoleAssistant:
		if !listable(raw) {
			return "", invalidf(ErrNotStored, "content", "", "the content of a message is a string or a list of blocks; with this one pi would not list the session")
		}
	}
	m, err := withoutScratch(m, raw)
	if err != nil {
		return "", err
	}
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.MessageEntry{Base: b, Message: m}, nil
	}})
}

// listable reports whether pi can read the text of a message. Where it cannot, it
// leaves the whole session out of its lists.
func listable(raw []byte) bool {
	content, ok := jsonl.Lookup(raw, "content")
	return !ok || format.IsContent(content)
}

// withoutScratch drops what providers keep in tool calls while they stream and
// what must not reach a file (pitfall 39).
func withoutScratch(m format.Message, raw []byte) (format.Message, error) {
	if !bytes.Contains(raw, []byte(`"partialJson"`)) {
		return m, nil
	}
	content, ok := jsonl.Lookup(raw, "content")
	if !ok || jsonl.KindOf(content) != '[' {
		return m, nil
	}
	out := []byte{'['}
	for block := range jsonl.Elements(content) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if jsonl.KindOf(block) == '{' {
			block = jsonl.Delete(block, "partialJson")
		}
		out = append(out, block...)
	}
	return format.DecodeMessage(jsonl.Set(raw, "content", append(out, ']')))
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
		return &format.ModelChange{Base: b, Provider: provider, ModelID: modelID, Joined: s.program() == format.OhMyPi}, nil
	}})
}

// AppendCompaction adds a compaction under the leaf. Its Base and its
// SystemMessage are given by the session: the system messages in force there
// are recorded with it. A FirstKeptEntryID of "" keeps no earlier message. In a file
// of Atomic, which would pass over any other, it must be one that holds lines: see
// [format.VerbatimStrategy].
//
// A compaction is made for one branch. Where others have continued, the error is a
// *StaleError, whatever the [ConflictPolicy], if the entry that it keeps is not on the
// path that it would join, or if it keeps none. Where nobody has, an entry of another
// branch keeps nothing, as in pi.
func (s *Session) AppendCompaction(ctx context.Context, c format.Compaction) (string, error) {
	if err := validJSON("details", c.Details); err != nil {
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
				return nil // as in pi: the caller asked for it, here
			}
			return err
		},
		build: func(b format.Base, parent int) (format.Entry, error) {
			if probe := envelope.Of(&c); probe.Flags&envelope.IsVerbatim == 0 {
				if err := s.summaryRefused(); err != nil {
					return nil, err
				}
			}
			system, err := s.systemMessage(b, parent)
			if err != nil {
				return nil, err
			}
			entry := c
			entry.Base, entry.SystemMessage, entry.Details = b, system, compact(c.Details)
			if entry.FirstKeptEntryID == "" {
				entry.FirstKeptEntryID = b.ID
			}
			return &entry, nil
		},
	})
}

// errHidesOthers means that a compaction would hide what its author has not seen.
var errHidesOthers = errors.New("others have continued")

// CheckSummary says why a compaction that is a summary cannot be appended, before
// anybody pays for one: ErrNotStored where the session's program would pass over it.
func (s *Session) CheckSummary() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.summaryRefused()
}

func (j *journal) summaryRefused() error {
	if j.program() == format.Atomic {
		return invalidf(ErrNotStored, "compaction", "", "this is a session of Atomic, which passes over summaries and takes only compactions of lines")
	}
	return nil
}

// systemMessage is the system message in force at an entry, dated now.
func (j *journal) systemMessage(b format.Base, at int) (json.RawMessage, error) {
	now := j.now()
	c, err := now.contextAt(at)
	if err != nil {
		return nil, err
	}
	raw, ok, err := c.plan.System(c.view)
	if err != nil || !ok {
		return nil, err
	}
	stamp, _ := b.Time()
	return jsonl.Set(raw, "timestamp", fmt.Appendf(nil, "%d", stamp.UnixMilli())), nil
}

// AppendCustom adds state of an extension, which no model sees. Data is any value that
// has a form in JSON; a json.RawMessage or []byte is JSON already. Nil leaves it out.
func (s *Session) AppendCustom(ctx context.Context, customType string, data any) (string, error) {
	raw, err := format.JSON(data)
	if err == nil {
		err = validJSON("data", raw)
	}
	if err != nil {
		return "", err
	}
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.Custom{Base: b, CustomType: customType, Data: compact(raw)}, nil
	}})
}

// AppendCustomMessage adds a message of an extension, which models see. Its Base
// is given by the session.
func (s *Session) AppendCustomMessage(ctx context.Context, m format.CustomMessage) (string, error) {
	if err := validJSON("details", m.Details); err != nil {
		return "", err
	}
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		entry := m
		entry.Base, entry.Details = b, compact(m.Details)
		return &entry, nil
	}})
}

// AppendUsage records tokens that were spent outside the conversation. Its Base is
// given by the session.
func (s *Session) AppendUsage(ctx context.Context, u format.UsageEntry) (string, error) {
	return s.append(ctx, addition{build: func(b format.Base, _ int) (format.Entry, error) {
		entry := u
		entry.Base = b
		return &entry, nil
	}})
}

// SetName gives the session a display name; "" clears it. Line breaks and
// control characters are taken out. It is safe while others write: it hides
// nobody's history. The name of a session of oh-my-pi goes where that
// looks for it, which is no entry: then the id is "".
func (s *Session) SetName(ctx context.Context, name string) (id string, err error) {
	if err := s.takePen(ctx); err != nil {
		return "", s.wrap("append to", err)
	}
	defer s.dropPen()
	if written, err := s.writeSlot(ctx, name, "user"); written || err != nil {
		return "", err
	}
	return s.appendWithPen(ctx, addition{describes: true, build: func(b format.Base, _ int) (format.Entry, error) {
		return &format.SessionInfo{Base: b, Name: format.CleanName(name)}, nil
	}})
}

// errNamed ends an append that must not replace a name.
var errNamed = errors.New("the session has a name")

// SetNameIfUnset names the session as SetName does, unless it has a name: for
// titles that a program makes, which must not replace what a person wrote. What
// others wrote meanwhile counts. set tells whether the session was named; a
// name that was cleared may be set.
func (s *Session) SetNameIfUnset(ctx context.Context, name string) (id string, set bool, err error) {
	if err := s.takePen(ctx); err != nil {
		return "", false, s.wrap("append to", err)
	}
	defer s.dropPen()
	if err := s.writable(); err != nil {
		return "", false, err
	}
	if _, err := s.catchUp(ctx, ""); err != nil {
		return "", false, err
	}
	if s.name() != "" {
		return "", false, nil
	}
	if written, err := s.writeSlot(ctx, name, "auto"); written || err != nil {
		return "", written, err
	}
	id, err = s.appendWithPen(ctx, addition{describes: true, build: func(b format.Base, _ int) (format.Entry, error) {
		if s.name() != "" { // asked again whenever others wrote in between
			return nil, errNamed
		}
		return &format.SessionInfo{Base: b, Name: format.CleanName(name)}, nil
	}})
	if errors.Is(err, errNamed) {
		return "", false, nil
	}
	return id, err == nil, err
}

// SetLabel labels an entry, of whatever branch, as in pi; "" clears. The leaf does not
// go to the entry's branch. If others removed the entry meanwhile, the error is a
// *StaleError.
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

// AppendContextEdit changes what models see of an earlier entry of the active
// path: its content is replaced, or the entry is hidden when replacement is nil.
// The history itself stays. Messages of the user, the assistant and tools can be
// edited, and messages of extensions. The error is a *StaleError, whatever the
// [ConflictPolicy], where the entry is not on the path that the edit would join
// because others have continued.
func (s *Session) AppendContextEdit(ctx context.Context, target string, replacement *format.Content) (string, error) {
	var role envelope.Role
	return s.append(ctx, addition{
		fits: func(parent int) error {
			if err := s.onPath(target, parent); err != nil {
				return err
			}
			e := &s.table.Entries[s.tree.Find(target)]
			if role = e.Role; !transcript.Editable(e) {
				return invalidf(ErrNotEditable, "entry", target, "entry %q has no content that a model sees and that can be edited", target)
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
