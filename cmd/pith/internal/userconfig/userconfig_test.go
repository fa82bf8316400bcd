package userconfig_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/sessiondir"
)

// desk is a user with files and variables.
func desk(t *testing.T, vars map[string]string, files map[string]string) *userconfig.Setup {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := sessiondir.Environment{Home: home, Getenv: func(name string) string { return vars[name] }}
	return userconfig.Read(env, filepath.Join(home, "project"))
}

func TestWhichModel(t *testing.T) {
	both := map[string]string{"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}
	preferring := map[string]string{".pi/agent/settings.json": `{"defaultProvider":"openai","defaultModel":"gpt-x"}`}
	for name, c := range map[string]struct {
		vars, files map[string]string
		choice      userconfig.Choice
		session     *format.Model
		want        string
	}{
		"chosen":                 {both, preferring, userconfig.Choice{Model: "anthropic/claude-a"}, &format.Model{Provider: "openai", ModelID: "gpt-s"}, "anthropic/claude-a"},
		"of the session":         {both, preferring, userconfig.Choice{}, &format.Model{Provider: "anthropic", ModelID: "claude-s"}, "anthropic/claude-s"},
		"of the settings":        {both, preferring, userconfig.Choice{}, nil, "openai/gpt-x"},
		"the session's is gone":  {map[string]string{"OPENAI_API_KEY": "o"}, preferring, userconfig.Choice{}, &format.Model{Provider: "anthropic", ModelID: "claude-s"}, "openai/gpt-x"},
		"what there is a key to": {map[string]string{"ANTHROPIC_API_KEY": "a"}, nil, userconfig.Choice{}, nil, "anthropic/"},
	} {
		client, err := desk(t, c.vars, c.files).Client(c.choice, c.session)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m := client.Model(); !strings.HasPrefix(m.Provider+"/"+m.ID, c.want) {
			t.Errorf("%s: %s/%s, want %s", name, m.Provider, m.ID, c.want)
		}
	}
	if _, err := desk(t, nil, nil).Client(userconfig.Choice{}, nil); !errors.Is(err, userconfig.ErrNoModel) {
		t.Errorf("without a key: %v, want ErrNoModel", err)
	}
	if _, err := desk(t, nil, nil).Client(userconfig.Choice{Model: "anthropic/x"}, nil); err == nil || errors.Is(err, userconfig.ErrNoModel) {
		t.Errorf("a chosen model without a key: %v, want what is missing", err)
	}
}

func TestNumbers(t *testing.T) {
	s := desk(t, nil, map[string]string{".pi/agent/settings.json": `{"compaction":{"enabled":false,"reserveTokens":9,"keepRecentTokens":8},"retry":{"enabled":false}}`})
	keep := int64(3)
	got := s.Compaction(userconfig.Choice{Keep: &keep}, llm.Model{Provider: "p", ID: "m"})
	if got.Enabled || got.ReserveTokens != 9 || got.KeepRecentTokens != 3 {
		t.Errorf("compaction settings are %+v", got)
	}
	if s.Retry().Max >= 0 {
		t.Errorf("retries are %+v, want none", s.Retry())
	}
}

// Numbers of one model go before the others, and one that cannot be right counts
// as if it were not there.
func TestCompactionSettings(t *testing.T) {
	for name, c := range map[string]struct {
		compaction, model string
		reserve, keep     int64
		warnings          int
	}{
		"nothing":                  {`{}`, "m", 16384, 20000, 0},
		"case 20: override":        {`{"reserveTokens":5,"modelOverrides":{"p/m":{"reserveTokens":7}}}`, "m", 7, 20000, 0},
		"case 20: other model":     {`{"reserveTokens":5,"modelOverrides":{"p/m":{"reserveTokens":7}}}`, "n", 5, 20000, 0},
		"case 20: each on its own": {`{"keepRecentTokens":3,"modelOverrides":{"p/m":{"reserveTokens":7}}}`, "m", 7, 3, 0},
		"case 20: negative":        {`{"reserveTokens":-1}`, "m", 16384, 20000, 1},
		"case 20: no object":       {`{"modelOverrides":{"p/m":3}}`, "m", 16384, 20000, 1},
		"case 20: fraction":        {`{"reserveTokens":1.5}`, "m", 16384, 20000, 1},
		"text":                     {`{"keepRecentTokens":"5"}`, "m", 16384, 20000, 1},
		"not safe":                 {`{"keepRecentTokens":9007199254740992}`, "m", 16384, 20000, 1},
	} {
		s := desk(t, nil, map[string]string{".pi/agent/settings.json": `{"compaction":` + c.compaction + `}`})
		got := s.Compaction(userconfig.Choice{}, llm.Model{Provider: "p", ID: c.model})
		if !got.Enabled || got.ReserveTokens != c.reserve || got.KeepRecentTokens != c.keep || len(s.Warnings) != c.warnings {
			t.Errorf("%s: Compaction of %s = %+v, warnings %q; want reserve %d, keep %d, %d warnings", name, c.compaction, got, s.Warnings, c.reserve, c.keep, c.warnings)
		}
	}
}

// The limit of a request reaches the clients.
func TestResponseTimeout(t *testing.T) {
	got := desk(t, nil, map[string]string{".pi/agent/settings.json": `{"retry":{"provider":{"timeoutMs":1500}}}`}).Models.ResponseTimeout
	if got != 1500*time.Millisecond {
		t.Errorf("ResponseTimeout = %v; want 1.5s", got)
	}
	endless := desk(t, nil, map[string]string{".pi/agent/settings.json": `{"retry":{"baseDelayMs":9007199254740991,"provider":{"timeoutMs":9007199254740991}}}`})
	if got := endless.Models.ResponseTimeout; got < time.Hour || endless.Retry().Base < time.Hour {
		t.Errorf("ResponseTimeout = %v, Base = %v; want very long", got, endless.Retry().Base)
	}
}

func TestSummarizer(t *testing.T) {
	if _, err := desk(t, nil, nil).Summarizer(userconfig.Choice{Summarizer: "magic"}); err == nil {
		t.Error("an unknown summarizer was taken")
	}
	byModel, err := desk(t, nil, nil).Summarizer(userconfig.Choice{Summarizer: "model"})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := byModel(nil).Summarize(context.Background(), compact.Prompt{Part: compact.History, Conversation: "x"}); err == nil {
		t.Errorf("without a model it wrote %q", text)
	}
}

// A broken file is reported once, and the rest is used.
func TestWarnings(t *testing.T) {
	s := desk(t, nil, map[string]string{".pi/agent/settings.json": `{"compaction": `, ".pi/agent/models.json": `[`})
	if len(s.Warnings) != 2 {
		t.Errorf("warnings: %q", s.Warnings)
	}
	if got := s.Compaction(userconfig.Choice{}, llm.Model{}); got.KeepRecentTokens != compact.Defaults().KeepRecentTokens {
		t.Errorf("settings beside a broken file: %+v", got)
	}
}
