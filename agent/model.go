package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// Model returns the current model, or the zero Model.
func (a *Conversation) Model() llm.Model { return a.choice.model() }

// Thinking returns the current thinking level.
func (a *Conversation) Thinking() string {
	_, level := a.choice.inForce()
	return level
}

// SetModel uses another model from the next request on and records it. If c is for
// the current model and the session already records that, nothing is written. The
// thinking level becomes the level requested last as far as the model supports it;
// a change of the level is recorded too.
func (a *Conversation) SetModel(ctx context.Context, c llm.Client) error {
	if c == nil {
		return ErrNoModel
	}
	m := c.Model()
	recorded, err := a.Session().Context()
	if err != nil {
		return err
	}
	if !names(recorded.Model, m) {
		if _, err := a.recorder.append(ctx, func(ctx context.Context, s *pith.Session) (string, error) {
			return s.AppendModel(ctx, m.Provider, m.ID)
		}); err != nil {
			return err
		}
	}
	last, before := a.Model(), a.Thinking()
	a.choice.use(c)
	if last.Provider != m.Provider || last.ID != m.ID {
		a.compactor.guard.fruitless.Store(0)
		a.events.emit(&ModelChanged{m})
	}
	level := a.Thinking()
	if level == before {
		return nil
	}
	a.events.emit(&ThinkingChanged{level})
	return a.recordThinking(ctx, level)
}

// SetThinking requests a thinking level from the next request on: off, minimal, low,
// medium, high, xhigh or max. The nearest level that the model supports becomes the
// current one: see [llm.Model.Nearest]. A change is recorded.
func (a *Conversation) SetThinking(ctx context.Context, level string) error {
	if !slices.Contains(llm.ThinkingLevels, level) {
		return invalidf("thinking level", string(level), "unknown thinking level %q; use one of %v", level, llm.ThinkingLevels)
	}
	if got := a.choice.nearest(level); got != a.Thinking() {
		if err := a.recordThinking(ctx, got); err != nil {
			return err
		}
		defer a.events.emit(&ThinkingChanged{got})
	}
	a.choice.ask(level)
	return nil
}

func (a *Conversation) recordThinking(ctx context.Context, level string) error {
	_, err := a.recorder.append(ctx, func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendThinkingLevel(ctx, level) })
	return err
}

// choice holds the current model and thinking level. It needs no lock during
// setup.
type choice struct {
	mu     sync.Mutex // guards all below
	client llm.Client // nil without a model
	asked  string     // requested level, or ""
}

// inForce returns the client and the model's level for the requested one.
func (c *choice) inForce() (llm.Client, string) {
	c.mu.Lock()
	client, asked := c.client, c.asked
	c.mu.Unlock()
	asked = cmp.Or(asked, "off")
	if client != nil {
		asked = client.Model().Nearest(asked)
	}
	return client, asked
}

// nearest returns the level that would be in force if level was requested.
func (c *choice) nearest(level string) string {
	if client, _ := c.inForce(); client != nil {
		return client.Model().Nearest(level)
	}
	return level
}

func (c *choice) model() llm.Model {
	if client, _ := c.inForce(); client != nil {
		return client.Model()
	}
	return llm.Model{}
}

func (c *choice) use(client llm.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.client = client
}

func (c *choice) ask(level string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = level
}

// wanted selects the recorded settings that replace the current ones.
type wanted struct{ model, thinking bool }

// adopt sets tools, model and thinking level from the leaf, as reopening the
// session would (pitfall 84). It writes nothing (pitfall 36).
func (a *Conversation) adopt(take wanted) error {
	c, err := a.Session().Context()
	if err != nil {
		return err
	}
	if err := a.tools.adopt(c); err != nil {
		return err
	}
	if c.Model == nil {
		return nil // nothing is recorded there
	}
	before := a.Thinking()
	if take.thinking {
		a.choice.ask(c.ThinkingLevel)
	}
	if take.model && a.config.Resolve != nil && !names(c.Model, a.Model()) {
		a.resolve(c.Model.Provider, c.Model.ModelID)
	}
	if level := a.Thinking(); level != before {
		a.events.emit(&ThinkingChanged{level})
	}
	return nil
}

func (a *Conversation) resolve(provider, id string) {
	client, err := a.config.Resolve(provider, id)
	if err == nil && client == nil {
		err = errors.New("unknown model")
	}
	if err != nil {
		a.events.emit(&Problem{Err: fmt.Errorf("use model %s/%s of the session: %w", provider, id, err)})
		return
	}
	a.choice.use(client)
	a.compactor.guard.fruitless.Store(0)
	a.events.emit(&ModelChanged{client.Model()})
}

// names reports whether a recorded model, which may be nil, is m.
func names(recorded *format.Model, m llm.Model) bool {
	return recorded != nil && recorded.Provider == m.Provider && recorded.ModelID == m.ID
}

// recordModel records the model if the session records another one, and the
// thinking level if the branch records one that means another level to this
// model. Only a session without entries gets its first level here. A recorded
// level that the model does not have is kept for the next model that has it.
func (a *Conversation) recordModel(ctx context.Context) error {
	s := a.Session()
	fresh := s.View().Len() == 0
	c, err := s.Context()
	if err != nil {
		return err
	}
	client, level := a.choice.inForce()
	if client == nil {
		return nil
	}
	m := client.Model()
	if !names(c.Model, m) {
		if err := a.recorder.record(ctx, func(ctx context.Context, s *pith.Session) (string, error) {
			return s.AppendModel(ctx, m.Provider, m.ID)
		}); err != nil {
			return err
		}
	}
	recorded, err := recordsThinking(s)
	if err != nil {
		return err
	}
	if fresh || recorded && m.Nearest(c.ThinkingLevel) != level {
		return a.recorder.record(ctx, func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendThinkingLevel(ctx, level) })
	}
	return nil
}

// recordsThinking reports whether the current branch records a thinking level.
func recordsThinking(s *pith.Session) (bool, error) {
	v := s.View()
	path, err := v.Path("")
	return err == nil && slices.ContainsFunc(path, func(pos int) bool {
		kind, _ := v.Kind(pos)
		return kind == format.TypeThinkingLevelChange
	}), err
}
