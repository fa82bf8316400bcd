// Package opencalls closes the tool calls of a session that will get no result.
package opencalls

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Close appends a result for each tool call at the end of a session that has
// none. A copy of a session in which tools are running needs this, because no
// tool will write a result there.
func Close(ctx context.Context, s *pith.Session, now time.Time) error {
	x, results, err := openCalls(s)
	if err != nil || x == nil {
		return err
	}
	for _, b := range x.Content.Blocks {
		call, ok := b.(*format.ToolCallBlock)
		if !ok || results[call.ID] {
			continue
		}
		if _, err := s.AppendMessage(ctx, &format.ToolResult{
			ToolCallID: call.ID, ToolName: call.Name, Content: format.BlockContent(&format.TextBlock{Text: "Operation aborted"}),
			Details: json.RawMessage(`{}`), IsError: true, Timestamp: now.UnixMilli(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// openCalls returns the response at the end of a session and the ids of its
// calls that have results. It returns nil if the session does not end with a
// response.
func openCalls(s *pith.Session) (*format.Assistant, map[string]bool, error) {
	results := map[string]bool{}
	v := s.View()
	path, err := v.Path("")
	if err != nil {
		return nil, nil, err
	}
	for _, at := range slices.Backward(path) {
		e, err := v.Entry(at)
		if err != nil {
			return nil, nil, err
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			if _, compaction := e.(*format.Compaction); compaction {
				return nil, nil, nil
			}
			continue
		}
		switch m := m.Message.(type) {
		case *format.ToolResult:
			results[m.ToolCallID] = true
		case *format.Assistant:
			if m.StopReason == "error" || m.StopReason == "aborted" {
				return nil, nil, nil // its calls do not count
			}
			return m, results, nil
		default:
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}
