package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func (d desk) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, d.pith, append(args, "--session-dir", d.sessions)...)
	cmd.Env = append(os.Environ(), "PITH_CACHE_DIR="+d.cache, "PI_SESSION_ID=none")
	return cmd
}

// overMCP uses the tool search.
type overMCP struct{ session *mcp.ClientSession }

func openMCP(ctx context.Context, d desk) (asker, error) {
	if out, err := d.command(ctx, "doctor", "--reindex").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "recall", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: d.command(ctx, "mcp")}, nil)
	return overMCP{s}, err
}

var reference = regexp.MustCompile(`(?m)^([0-9a-f]{8}-[0-9a-f]{4})/[0-9a-f]{8} `)

func (a overMCP) ask(ctx context.Context, question string) ([]string, string, error) {
	r, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": question, "limit": 5}})
	if err != nil {
		return nil, "", err
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return nil, "", fmt.Errorf("%s", text)
	}
	var out []string
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		var n int
		if _, err := fmt.Sscanf(m[1][9:], "%x", &n); err != nil {
			return nil, "", err
		}
		out = append(out, sessionID(n))
	}
	return out, text, nil
}

func (a overMCP) close() { _ = a.session.Close() }

// bySearch runs pith search with the uncommon words of the question, as a
// person would type them. All of them must occur.
type bySearch struct{ desk }

func openSearch(_ context.Context, d desk) (asker, error) { return bySearch{d}, nil }

func (a bySearch) ask(ctx context.Context, question string) ([]string, string, error) {
	args := append([]string{"search", "--sort", "best", "--limit", "5"}, tellingWords(question)...)
	text, err := a.command(ctx, args...).Output()
	if err != nil {
		return nil, "", err
	}
	raw, err := a.command(ctx, append(args, "--json")...).Output()
	if err != nil {
		return nil, "", err
	}
	var got struct{ Hits []struct{ Session string } }
	if err := json.Unmarshal(raw, &got); err != nil {
		return nil, "", err
	}
	var out []string
	for _, h := range got.Hits {
		if !slices.Contains(out, h.Session) {
			out = append(out, h.Session)
		}
	}
	return out, string(text), nil
}

func (bySearch) close() {}

// tellingWords returns the significant words of a question.
func tellingWords(question string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 2 && !slices.Contains(common, w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

var common = strings.Fields("the what was for did you remember about which choose need and are how many they have decided")

// byGrep searches for the words line by line, like grep: sessions with the line
// that contains most of them come first, the newest first among equals. The
// text is these lines of the first five.
type byGrep struct {
	ids   []string   // newest first
	lines [][][]byte // in lower case
}

func openGrep(_ context.Context, d desk) (asker, error) {
	paths, err := filepath.Glob(filepath.Join(d.sessions, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	slices.Reverse(paths)
	a := &byGrep{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
		a.ids, a.lines = append(a.ids, id), append(a.lines, bytes.SplitAfter(bytes.ToLower(text), []byte("\n")))
	}
	return a, nil
}

func (a *byGrep) ask(_ context.Context, question string) ([]string, string, error) {
	words := tellingWords(question)
	type best struct{ file, line, count int }
	found := make([]best, len(a.lines))
	for i, lines := range a.lines {
		found[i].file = i
		for n, line := range lines {
			count := 0
			for _, w := range words {
				if bytes.Contains(line, []byte(w)) {
					count++
				}
			}
			if count > found[i].count {
				found[i] = best{i, n, count}
			}
		}
	}
	slices.SortStableFunc(found, func(x, y best) int { return cmp.Compare(y.count, x.count) })
	var out []string
	var read strings.Builder
	for _, f := range found[:5] {
		out = append(out, a.ids[f.file])
		read.Write(a.lines[f.file][f.line])
	}
	return out, read.String(), nil
}

func (*byGrep) close() {}
