// Command web makes the pictures of pith serve in docs: it starts the server
// with the sessions of pith demo, opens its pages in Chromium and writes
// screenshots.
//
//	go run ./tests/screenshot/web docs
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/tests/browser"
)

// A shot is one picture.
type shot struct {
	file          string
	path          string
	scheme        string
	width, height int
	do            string // a script that acts like a person, before the picture
}

const bugHunt, refactoring = "019cadd3-9c42-7ddc-9b36-66afd4b7bb09", "019d8c38-9802-7a27-b74f-607716373d9a"

var shots = []shot{
	{"web-sessions.png", "?q=mail", "light", 1240, 360, ""},
	{"web-session.png", "s/" + bugHunt, "light", 1100, 700, `document.querySelector(".call").open = true`},
	{"web-saw.png", "s/" + refactoring, "dark", 1100, 620, `for (const key of "Gkkm") { document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); await rest(); }`},
	{"web-compare.png", "s/" + bugHunt + "/compare", "light", 1100, 560, ""},
	{"web-usage.png", "usage", "light", 1100, 480, ""},
	{"web-file.png", "file?path=" + blamed, "light", 1100, 640, ""},
}

// blamed is a placeholder for the path of the file whose lines are shown with their turns.
const blamed = "@blamed@"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("name the folder for the pictures")
	}
	dir, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	url, err := serve(ctx, dir)
	if err != nil {
		return err
	}
	file, err := writeBlamed(dir)
	if err != nil {
		return err
	}
	return browser.Run(ctx, func(h browser.Host) {
		p := browser.Open(h, url, 1100, 800)
		p.Wait(`document.documentElement.dataset.ready === "1"`)
		base, _, _ := strings.Cut(url, "#")
		for _, shot := range shots {
			shot.path = strings.ReplaceAll(shot.path, blamed, file)
			take(h, p, base, args[0], shot)
		}
	})
}

// writeBlamed copies a file of this repository to a project, with two sessions that wrote
// it: the first without a function, which the second added. One line is a person's. It
// returns the copy.
func writeBlamed(dir string) (string, error) {
	const name, byHand, begin, end = "internal/blame/turn.go", "the branch was abandoned", "// describe fills in", "// Active returns"
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	text := string(data)
	i, j := strings.Index(text, begin), strings.Index(text, end)
	if i < 0 || j < i {
		return "", fmt.Errorf("%s has changed", name)
	}
	first := ""
	for line := range strings.Lines(text[:i] + text[j:]) {
		if !strings.Contains(line, byHand) {
			first += line
		}
	}
	project := filepath.Join(dir, "code", "pith")
	file := filepath.Join(project, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, data, 0o600)); err != nil {
		return "", err
	}
	for day, s := range []struct {
		request, tool string
		args          map[string]any
	}{
		{"Say which turn of the conversation an edit belongs to", "write", map[string]any{"path": name, "content": first}},
		{"Open each session once, and several at a time", "edit", map[string]any{"path": name, "oldText": end, "newText": text[i:j] + end}},
	} {
		var out strings.Builder
		lines := json.NewEncoder(&out)
		stamp := func(minute int) string { return fmt.Sprintf("2026-03-%02dT10:%02d:00.000Z", day+2, minute) }
		for _, entry := range []map[string]any{
			{"type": "session", "version": 3, "id": fmt.Sprintf("019d0000-0000-7000-8000-%012d", day), "timestamp": stamp(0), "cwd": project},
			{"type": "message", "id": "u", "parentId": nil, "timestamp": stamp(1), "message": map[string]any{"role": "user", "content": s.request}},
			{"type": "message", "id": "a", "parentId": "u", "timestamp": stamp(2), "message": map[string]any{"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5",
				"content": []any{map[string]any{"type": "toolCall", "id": "c", "name": s.tool, "arguments": s.args}}}},
			{"type": "message", "id": "r", "parentId": "a", "timestamp": stamp(3), "message": map[string]any{"role": "toolResult", "toolCallId": "c", "toolName": s.tool, "isError": false, "content": []any{}}},
		} {
			if err := lines.Encode(entry); err != nil {
				return "", err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "src", fmt.Sprintf("blamed-%d.jsonl", day)), []byte(out.String()), 0o600); err != nil {
			return "", err
		}
	}
	return file, nil
}

// serve builds pith and serves the demo in a directory. The server ends with ctx.
func serve(ctx context.Context, dir string) (url string, err error) {
	pith := filepath.Join(dir, "pith")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", pith, "github.com/pith-sessions/pith/cmd/pith").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	projects := filepath.Join(dir, "src")
	if out, err := exec.CommandContext(ctx, pith, "demo", projects).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	cmd := exec.CommandContext(ctx, pith, "serve", "--json", "--session-dir", projects)
	cmd.Env = []string{"HOME=" + dir}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	go func() { _ = cmd.Wait() }() // it ends with ctx
	var told struct{ URL string }
	err = json.NewDecoder(out).Decode(&told)
	return told.URL, err
}

// take opens a page, runs its script, and writes the picture.
func take(h browser.Host, p *browser.Page, base, dir string, s shot) {
	p.Resize(s.width, s.height)
	p.Media("screen", s.scheme)
	p.Go("about:blank")
	p.Go(base + s.path)
	p.Wait(`!document.querySelector("[data-login]") && document.querySelector("main") && (!document.querySelector("script[src*='list.js'],script[src*='session.js']") || document.documentElement.dataset.ready === "1")`)
	p.Do(`const rest = () => new Promise((r) => setTimeout(r, 300)); await rest(); ` + s.do + `; await rest(); document.activeElement?.blur(); await rest()`)
	if err := os.WriteFile(filepath.Join(dir, s.file), p.Screenshot(), 0o644); err != nil {
		h.Fatal(err)
	}
}
