package adksession

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/adk/v2/session"
)

// A SearchRequest describes a search.
type SearchRequest struct {
	AppName string
	UserID  string // empty means all users
	Text    string // letter case is ignored
	Limit   int    // maximum number of matches; zero means 100
}

// A Match is an event that contains the text.
type Match struct {
	UserID, SessionID, EventID string
	Time                       time.Time
	Text                       string // of the event
}

// Search finds events by their text, on the current path of each session of an
// app, including events that a compaction left out.
func (s *Service) Search(ctx context.Context, req SearchRequest) ([]Match, error) {
	sessions, err := s.list(ctx, req.AppName, req.UserID)
	if err != nil {
		return nil, err
	}
	if req.Limit <= 0 {
		req.Limit = 100
	}
	want := strings.ToLower(req.Text)
	var out []Match
	for _, found := range sessions {
		events, err := s.History(ctx, &handle{key: found.key})
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			text := textOf(e)
			if !strings.Contains(strings.ToLower(text), want) {
				continue
			}
			if out = append(out, Match{found.key.User, found.key.ID, e.ID, e.Timestamp, text}); len(out) == req.Limit {
				return out, nil
			}
		}
	}
	return out, nil
}

// textOf returns the text of an event, without thinking.
func textOf(e *session.Event) string {
	if e.Content == nil {
		return ""
	}
	var said []string
	for _, p := range e.Content.Parts {
		switch {
		case p == nil || p.Thought:
		case p.Text != "":
			said = append(said, p.Text)
		case p.FunctionResponse != nil:
			if raw, err := json.Marshal(p.FunctionResponse.Response); err == nil {
				said = append(said, string(raw))
			}
		}
	}
	return strings.Join(said, "\n")
}
