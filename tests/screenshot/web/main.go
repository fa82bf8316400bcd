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
	{"web-sessions.png", "", "light", 1240, 560, ""},
	{"web-session.png", "s/" + bugHunt, "light", 1280, 860, ""},
	{"web-saw.png", "s/" + refactoring, "dark", 1280, 700, `for (const key of "Gx") { document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); await rest(); }`},
	{"web-compare.png", "s/" + bugHunt + "/compare", "light", 1280, 860, ""},
	{"web-usage.png", "usage?range=all", "light", 1240, 860, ""},
}

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
	return browser.Run(ctx, func(h browser.Host) {
		p := browser.Open(h, url, 1100, 800)
		p.Wait(`document.documentElement.dataset.ready === "1"`)
		base, _, _ := strings.Cut(url, "#")
		for _, shot := range shots {
			take(h, p, base, args[0], shot)
		}
	})
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
