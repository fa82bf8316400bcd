package rpcserver

import (
	"context"
	"strconv"
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

func setModel(ctx context.Context, _ *call, l *live, p *setModelParams) ([]byte, error) {
	if err := ops.SetModel(ctx, l.conv, l.setup, p.Provider+"/"+p.ModelID); err != nil {
		return nil, err
	}
	return modelInfo(l.conv.Model()), nil
}

func modelInfo(m llm.Model) []byte {
	if m.ID == "" {
		return null
	}
	return object{}.
		Text("provider", m.Provider).
		Text("modelId", m.ID).
		Known("name", m.Name).
		Number("contextWindow", m.ContextWindow).
		Flag("reasoning", m.Reasoning)
}

func setThinkingLevel(ctx context.Context, _ *call, l *live, p *levelParams) ([]byte, error) {
	return nothing(l.conv.SetThinking(ctx, p.Level))
}

type configureParams struct {
	Summarizer       string `json:"summarizer"`
	KeepRecentTokens *int   `json:"keepRecentTokens"`
	ReserveTokens    *int   `json:"reserveTokens"`
}

// configure overrides settings for this conversation. Parameters that are not
// given fall back to the settings.
func configure(_ context.Context, _ *call, l *live, p *configureParams) ([]byte, error) {
	choice := userconfig.Choice{Summarizer: p.Summarizer, Keep: wide(p.KeepRecentTokens), Reserve: wide(p.ReserveTokens)}
	write, err := l.setup.Summarizer(choice)
	if err != nil {
		return nil, &ops.ParamError{Name: "summarizer", Problem: err.Error()}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.choice, l.write = choice, write
	return null, nil
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
func setHooks(_ context.Context, c *call, l *live, p *setHooksParams) ([]byte, error) {
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
	return null, nil
}

func getAvailableModels(_ context.Context, _ *call, l *live, _ *none) ([]byte, error) {
	var all list
	for _, m := range l.setup.Models.Models() {
		all.add(modelInfo(m))
	}
	return all.end(), nil
}

var activities = map[agent.Activity]string{
	agent.ActivityIdle: "idle", agent.ActivityRunning: "running", agent.ActivityCompacting: "compacting", agent.ActivityNavigating: "navigating", agent.ActivitySwitching: "switching",
}

func getState(_ context.Context, _ *call, l *live, _ *none) ([]byte, error) {
	steering, followUp := l.conv.Queued()
	return object{}.
		Text("activity", activities[l.conv.Busy()]).
		Raw("model", modelInfo(l.conv.Model())).
		Text("thinkingLevel", l.conv.Thinking()).
		Raw("steering", texts(steering)).
		Raw("followUp", texts(followUp)), nil
}

// getSessionStats returns the members of pi's stats, including the cost in
// dollars.
func getSessionStats(_ context.Context, _ *call, l *live, _ *none) ([]byte, error) {
	st, err := sessionstats.Of(l.conv)
	if err != nil {
		return nil, err
	}
	o := object{}.
		TextOrNull("sessionFile", st.File).
		Text("sessionId", st.ID).
		TextOrNull("sessionName", st.Name).
		Number("userMessages", int64(st.UserMessages)).
		Number("assistantMessages", int64(st.AssistantMessages)).
		Number("toolCalls", int64(st.ToolCalls)).
		Number("toolResults", int64(st.ToolResults)).
		Number("totalMessages", int64(st.TotalMessages)).
		Raw("tokens", tokenCounts(st.Tokens)).
		Raw("cost", dollars(st.Spent.Cost.Micros()))
	var models list
	for _, m := range st.ByModel {
		one := object{}.
			Text("model", m.Name).
			Number("messages", int64(m.Messages)).
			Raw("tokens", tokenCounts(m.Tokens)).
			Raw("cost", dollars(m.Spent.Cost.Micros()))
		models.add(one)
	}
	return o.Raw("models", models.end()).Raw("contextUsage", contextUsage(st.Context)), nil
}

func tokenCounts(t sessionstats.Tokens) []byte {
	return object{}.
		Number("input", t.Input).
		Number("output", t.Output).
		Number("cacheRead", t.CacheRead).
		Number("cacheWrite", t.CacheWrite).
		Number("total", t.Total)
}

// contextUsage returns null if the context window is not known. The tokens are
// an estimate while known is false (pitfall 107).
func contextUsage(u *sessionstats.ContextUsage) []byte {
	if u == nil {
		return null
	}
	return object{}.
		Number("tokens", u.Tokens).
		Number("contextWindow", u.Window).
		Raw("percent", strconv.AppendFloat(nil, u.Percent, 'f', 2, 64)).
		Flag("known", u.Known)
}

func dollars(micros int64) []byte { return strconv.AppendFloat(nil, float64(micros)/1e6, 'f', -1, 64) }
