package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// appendDraft writes one entry of a hook and reports it.
func (c *compactor) appendDraft(ctx context.Context, e format.Entry) error {
	if made, ok := e.(*format.Compaction); ok {
		size, err := c.measure()
		if err != nil {
			return err
		}
		counted := *made
		counted.TokensBefore, counted.FromHook = size.Tokens, new(true)
		e = &counted
	}
	id, err := c.recorder.append(ctx, func(ctx context.Context, s *pith.Session) (string, error) {
		switch e := e.(type) {
		case *format.Custom:
			return s.AppendCustom(ctx, e.CustomType, e.Data)
		case *format.CustomMessage:
			return s.AppendCustomMessage(ctx, *e)
		case *format.ContextEdit:
			return s.AppendContextEdit(ctx, e.TargetID, e.Replacement)
		case *format.Compaction:
			return s.AppendCompaction(ctx, *e)
		}
		return "", invalidf("entry", "", "entry of type %T", e)
	})
	if err != nil {
		return err
	}
	c.recorder.tellEntry(id)
	return nil
}

// drafts are entries that a hook wants to append.
type drafts []format.Entry

// check returns an error if one of them cannot be appended at the leaf, so that
// either all are appended or none.
func (all drafts) check(s *pith.Session) error {
	if len(all) == 0 {
		return nil
	}
	path, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		return err
	}
	for i, e := range all {
		if err := checkDraft(s, path, e); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return nil
}

func checkDraft(s *pith.Session, path []string, e format.Entry) error {
	switch e := e.(type) {
	case *format.Custom:
		return checkJSON("data", e.Data)
	case *format.CustomMessage:
		return checkJSON("details", e.Details)
	case *format.ContextEdit:
		return checkEdit(s, path, e.TargetID)
	case *format.Compaction:
		if strings.TrimSpace(e.Summary) == "" {
			return compact.ErrEmptySummary
		}
		if e.FirstKeptEntryID != "" && !slices.Contains(path, e.FirstKeptEntryID) {
			return invalidf("first kept entry", e.FirstKeptEntryID, "the compaction keeps entries from %q, which is not on the path", e.FirstKeptEntryID)
		}
		return checkJSON("details", e.Details)
	}
	return invalidf("entry", "", "entry of type %T; hooks can add *format.Custom, *format.CustomMessage, *format.ContextEdit and *format.Compaction", e)
}

func checkEdit(s *pith.Session, path []string, target string) error {
	if !slices.Contains(path, target) {
		return invalidf("entry", target, "context edit of %q, which is not on the path", target)
	}
	e, err := s.Entry(target)
	if err != nil {
		return err
	}
	switch e := e.(type) {
	case *format.CustomMessage:
		return nil
	case *format.MessageEntry:
		switch e.Message.Role() {
		case format.RoleUser, format.RoleAssistant, format.RoleToolResult:
			return nil
		}
	}
	return invalidf("entry", target, "context edit of %q, which has no editable content", target)
}

func checkJSON(what string, raw []byte) error {
	if raw != nil && !jsonl.Valid(raw) {
		return invalidf(what, "", "%s is not JSON", what)
	}
	return nil
}
