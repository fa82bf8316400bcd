package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-sessions/pith/tests/corpus"
)

// asked are typical questions of agents.
var asked = []string{
	"how did we fix the parser error", "database migration failed", "flaky test timeout", "refactor config loader", "race condition in cache",
	"which port does the server use", "why was the retry removed", "unicode bug in editor", "memory leak in the worker", "deploy to staging",
}

// mcpTrials measures a server that an agent starts, with 1,000 indexed
// sessions.
func (b *bench) mcpTrials(ctx context.Context) ([]trial, error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	agentDir, home, err := b.wordsHome(ctx, pith)
	if err != nil {
		return nil, err
	}
	return []trial{{{"pith", b.runs, func(ctx context.Context) (reading, error) {
		r, err := askMCP(ctx, pith, home, agentDir)
		r.figures = append(b.wordsMade, r.figures...)
		return r, err
	}}}}, nil
}

// wordsHome returns the agent directory of the 1,000 sessions of 500 MB, and a
// home directory whose index has their words. It is made once, and its figures
// are those of the index.
func (b *bench) wordsHome(ctx context.Context, pith string) (agentDir, home string, err error) {
	store, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return "", "", err
	}
	agentDir, home = filepath.Dir(store), filepath.Join(b.work, "words-home")
	if _, err := os.Stat(home); err == nil {
		return agentDir, home, nil
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", "", err
	}
	b.logf("indexing the words of 500 MB")
	cmd := command(ctx, home, agentDir, pith, "doctor", "--reindex")
	begin := time.Now()
	peak, err := watched(cmd)
	if err != nil {
		return "", "", err
	}
	b.wordsMade = []figure{took(wordsIndex, time.Since(begin)), resident("pith doctor --reindex of 1,000 sessions, 500 MB: peak memory", peak)}
	return agentDir, home, nil
}

// wordsIndex is the label of the time that the word index takes.
const wordsIndex = "pith doctor --reindex of 1,000 sessions, 500 MB"

// askMCP starts a server, asks it, and ends it.
func askMCP(ctx context.Context, pith, home, agentDir string) (r reading, err error) {
	cmd := exec.CommandContext(ctx, pith, "mcp", "--all")
	cmd.Env = []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + agentDir, "PI_SESSION_ID=none"}
	cmd.Dir = home
	begin := time.Now()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return r, err
	}
	defer s.Close()
	start := time.Since(begin)
	var times []time.Duration
	for _, q := range asked {
		begin := time.Now()
		answer, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": q}})
		if err != nil {
			return r, err
		}
		if answer.IsError {
			return r, fmt.Errorf("search %q failed", q)
		}
		times = append(times, time.Since(begin))
	}
	first := times[0]
	slices.Sort(times)
	r.figures = []figure{
		took("start, until initialized", start), took("the first search", first),
		took("a search, median of 10", times[len(times)/2]), took("a search, the slowest of 10", times[len(times)-1]),
	}
	if peak := peakOf(cmd.Process.Pid); peak > 0 {
		r.figures = append(r.figures, resident("peak memory of the server", peak))
	}
	return r, nil
}

// peakOf returns the peak memory of a process; 0 if the system does not report
// it.
func peakOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	var kb int64
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kb); err == nil {
			break
		}
	}
	return kb << 10
}
