// Package userconfig makes the configuration of a conversation from the user's
// settings, models, keys and summarizer.
//
// The command, the RPC server and the terminal app share it, so that all three
// interpret the same files in the same way. It reads and starts only what it is
// asked for, and prints nothing: problems with files are in Warnings.
package userconfig

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
	"github.com/pith-sessions/pith/internal/settings"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/sessiondir"
)

// A Setup is the user's configuration for a project.
type Setup struct {
	Settings *settings.Settings
	Models   *llm.Registry
	// Warnings are the problems with the files, a sentence each. They may quote
	// files and must be escaped before a terminal shows them.
	Warnings []string

	cwd string
}

// Read reads the configuration for the project at cwd.
func Read(env sessiondir.Environment, cwd string) *Setup {
	s := &Setup{cwd: cwd}
	s.Settings = settingsOf(env, cwd)
	for _, w := range s.Settings.Warnings {
		s.Warnings = append(s.Warnings, w.String())
	}
	models, warnings := llm.Open(env)
	s.Models = models
	s.Models.ResponseTimeout = milliseconds(s.Settings.Retry.TimeoutMs)
	for _, w := range warnings {
		s.Warnings = append(s.Warnings, w.String())
	}
	return s
}

// UsePrices makes the program estimate unknown costs by the prices in the user's
// settings. They are read when a cost is first estimated.
func UsePrices(env sessiondir.Environment, cwd string) {
	prices.SetOwn(func() map[string]prices.Price { return settingsOf(env, cwd).Prices })
}

func settingsOf(env sessiondir.Environment, cwd string) *settings.Settings {
	return settings.Read(settings.Where{Getenv: env.Getenv, Home: env.HomeDir(), AgentDir: env.AgentDir(), Cwd: cwd})
}

// ErrNoModel means that neither the user nor the session names a usable model.
var ErrNoModel = errors.New("no model configured: pass --model PROVIDER/ID, set a key such as ANTHROPIC_API_KEY, or log in with pi")

// A Choice overrides the configuration for one conversation. The zero Choice
// overrides nothing.
type Choice struct {
	Model      string // provider/id
	Thinking   string
	Summarizer string // model, extract or cmd:…
	// Keep and Reserve replace the settings; nil keeps those.
	Keep, Reserve *int64
}

// Client returns the model for a conversation: the chosen one, else the
// session's model if it is usable, else that of the settings, else the first
// with a key. If there is none, the error matches ErrNoModel.
func (s *Setup) Client(c Choice, session *format.Model) (llm.Client, error) {
	if c.Model != "" {
		return s.Models.Client(c.Model)
	}
	var names []string
	if session != nil {
		names = append(names, session.Provider+"/"+session.ModelID)
	}
	if s.Settings.DefaultProvider != "" && s.Settings.DefaultModel != "" {
		names = append(names, s.Settings.DefaultProvider+"/"+s.Settings.DefaultModel)
	}
	for _, m := range s.Models.Models() {
		names = append(names, m.Provider+"/"+m.ID)
	}
	for _, name := range names {
		if client, err := s.Models.Client(name); err == nil {
			return client, nil
		}
	}
	return nil, ErrNoModel
}

// Compaction returns the compaction settings for a model.
func (s *Setup) Compaction(c Choice, m llm.Model) compact.Settings {
	of := s.Settings.Compaction(m.Provider, m.ID)
	out := compact.Defaults()
	out.Enabled, out.ReserveTokens, out.KeepRecentTokens = of.Enabled, of.ReserveTokens, of.KeepRecentTokens
	if c.Keep != nil {
		out.KeepRecentTokens = *c.Keep
	}
	if c.Reserve != nil {
		out.ReserveTokens = *c.Reserve
	}
	return out
}

// Retry returns the policy for failed requests.
func (s *Setup) Retry() llm.RetryPolicy {
	r := s.Settings.Retry
	p := llm.RetryPolicy{
		Max:          int(r.MaxRetries),
		Base:         milliseconds(r.BaseDelayMs),
		Longest:      milliseconds(r.MaxDelayMs),
		LongestAsked: milliseconds(r.MaxRetryAfterMs),
	}
	if !r.Enabled || r.MaxRetries == 0 {
		p.Max = -1
	}
	return p
}

// milliseconds converts a number of the settings to a Duration, limited to the
// longest one.
func milliseconds(n int64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

// Summarizer returns a function that makes the summarizer: the chosen one, else
// that of the settings, else the model if there is one, else the summarizer
// without a model. It checks the name immediately.
func (s *Setup) Summarizer(c Choice) (func(llm.Client) compact.Summarizer, error) {
	name := summarize.Canonical(s.summarizer(c))
	choose := func(client llm.Client) (compact.Summarizer, error) {
		return summarize.Choose(name, summarize.ChooseOptions{
			Client: client, Model: summarize.ModelOptions{Retry: s.Retry()}, Command: summarize.CommandOptions{Dir: s.cwd},
		})
	}
	if name != summarize.ByModel {
		if _, err := choose(nil); err != nil {
			return nil, err
		}
	}
	return func(client llm.Client) compact.Summarizer {
		sum, err := choose(client)
		if err != nil {
			return compact.SummarizerFunc(func(context.Context, compact.Prompt) (string, error) { return "", err })
		}
		return sum
	}, nil
}

func (s *Setup) summarizer(c Choice) string { return cmp.Or(c.Summarizer, s.Settings.Summarizer) }

// FallsBack reports whether the summarizer without a model is used only because
// there is no model.
func (s *Setup) FallsBack(c Choice, m llm.Model) bool { return s.summarizer(c) == "" && m.ID == "" }

// SummarizerName returns the name of the summarizer of a conversation with the
// model m, which is zero if there is none.
func (s *Setup) SummarizerName(c Choice, m llm.Model) string {
	name := summarize.Canonical(s.summarizer(c))
	switch {
	case s.FallsBack(c, m):
		return summarize.NoModel
	case m.ID != "" && (name == "" || name == summarize.ByModel):
		return summarize.ByModel + " " + m.Provider + "/" + m.ID
	}
	return name
}

// Config returns the configuration of a live conversation in a session. If no
// model is available, Client is nil, and everything that needs none works.
func (s *Setup) Config(c Choice, session *pith.Session) (agent.Config, error) {
	named, err := sessionModel(session)
	if err != nil {
		return agent.Config{}, err
	}
	client, err := s.Client(c, named)
	if err != nil && c.Model != "" {
		return agent.Config{}, err
	}
	sum, err := s.Summarizer(c)
	if err != nil {
		return agent.Config{}, err
	}
	thinking := c.Thinking
	if thinking == "" && session.View().Len() == 0 {
		thinking = s.Settings.DefaultThinkingLevel
	}
	return agent.Config{
		Client: client, Thinking: thinking, Summarizer: sum,
		Resolve:       func(provider, id string) (llm.Client, error) { return s.Models.Client(provider + "/" + id) },
		Compaction:    func(m llm.Model) compact.Settings { return s.Compaction(c, m) },
		BranchReserve: s.Settings.BranchSummary.ReserveTokens,
		Retry:         s.Retry(),
	}, nil
}

// sessionModel returns the model of the session at its leaf.
func sessionModel(session *pith.Session) (*format.Model, error) {
	ctx, err := session.Context()
	if err != nil {
		return nil, err
	}
	return ctx.Model, nil
}
