package rpcserver

import (
	"context"
	"time"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sessionstats"
	"github.com/pith-sessions/pith/llm"
)

// choiceMethods returns the methods that configure a conversation and report
// its state.
func choiceMethods() []*method {
	return []*method{
		onLive("setModel", setModel),
		onLive("setThinkingLevel", setThinkingLevel),
		onLive("configure", configure),
		onLive("setHooks", setHooks),
		onLive("getAvailableModels", getAvailableModels),
		onLive("getState", getState),
		onLive("getSessionStats", getSessionStats),
	}
}

type setModelParams struct {
	Provider string `json:"provider" need:"value"`
	ModelID  string `json:"modelId" need:"value"`
}

func setModel(ctx context.Context, _ *call, l *live, p *setModelParams) (any, error) {
	if err := ops.SetModel(ctx, l.conv, l.setup, p.Provider+"/"+p.ModelID); err != nil {
		return nil, err
	}
	return modelInfo(l.conv.Model()), nil
}

// A model is a model as clients see it.
type model struct {
	Provider      string `json:"provider"`
	ModelID       string `json:"modelId"`
	Name          string `json:"name,omitempty"`
	ContextWindow int64  `json:"contextWindow"`
	Reasoning     bool   `json:"reasoning"`
}

// modelInfo returns a model, or nil for none.
func modelInfo(m llm.Model) *model {
	if m.ID == "" {
		return nil
	}
	return &model{m.Provider, m.ID, m.Name, m.ContextWindow, m.Reasoning}
}

func setThinkingLevel(ctx context.Context, _ *call, l *live, p *levelParams) (any, error) {
	return nil, l.conv.SetThinking(ctx, p.Level)
}

type configureParams struct {
	Summarizer       string `json:"summarizer"`
	KeepRecentTokens *int   `json:"keepRecentTokens"`
	ReserveTokens    *int   `json:"reserveTokens"`
}

// configure overrides settings for this conversation. Parameters that are not
// given fall back to the settings.
func configure(_ context.Context, _ *call, l *live, p *configureParams) (any, error) {
	choice := userconfig.Choice{Summarizer: p.Summarizer, Keep: wide(p.KeepRecentTokens), Reserve: wide(p.ReserveTokens)}
	write, err := l.setup.Summarizer(choice)
	if err != nil {
		return nil, &ops.ParamError{Name: "summarizer", Problem: err.Error()}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.choice, l.write = choice, write
	return nil, nil
}

func wide(n *int) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// The limits for the answer to a hook.
const (
	usualLimit   = time.Minute
	longestLimit = time.Hour
)

type setHooksParams struct {
	Hooks     hookSet `json:"hooks" need:"given"`
	TimeoutMs int     `json:"timeoutMs"`
}

// A hookSet is a set of names of hooks.
type hookSet map[string]bool

func (h *hookSet) read(raw []byte) error {
	if jsonl.KindOf(raw) != '[' {
		return mustBe("a list of names", raw)
	}
	*h = hookSet{}
	for element := range jsonl.Elements(raw) {
		name, _ := jsonl.String(element)
		if !hookNames[name] {
			return invalid("has an unknown hook: " + string(element))
		}
		(*h)[name] = true
	}
	return nil
}

// setHooks sets the hooks that the client answers from now on.
func setHooks(_ context.Context, c *call, l *live, p *setHooksParams) (any, error) {
	limit := usualLimit
	if p.TimeoutMs > 0 {
		limit = min(time.Duration(p.TimeoutMs)*time.Millisecond, longestLimit)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hooks, l.limit = p.Hooks, limit
	if p.Hooks["session_start"] && l.greeted == nil {
		l.greeted = make(chan struct{})
		c.server.work.Go(func() { l.greet(limit) })
	}
	return nil, nil
}

func getAvailableModels(_ context.Context, _ *call, l *live, _ *none) (any, error) {
	all := []*model{}
	for _, m := range l.setup.Models.Models() {
		all = append(all, modelInfo(m))
	}
	return all, nil
}

var activities = map[agent.Activity]string{
	agent.ActivityIdle: "idle", agent.ActivityRunning: "running", agent.ActivityCompacting: "compacting", agent.ActivityNavigating: "navigating", agent.ActivitySwitching: "switching",
}

// queues are the messages that wait.
type queues struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

type state struct {
	Activity      string `json:"activity"`
	Model         *model `json:"model"`
	ThinkingLevel string `json:"thinkingLevel"`
	queues
}

func getState(_ context.Context, _ *call, l *live, _ *none) (any, error) {
	steering, followUp := l.conv.Queued()
	return state{activities[l.conv.Busy()], modelInfo(l.conv.Model()), l.conv.Thinking(), queues{steering, followUp}}, nil
}

func getSessionStats(_ context.Context, _ *call, l *live, _ *none) (any, error) {
	return sessionstats.Of(l.conv)
}
