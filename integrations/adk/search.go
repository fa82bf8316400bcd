package adksession

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/adk/v2/session"
)

// A SearchRequest says what to look for.
type SearchRequest struct {
	AppName string
	UserID  string // empty means all users
	Text    string // found in any case
	Limit   int    // of matches; zero means 100
}

// A Match is an event that has the text.
type Match struct {
	UserID, SessionID, EventID string
	Time                       time.Time
	Text                       string // of the event
}

// Search finds events by their text, in the current path of each session of an app, also
// in what a compaction left out.
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

// textOf is what an event says, without thoughts.
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
