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
	store, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	pith := filepath.Join(b.work, "pith-mcp")
	if err := build(ctx, pith); err != nil {
		return nil, err
	}
	home := filepath.Join(b.work, "mcp-home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	if _, err := process(ctx, home, filepath.Dir(store), pith, "index"); err != nil {
		return nil, err
	}
	return []trial{{{"pith", b.runs, func(ctx context.Context) (reading, error) { return askMCP(ctx, pith, home, filepath.Dir(store)) }}}}, nil
}

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
