// Command web makes the pictures of pith serve in docs: it starts the server
// with the sessions of pith demo, opens its pages in Chromium and writes
// screenshots.
//
//	go run ./tests/screenshot/web docs
//	go run ./tests/screenshot/web -all DIR
//
// With -all it writes each page and state, light and dark, in windows of three
// widths, to be compared with the design.
package main

import (
	"cmp"
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
	medium        string // screen or print; "" is screen
}

const bugHunt, refactoring, damaged, claude = "019cadd3-9c42-7ddc-9b36-66afd4b7bb09", "019d8c38-9802-7a27-b74f-607716373d9a", "019f2018-0322-7a13-badb-9e6452c5739f", "CLAUDE"

var shots = []shot{
	{file: "web-sessions.png", scheme: "light", width: 1240, height: 560},
	{file: "web-session.png", path: "s/" + bugHunt, scheme: "light", width: 1280, height: 860},
	{file: "web-saw.png", path: "s/" + refactoring, scheme: "dark", width: 1280, height: 700, do: press("G", "x")},
	{file: "web-compare.png", path: "s/" + bugHunt + "/compare", scheme: "light", width: 1280, height: 860},
	{file: "web-usage.png", path: "usage?range=all", scheme: "light", width: 1240, height: 860},
}

// states are the pages in each of their states.
var states = []shot{
	{file: "sessions", path: ""},
	{file: "sessions-search", path: "?q=lease"},
	{file: "sessions-none", path: "?q=lese"},
	{file: "sessions-fault", path: "", do: `const q = document.querySelector("#q"); q.value = "cost:much"; q.dispatchEvent(new Event("input"))`},
	{file: "sessions-menu", path: "", do: `document.querySelector("details.pick:last-of-type").open = true`},
	{file: "sessions-loading", path: "", do: `globalThis.pithFetch = () => new Promise(() => {}); const q = document.querySelector("#q"); q.value = "slow"; q.dispatchEvent(new Event("input"))`},
	{file: "session", path: "s/" + bugHunt},
	{file: "session-scrolled", path: "s/" + bugHunt, do: `scrollTo({ top: 900, behavior: "instant" })`},
	{file: "session-compaction", path: "s/" + refactoring, do: press("e", "G")},
	{file: "session-context", path: "s/" + refactoring, do: press("G", "x")},
	{file: "session-search", path: "s/" + bugHunt + "?q=lease"},
	{file: "session-commands", path: "s/" + bugHunt, do: press("c")},
	{file: "session-tree", path: "s/" + bugHunt, do: press("t")},
	{file: "session-keys", path: "s/" + bugHunt, do: press("?")},
	{file: "session-damaged", path: "s/" + damaged},
	{file: "session-readonly", path: "s/" + claude},
	{file: "session-paper", path: "s/" + bugHunt, medium: "print"},
	{file: "compare", path: "s/" + bugHunt + "/compare"},
	{file: "compare-one", path: "s/" + damaged + "/compare"},
	{file: "usage", path: "usage?range=all"},
	{file: "usage-tip", path: "usage?range=all&bars=month&stack=model", do: `document.querySelectorAll(".plot a")[5].dispatchEvent(new MouseEvent("mouseenter"))`},
	{file: "usage-nothing", path: "usage?range=7d"},
	{file: "failure", path: "s/none"},
}

// press returns a script that presses keys.
func press(keys ...string) (script string) {
	for _, key := range keys {
		script += fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: %q, bubbles: true })); await rest(); `, key)
	}
	return script
}

// everywhere returns the states for all widths and schemes.
func everywhere() (all []shot) {
	for _, s := range states {
		for _, width := range []int{390, 1024, 1600} {
			for _, scheme := range []string{"light", "dark"} {
				if s.medium == "print" && scheme == "dark" {
					continue
				}
				x := s
				x.file, x.width, x.height, x.scheme = fmt.Sprintf("%s-%d-%s.png", s.file, width, scheme), width, 900, scheme
				all = append(all, x)
			}
		}
	}
	return all
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
	todo := shots
	if len(args) == 2 && args[0] == "-all" {
		todo, args = everywhere(), args[1:]
	}
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
		foreign := browser.Eval[string](p, `document.querySelector('.row:has([title="Claude Code"])').dataset.key`)
		for _, shot := range todo {
			shot.path = strings.Replace(shot.path, claude, foreign, 1)
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
	p.Media(cmp.Or(s.medium, "screen"), s.scheme)
	p.Go("about:blank")
	p.Go(base + s.path)
	p.Wait(`!document.querySelector("[data-login]") && document.querySelector("main") && (!document.querySelector("script[src*='list.js'],script[src*='session.js']") || document.documentElement.dataset.ready === "1")`)
	p.Do(`const rest = () => new Promise((r) => setTimeout(r, 300)); await rest(); ` + s.do + `; await rest(); if (!document.querySelector("dialog[open], .pick[open], .tip:not([hidden])")) document.activeElement?.blur(); await rest()`)
	if err := os.WriteFile(filepath.Join(dir, s.file), p.Screenshot(), 0o644); err != nil {
		h.Fatal(err)
	}
}
