package agent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/llm"
)

// Client is the client of the model in force; nil when there is none.
func (a *Session) Client() llm.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client
}

// Model is the model in force; the zero Model when there is none.
func (a *Session) Model() llm.Model {
	if c := a.Client(); c != nil {
		return c.Model()
	}
	return llm.Model{}
}

// Thinking is the level of thinking in force.
func (a *Session) Thinking() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.thinking
}

// SetModel asks another model from the next request on, and records that.
func (a *Session) SetModel(c llm.Client) error {
	if c == nil {
		return ErrNoModel
	}
	m := c.Model()
	if _, err := a.append(func(s *pith.Session) (string, error) { return s.AppendModel(m.Provider, m.ID) }); err != nil {
		return err
	}
	a.mu.Lock()
	a.client = c
	a.mu.Unlock()
	a.guard.fruitless.Store(0)
	a.bus.emit(&ModelChanged{m})
	return nil
}

// SetThinking changes the level of thinking from the next request on, and records
// that: off, minimal, low, medium, high, xhigh or max.
func (a *Session) SetThinking(level string) error {
	if !slices.Contains(llm.ThinkingLevels, level) {
		return fmt.Errorf("%w: thinking level %q; the levels are %v", pith.ErrInvalid, level, llm.ThinkingLevels)
	}
	if a.Thinking() == level {
		return nil
	}
	if _, err := a.append(func(s *pith.Session) (string, error) { return s.AppendThinkingLevel(level) }); err != nil {
		return err
	}
	a.mu.Lock()
	a.thinking = level
	a.mu.Unlock()
	a.bus.emit(&ThinkingChanged{level})
	return nil
}

// SetName gives the session a display name; "" clears it.
func (a *Session) SetName(name string) error {
	_, err := a.Session().SetName(name)
	if err := a.settled(err); err != nil {
		return err
	}
	a.TellName()
	return nil
}

// TellName tells subscribers and hooks the display name. It is for callers that
// changed it in [Session.Session] themselves.
func (a *Session) TellName() {
	s := a.Session()
	a.bus.emit(&NameChanged{s.Name()})
	a.hookRenamed(a.base, RenamedEvent{Session: s, Name: s.Name()})
}

// settled is the error of an append. An entry that is written but not durable
// counts as written; that is told.
func (a *Session) settled(err error) error {
	if errors.Is(err, pith.ErrNotDurable) {
		a.bus.emit(&Problem{err})
		return nil
	}
	return err
}

// wanted says whether what a session records takes the place of what is in force.
type wanted struct{ model, thinking bool }

// adopt takes tools, model and thinking level from where the session stands, as opening
// it anew would (pitfall 84). Nothing is written (pitfall 36).
func (a *Session) adopt(take wanted) error {
	c, err := a.Session().Context()
	if err != nil {
		return err
	}
	if err := a.adoptTools(c); err != nil {
		return err
	}
	if c.Model == nil {
		return nil // nothing was recorded there
	}
	if take.thinking && a.Thinking() != c.ThinkingLevel {
		a.mu.Lock()
		a.thinking = c.ThinkingLevel
		a.mu.Unlock()
		a.bus.emit(&ThinkingChanged{c.ThinkingLevel})
	}
	if m := a.Model(); take.model && a.config.Resolve != nil && (m.Provider != c.Model.Provider || m.ID != c.Model.ModelID) {
		a.resolve(c.Model.Provider, c.Model.ModelID)
	}
	return nil
}

func (a *Session) resolve(provider, id string) {
	client, err := a.config.Resolve(provider, id)
	if err == nil && client == nil {
		err = errors.New("it is not known")
	}
	if err != nil {
		a.bus.emit(&Problem{fmt.Errorf("use the model %s/%s that the session names: %w", provider, id, err)})
		return
	}
	a.mu.Lock()
	a.client = client
	a.mu.Unlock()
	a.guard.fruitless.Store(0)
	a.bus.emit(&ModelChanged{client.Model()})
}

// recordModel records model and thinking level where the session says something
// else, or nothing.
func (a *Session) recordModel() error {
	s := a.Session()
	fresh := s.Len() == 0
	c, err := s.Context()
	if err != nil {
		return err
	}
	client, level := a.Client(), a.Thinking()
	if client == nil {
		return nil
	}
	m := client.Model()
	if c.Model == nil || c.Model.Provider != m.Provider || c.Model.ModelID != m.ID {
		if err := a.record(func(s *pith.Session) (string, error) { return s.AppendModel(m.Provider, m.ID) }); err != nil {
			return err
		}
	}
	if fresh || c.ThinkingLevel != level {
		return a.record(func(s *pith.Session) (string, error) { return s.AppendThinkingLevel(level) })
	}
	return nil
}

// record is append, for a session that may be open for reading only.
func (a *Session) record(write func(*pith.Session) (string, error)) error {
	_, err := a.append(write)
	if errors.Is(err, pith.ErrReadOnly) {
		return nil
	}
	return err
}
