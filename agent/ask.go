package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// The stop reasons that sessions record.
const (
	stopped   = "stop"
	cutOff    = "length"
	failed    = "error"
	abandoned = "aborted"
)

// ask requests one response and writes it, complete or not.
func (r *run) ask(ctx context.Context) error {
	client, _ := r.a.choice.inForce()
	if client == nil {
		return ErrNoModel
	}
	request, err := r.request()
	if err != nil {
		return err
	}
	r.a.events.emit(&MessageStart{Role: format.RoleAssistant})
	repeated := 0
	message, err := client.Stream(ctx, request, func(e llm.Event) {
		if e.Kind != llm.Retry {
			r.a.events.emit(&MessageUpdate{e})
			return
		}
		repeated++
		r.a.events.emit(&RetryStart{Attempt: e.Attempt, Delay: time.Duration(e.WaitMs) * time.Millisecond, Err: e.Err})
	})
	if repeated > 0 {
		r.a.events.emit(&RetryEnd{Attempt: repeated, Err: err})
	}
	message, err = r.settle(ctx, client.Model(), message, err)
	message = hookMessage(ctx, &r.a.hooks, message)
	id, werr := r.finish(ctx, message)
	if werr != nil {
		return werr
	}
	r.last = answer{id: id, message: message, err: err}
	if message.StopReason != failed && message.StopReason != cutOff {
		r.a.compactor.guard.recovered = false
	}
	if err == nil {
		r.endRetry()
	}
	return nil
}

// settle makes stop reason and error consistent, whatever the client returned.
func (r *run) settle(ctx context.Context, m llm.Model, message *format.Assistant, err error) (*format.Assistant, error) {
	if message == nil {
		message = &format.Assistant{API: m.API, Provider: m.Provider, Model: m.ID}
		if err == nil {
			err = errors.New("the client returned no response")
		}
	}
	if err == nil && message.StopReason != failed && message.StopReason != abandoned {
		return message, nil
	}
	if err == nil {
		err = errors.New(message.ErrorMessage)
	}
	reason := failed
	if ctx.Err() != nil {
		reason, err = abandoned, ended(ctx)
	}
	if message.StopReason == reason && (message.ErrorMessage != "" || reason == abandoned) {
		return message, err
	}
	fixed := &format.Assistant{
		Content: message.Content, API: message.API, Provider: message.Provider, Model: message.Model,
		ResponseModel: message.ResponseModel, ResponseID: message.ResponseID, Usage: message.Usage,
		StopReason: reason, ErrorMessage: message.ErrorMessage, ThinkingLevel: message.ThinkingLevel, Timestamp: message.Timestamp,
	}
	if fixed.ErrorMessage == "" && reason == failed {
		fixed.ErrorMessage = err.Error()
	}
	if fixed.Timestamp == 0 {
		fixed.Timestamp = r.a.config.Now().UnixMilli()
	}
	return fixed, err
}

func (r *run) request() (llm.Request, error) {
	c, err := r.a.Session().Context()
	if err != nil {
		return llm.Request{}, fmt.Errorf("build the context: %w", err)
	}
	messages, changes, err := forModel(c)
	if err != nil {
		return llm.Request{}, fmt.Errorf("build the context: %w", err)
	}
	if len(changes) > 0 && !slices.Equal(changes, r.a.compactor.guard.repaired) {
		r.a.events.emit(&Repaired{changes})
	}
	r.a.compactor.guard.repaired = changes
	system, err := r.systemPrompt(c)
	if err != nil {
		return llm.Request{}, fmt.Errorf("build the context: %w", err)
	}
	request := llm.Request{
		System: system, Messages: messages, Thinking: r.a.Thinking(),
		MaxTokens: r.a.config.MaxTokens, SessionID: r.a.Session().ID(),
	}
	r.offered = map[string]bool{}
	for _, name := range r.a.ActiveTools() {
		r.offered[name] = true
		request.Tools = append(request.Tools, r.a.tools.byName[name].Tool)
	}
	return request, nil
}

// systemPrompt returns the configured prompt, or else the recorded one.
func (r *run) systemPrompt(c *pith.Context) (string, error) {
	if r.system != nil {
		return *r.system, nil
	}
	state, _, err := c.System()
	return state.Prompt(), err
}

// forModel returns a context as a model gets it, and the changes made for that.
func forModel(c *pith.Context) ([]format.Message, []pith.Finding, error) {
	repaired, changes, err := c.Repaired()
	if err != nil {
		return nil, nil, err
	}
	var out []format.Message
	for _, raw := range repaired {
		raw, ok := pith.ForModel(raw)
		if !ok {
			continue
		}
		m, err := format.DecodeMessage(raw.Raw)
		if err != nil {
			return nil, nil, err
		}
		switch m.Role() {
		case format.RoleUser, format.RoleAssistant, format.RoleToolResult:
			out = append(out, m)
		}
	}
	return out, changes, nil
}

// hookPrompt calls the BeforePrompt hooks and returns their messages.
func (r *run) hookPrompt(ctx context.Context, p *prompt) []format.CustomMessage {
	if !slices.ContainsFunc(r.a.hooks.all, func(h Hooks) bool { return h.BeforePrompt != nil }) {
		return nil // no need to read the prompt
	}
	e := BeforePromptEvent{Session: r.a.Session(), Text: p.text, Images: p.images, System: r.currentPrompt(), Model: r.a.Model()}
	var extra []format.CustomMessage
	decide(ctx, &r.a.hooks, "BeforePrompt", e, func(h Hooks) func(context.Context, BeforePromptEvent) (PromptDecision, error) { return h.BeforePrompt },
		func(d PromptDecision) {
			extra = append(extra, d.Messages...)
			if d.System != nil {
				system := *d.System
				r.system = &system
			}
		})
	return extra
}

// currentPrompt returns the system prompt for hooks, or "" if it cannot be
// read: then the following request fails.
func (r *run) currentPrompt() string {
	c, err := r.a.Session().Context()
	if err != nil {
		return ""
	}
	text, err := r.systemPrompt(c)
	if err != nil {
		return ""
	}
	return text
}

// declareTools records, before a request, changes to the tools since the
// session recorded them. A session that records no tools stays without.
//
// Recorded tools that this program does not have stay recorded, so that a
// program that has them, such as pi, finds them in force.
func (r *run) declareTools(ctx context.Context) error {
	if len(r.a.tools.all) == 0 {
		return nil
	}
	c, err := r.a.Session().Context()
	if err != nil {
		return err
	}
	state, ok, err := c.System()
	if err != nil || !ok {
		return err
	}
	m := r.a.tools.changes(state, r.a.config.Now())
	if m == nil {
		return nil
	}
	_, err = r.write(ctx, m)
	return err
}
