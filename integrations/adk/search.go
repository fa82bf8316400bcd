package adksession

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/adk/v2/session"
)

// searchIn finds the events of one session whose text holds want, in lower case.
func (s *Service) searchIn(ctx context.Context, k key, want string) ([]Match, error) {
	c, err := s.acquire(ctx, s.sessionName(k))
	if err != nil {
		return nil, err
	}
	defer s.release(c)
	if err := c.refresh(ctx); err != nil {
		return nil, k.found(err)
	}
	var out []Match
	for w := c.walk(ctx); ; {
		e, ok, err := w.step()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		raw := e.event()
		if raw == nil {
			continue
		}
		event := new(session.Event)
		if err := json.Unmarshal(raw, event); err != nil {
			return nil, err
		}
		if text := textOf(event); strings.Contains(strings.ToLower(text), want) {
			out = append(out, Match{k.User, k.ID, event.ID, event.Timestamp, text})
		}
	}
	slices.Reverse(out)
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
