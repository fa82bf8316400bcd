package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures the sessions of other agents: as many of Claude Code as of pi,
// and one large file of Codex.

// agentsText is what most of a message is.
var agentsText = strings.Repeat("a line of a tool's result, as long as such lines are\\n", 30)

// writeTwins writes n sessions of 12 messages for Claude Code and the same for pi. It
// returns how many bytes those of Claude Code have.
func writeTwins(home string, n int) (bytes int64, err error) {
	claude, own := filepath.Join(home, ".claude", "projects", "-p"), filepath.Join(home, "pi", "sessions", "--p--")
	for _, dir := range []string{claude, own} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return 0, err
		}
	}
	for i := range n {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)
		var a, b strings.Builder
		fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"2026-11-17T01:00:00.000Z","cwd":"/p"}`+"\n", id)
		for m := range 12 {
			role, usage, parent, before := "user", "", "null", "null"
			if m%2 == 1 {
				role, usage = "assistant", `,"usage":{"input_tokens":100,"output_tokens":10},"stop_reason":"end_turn"`
			}
			if m > 0 {
				parent, before = fmt.Sprintf(`"%d-%d"`, i, m-1), fmt.Sprintf(`"%08x"`, m-1)
			}
			at := time.Date(2026, 11, 17, 1, m, 0, 0, time.UTC)
			stamp := at.Format("2006-01-02T15:04:05.000Z")
			fmt.Fprintf(&a, `{"parentUuid":%s,"isSidechain":false,"type":"%s","uuid":"%d-%d","timestamp":"%s","sessionId":"%s","cwd":"/p","version":"2.1.325","requestId":"r%d-%d","message":{"id":"m%d-%d","type":"message","role":"%s","model":"claude-x","content":[{"type":"text","text":"%s"}]%s}}`+"\n",
				parent, role, i, m, stamp, id, i, m, i, m, role, agentsText, usage)
			usage = strings.NewReplacer("input_tokens", "input", "output_tokens", "output", `"stop_reason":"end_turn"`, `"stopReason":"stop","api":"x","provider":"x","model":"claude-x"`).Replace(usage)
			fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"%s","message":{"role":"%s","content":[{"type":"text","text":"%s"}],"timestamp":%d%s}}`+"\n", m, before, stamp, role, agentsText, at.UnixMilli(), usage)
		}
		bytes += int64(a.Len())
		if err := os.WriteFile(filepath.Join(claude, id+".jsonl"), []byte(a.String()), 0o600); err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(own, "2026-11-17T01-00-00-000Z_"+id+".jsonl"), []byte(b.String()), 0o600); err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

// writeRollout writes a Codex thread of a given size.
func writeRollout(home string, size int64) error {
	const id = "01a1e73a-9dfd-7ee1-b76e-80cb78947223"
	dir := filepath.Join(home, ".codex", "sessions", "2026", "11", "17")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "rollout-2026-11-17T01-00-00-"+id+".jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	n, _ := fmt.Fprintf(w, `{"timestamp":"2026-11-17T01:00:00.000Z","type":"session_meta","payload":{"id":"%s","cwd":"/p","cli_version":"0.166.0"}}`+"\n", id)
	for i, left := 0, size-int64(n); left > 0; i++ {
		role, kind := "user", "input_text"
		if i%2 == 1 {
			role, kind = "assistant", "output_text"
		}
		n, err := fmt.Fprintf(w, `{"timestamp":"2026-11-17T01:00:00.000Z","type":"response_item","payload":{"type":"message","role":"%s","content":[{"type":"%s","text":"%d %s"}]}}`+"\n", role, kind, i, agentsText)
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	return w.Flush()
}

// listHome lists the sessions of a home, without an index.
func listHome(ctx context.Context, t task, out *sample) error {
	_, err := out.list(ctx, catalog.Options{Home: t.Path, Getenv: func(string) string { return "" }})
	return err
}

// agentsTrials: ccusage is timed from outside, with the start of Node in it.
func (b *bench) agentsTrials(ctx context.Context) ([]trial, error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	n, size := 10_000, int64(1<<30)
	if b.quick {
		n, size = 1000, 200<<20
	}
	twins, large := filepath.Join(b.work, "twins"), filepath.Join(b.work, "large")
	written, err := writeTwins(twins, n)
	if err != nil {
		return nil, err
	}
	if err := writeRollout(large, size); err != nil {
		return nil, err
	}
	usage := fmt.Sprintf("tokens of %d sessions of Claude Code, by day", n)
	t := trial{{"pith", min(b.runs, 2), func(ctx context.Context) (r reading, err error) {
		for _, home := range []string{twins, large} {
			if err := os.RemoveAll(filepath.Join(home, ".cache")); err != nil {
				return r, err
			}
		}
		for _, s := range []struct {
			what, home string
			args       []string
		}{
			{fmt.Sprintf("the first list of %d sessions of Claude Code, %d MB", n, written>>20), twins, []string{"ls", "--all", "--source", "claude", "--limit", "5"}},
			{fmt.Sprintf("the first list of %d sessions of pi", n), twins, []string{"ls", "--all", "--source", "pi", "--limit", "5"}},
			{fmt.Sprintf("the second list of %d sessions of Claude Code", n), twins, []string{"ls", "--all", "--source", "claude", "--limit", "5"}},
			{fmt.Sprintf("the second list of %d sessions of pi", n), twins, []string{"ls", "--all", "--source", "pi", "--limit", "5"}},
			{usage, twins, []string{"usage", "--source", "claude", "--json"}},
		} {
			d, err := process(ctx, s.home, filepath.Join(s.home, "pi"), pith, s.args...)
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(s.what, d))
		}
		codex := fmt.Sprintf("the first list of a thread of Codex of %d MB", size>>20)
		s, err := inChild(ctx, task{Name: "list+home", Path: large})
		r.figures = append(r.figures, took(codex, s.Took), resident("peak memory of "+codex, s.Peak))
		if err != nil {
			return r, err
		}
		return r, nil
	}}}
	if len(b.pis) == 0 {
		return []trial{t}, nil
	}
	installed, err := pi.Fetch(ctx, "ccusage", ccusageVersion, b.logf)
	if err != nil {
		return nil, err
	}
	return []trial{append(t, contender{"ccusage " + ccusageVersion, 1, func(ctx context.Context) (reading, error) {
		cmd := exec.CommandContext(ctx, b.pis[0].Node, filepath.Join(installed, "dist", "index.js"), "daily", "--json", "--offline")
		cmd.Env = []string{"HOME=" + twins, "CLAUDE_CONFIG_DIR=" + filepath.Join(twins, ".claude"), "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
		start := time.Now()
		out, err := output(cmd)
		if err == nil && !json.Valid(out) {
			err = fmt.Errorf("ccusage printed %.100q", out)
		}
		return reading{figures: []figure{took(usage, time.Since(start))}}, err
	}})}, nil
}
