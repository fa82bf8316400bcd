package rpcserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// keepMethods returns the methods that change or remove whole sessions. All but
// the last work on files, not on open sessions.
func keepMethods() []*method {
	return []*method{
		operation("deleteSession", ops.Delete),
		operation("restoreSession", ops.Restore),
		operation("purgeSession", ops.Purge),
		operation("setMarks", ops.Mark),
		onLive("cycleModel", cycleModel),
	}
}

// keptMethods returns the methods that report trash and marks, and pi's own
// helpers about a session.
func keptMethods() []*method {
	return []*method{
		operation("listTrash", ops.Trashed),
		onServer("estimateTokens", estimateTokens),
		onSession("getUserMessagesForForking", userMessages),
		onSession("getLatestCompactionEntry", latestCompaction),
	}
}

// estimateTokens returns pi's estimate for one message.
func estimateTokens(_ context.Context, _ *call, p *struct {
	Message jsonObject `json:"message" need:"given"`
}) (any, error) {
	return compact.Quarter.RawTokens(json.RawMessage(p.Message)), nil
}

// userMessages returns the user messages of all branches, to choose a fork
// from.
func userMessages(_ context.Context, c *call, _ *none) (any, error) {
	type message struct {
		EntryID string `json:"entryId"`
		Text    string `json:"text"`
	}
	list := []message{}
	for line, err := range c.session.View().Reader().Lines() {
		if err != nil {
			return nil, err
		}
		if line.Role != format.RoleUser {
			continue
		}
		e, err := c.session.Entry(line.ID)
		if err != nil {
			return nil, err
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		if u, ok := m.Message.(*format.User); ok {
			if text := u.Content.Joined(); text != "" {
				list = append(list, message{line.ID, text})
			}
		}
	}
	return list, nil
}

// latestCompaction returns the last compaction on a branch, or null.
func latestCompaction(_ context.Context, c *call, p *leafParam) (any, error) {
	leaf := c.session.LeafID()
	if p.LeafID.given {
		leaf = p.LeafID.id
	}
	if leaf == "" {
		return nil, nil
	}
	v := c.session.View()
	path, err := v.Path(leaf)
	if err != nil {
		return nil, err
	}
	for _, at := range slices.Backward(path) {
		if v.At(at).Type == format.TypeCompaction {
			line, err := v.Line(at)
			return line.Raw, err
		}
	}
	return nil, nil
}

// A direction is the order in which cycleModel goes through the models.
type direction string

// Words implements [ops.Words].
func (direction) Words() []string { return []string{"forward", "backward"} }

type cycleParams struct {
	Direction direction `json:"direction"`
}

// cycleModel switches to the next or the previous usable model. It returns null
// if only one model is usable.
func cycleModel(ctx context.Context, _ *call, l *live, p *cycleParams) (any, error) {
	names, now := ops.Models(l.conv, l.setup)
	next := 0
	switch n := len(names); {
	case n < 2:
		return nil, nil
	case now >= 0 && p.Direction == "backward":
		next = (now + n - 1) % n
	case now >= 0:
		next = (now + 1) % n
	}
	if err := ops.SetModel(ctx, l.conv, l.setup, names[next]); err != nil {
		return nil, err
	}
	return struct {
		Model         *model `json:"model"`
		ThinkingLevel string `json:"thinkingLevel"`
	}{modelInfo(l.conv.Model()), l.conv.Thinking()}, nil
}
