package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
)

// The file that is blamed: some sessions wrote a part of it each.
const (
	blamedParts = 20
	blamedPart  = 50 // lines
)

// blameTrials measures pith blame of a file of 1,000 lines in a Git repository, among
// the sessions of other projects.
func (b *bench) blameTrials(ctx context.Context) ([]trial, error) {
	store, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	agentDir, project := filepath.Join(b.work, "blame"), filepath.Join(b.work, "blamed")
	if err := linkTree(store, filepath.Join(agentDir, "sessions")); err != nil {
		return nil, err
	}
	if err := writeBlamed(project, filepath.Join(agentDir, "sessions", "blamed")); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=b", "-c", "user.email=b@example.com", "commit", "-q", "-m", "parts"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = project
		if _, err := output(cmd); err != nil {
			return nil, err
		}
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	return []trial{{{"pith", b.runs, func(ctx context.Context) (r reading, err error) {
		home, err := os.MkdirTemp(b.work, "home-")
		if err != nil {
			return r, err
		}
		first, err := blameOnce(ctx, pith, home, agentDir, project, "the first time")
		if err != nil {
			return r, err
		}
		again, err := blameOnce(ctx, pith, home, agentDir, project, "again")
		return reading{figures: append(first, again...)}, err
	}}}}, nil
}

// blameOnce blames the file and checks that every line is attributed.
func blameOnce(ctx context.Context, pith, home, agentDir, project, when string) ([]figure, error) {
	cmd := exec.CommandContext(ctx, pith, "blame", "parts.go")
	cmd.Env = []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + agentDir, "PATH=" + os.Getenv("PATH")}
	cmd.Dir = project
	var out bytes.Buffer
	cmd.Stdout = &out
	begin := time.Now()
	peak, err := watched(cmd)
	if err != nil {
		return nil, err
	}
	spent := time.Since(begin)
	if n := strings.Count(out.String(), "Add part"); n != blamedParts*blamedPart {
		return nil, fmt.Errorf("%d of %d lines are attributed", n, blamedParts*blamedPart)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return []figure{took("pith blame, "+when, spent), took("processor time, "+when, used), resident("peak memory, "+when, peak)}, nil
}

// linkTree makes hard links to all files of a directory in another one.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		return os.Link(path, filepath.Join(to, rel))
	})
}

// writeBlamed writes a file and the sessions that wrote its parts.
func writeBlamed(project, sessions string) error {
	if err := errors.Join(os.MkdirAll(project, 0o700), os.MkdirAll(sessions, 0o700)); err != nil {
		return err
	}
	text, last := "", ""
	for n := range blamedParts {
		part := ""
		for k := range blamedPart {
			part += fmt.Sprintf("func Part%dFunction%d(input string) string { return input + \"%d\" }\n", n, k, n*blamedPart+k)
		}
		call := map[string]any{"type": "toolCall", "id": "c", "name": "write", "arguments": map[string]any{"path": "parts.go", "content": part}}
		if n > 0 {
			call["name"] = "edit"
			call["arguments"] = map[string]any{"path": "parts.go", "edits": []any{map[string]any{"oldText": last, "newText": last + part}}}
		}
		text += part
		last = part[strings.LastIndexByte(part[:len(part)-1], '\n')+1:]
		stamp := func(second int) string { return fmt.Sprintf("2026-03-%02dT10:00:%02d.000Z", n+1, second) }
		id := fmt.Sprintf("%08d-0000-7000-8000-000000000000", n)
		var out bytes.Buffer
		lines := json.NewEncoder(&out)
		for _, entry := range []map[string]any{
			{"type": "session", "version": 3, "id": id, "timestamp": stamp(0), "cwd": project},
			{"type": "message", "id": "u", "parentId": nil, "timestamp": stamp(1), "message": map[string]any{"role": "user", "content": fmt.Sprintf("Add part %d", n)}},
			{"type": "message", "id": "a", "parentId": "u", "timestamp": stamp(2), "message": map[string]any{"role": "assistant", "provider": "p", "model": "m", "content": []any{call}}},
			{"type": "message", "id": "r", "parentId": "a", "timestamp": stamp(3), "message": map[string]any{"role": "toolResult", "toolCallId": "c", "toolName": call["name"], "isError": false, "content": []any{}}},
		} {
			if err := lines.Encode(entry); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(sessions, id+".jsonl"), out.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(project, "parts.go"), []byte(text), 0o600)
}
