package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures the tokens and cost of sessions of Claude Code, beside
// ccusage, a native program.

const (
	ccusagePackage = "@ccusage/ccusage-linux-x64"
	ccusageVersion = "20.0.24"
)

// Of 1,000 sessions with these, the files have 358 MB.
const messagesOfSession = 185

// claudeText is most of a message.
var claudeText = strings.Repeat("a line of a tool's result, as long as such lines are\\n", 28)

// writeClaude writes n sessions of Claude Code into a home directory and returns
// the size of their files.
func writeClaude(home string, n int) (size int64, err error) {
	dir := filepath.Join(home, ".claude", "projects", "-p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	for i := range n {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		begin := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Hour)
		for m := range messagesOfSession {
			role, usage, parent := "user", "", "null"
			if m%2 == 1 {
				role = "assistant"
				usage = fmt.Sprintf(`,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d},"stop_reason":"end_turn"`, 10+i%7, 100+m, 1000*m, 20+m%50)
			}
			if m > 0 {
				parent = fmt.Sprintf(`"%d-%d"`, i, m-1)
			}
			fmt.Fprintf(w, `{"parentUuid":%s,"isSidechain":false,"type":"%s","uuid":"%d-%d","timestamp":"%s","sessionId":"%s","cwd":"/p","version":"2.1.328","requestId":"req_%d_%d","message":{"id":"msg_%d_%d","type":"message","role":"%s","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"%s"}]%s}}`+"\n",
				parent, role, i, m, begin.Add(time.Duration(m)*20*time.Second).Format("2006-01-02T15:04:05.000Z"), id, i, m, i, m, role, claudeText, usage)
		}
		if err := w.Flush(); err != nil {
			return 0, err
		}
		size += int64(b.Len())
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), b.Bytes(), 0o600); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// sizeBelow returns the size of the files below a directory.
func sizeBelow(dir string) (size int64, err error) {
	return size, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
}

func (b *bench) usageTrials(ctx context.Context) ([]trial, error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	n := 1000
	if b.quick {
		n = 100
	}
	home, cache := filepath.Join(b.work, "claude"), filepath.Join(b.work, "claude", ".cache")
	written, err := writeClaude(home, n)
	if err != nil {
		return nil, err
	}
	const first, again = "all responses, by day", "all responses, by day, again"
	const list, share = "the first pith ls --all", "cache after that, share of the sessions' bytes"
	t := trial{{"pith", b.runs, func(ctx context.Context) (r reading, err error) {
		if err := os.RemoveAll(cache); err != nil {
			return r, err
		}
		d, peak, err := process(command(ctx, home, filepath.Join(home, "pi"), pith, "ls", "--all"))
		if err != nil {
			return r, err
		}
		kept, err := sizeBelow(cache)
		if err != nil {
			return r, err
		}
		r.figures = []figure{
			took(list, d).with(within(1500 * time.Millisecond)), resident(list+", peak memory", peak).with(atMost(memoryGoal)),
			figure{what: share, amount: 100 * float64(kept) / float64(written), unit: percent}.with(atMost(3)),
		}
		if err := os.RemoveAll(cache); err != nil {
			return r, err
		}
		for _, c := range []struct {
			what string
			goal goal
		}{{first, over(0.6)}, {again, within(100 * time.Millisecond)}} {
			cmd := command(ctx, home, filepath.Join(home, "pi"), pith, "usage", "--json")
			var out bytes.Buffer
			cmd.Stdout = &out
			d, peak, err := process(cmd)
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(c.what, d).with(c.goal), resident(c.what+", peak memory", peak).with(atMost(memoryGoal)))
			var report struct{ Total struct{ Tokens int } }
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				return r, err
			}
			r.counts = map[string]int{"tokens": report.Total.Tokens}
		}
		return r, nil
	}}}
	if b.skipPeers || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return []trial{t}, nil
	}
	installed, err := pi.Fetch(ctx, ccusagePackage, ccusageVersion, b.logf)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(installed, "bin", "ccusage")
	if err := os.Chmod(program, 0o755); err != nil {
		return nil, err
	}
	return []trial{append(t, contender{"ccusage " + ccusageVersion, b.peerRuns, func(ctx context.Context) (reading, error) {
		cmd := exec.CommandContext(ctx, program, "daily", "--json", "--offline")
		cmd.Env = []string{"HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"), "TZ=UTC"}
		var out bytes.Buffer
		cmd.Stdout = &out
		d, peak, err := process(cmd)
		if err != nil {
			return reading{}, err
		}
		var report struct{ Totals struct{ TotalTokens int } }
		if err := json.Unmarshal(out.Bytes(), &report); err != nil || report.Totals.TotalTokens == 0 {
			return reading{}, errors.Join(fmt.Errorf("ccusage printed %.100q", out.Bytes()), err)
		}
		return reading{[]figure{took(first, d), resident(first+", peak memory", peak)}, map[string]int{"tokens": report.Totals.TotalTokens}}, nil
	}})}, nil
}
