package tui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// desk is the app over real files, with a user who types and looks.
type desk struct {
	t      testing.TB
	app    *tui.App
	msgs   chan tea.Msg
	ended  bool
	closed bool
	home   string
	cwd    string
	vars   map[string]string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, home: t.TempDir(), msgs: make(chan tea.Msg, 10_000), vars: map[string]string{}}
	d.cwd = filepath.Join(d.home, "proj")
	if err := os.Mkdir(d.cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) env() sessiondir.Environment {
	return sessiondir.Environment{Home: d.home, Getenv: func(name string) string { return d.vars[name] }}
}

// session writes a session of the project: a text is the user's, one that begins
// with < the assistant's.
func (d *desk) session(name string, texts ...string) string {
	d.t.Helper()
	s, err := pith.Create(pith.Options{Cwd: d.cwd, Dir: d.env().Place(d.cwd).For(d.cwd)})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, text := range texts {
		if _, err := s.AppendMessage(context.Background(), message(text)); err != nil {
			d.t.Fatal(err)
		}
	}
	if name != "" {
		if _, err := s.SetName(context.Background(), name); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		d.t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour) // no process is writing it
	if err := os.Chtimes(s.File(), hourAgo, hourAgo); err != nil {
		d.t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond) // the next session is newer: times have milliseconds
	return s.File()
}

func message(text string) format.Message {
	if said, ok := strings.CutPrefix(text, "<"); ok {
		return &format.Assistant{Content: format.BlockContent(&format.TextBlock{Text: said}), API: "x", Provider: "p", Model: "m",
			StopReason: "stop", Timestamp: time.Now().UnixMilli()}
	}
	return format.NewUser(text, time.Now())
}

// start shows the app.
func (d *desk) start(change func(*tui.Config)) {
	c := tui.Config{
		Cwd: d.cwd, App: &ops.App{Environment: d.env(), Trash: func() (trash.Options, error) { return trash.Options{Dir: filepath.Join(d.home, "trash")}, nil }},
		Keys: keys.Default(), Home: d.home, Dark: true, Setup: func(cwd string) *userconfig.Setup { return userconfig.Read(d.env(), cwd) },
	}
	if change != nil {
		change(&c)
	}
	d.app = tui.New(d.t.Context(), c)
	d.app.SetSend(func(m tea.Msg) { d.msgs <- m })
	d.t.Cleanup(d.close)
	d.do(d.app.Init())
	d.update(tea.WindowSizeMsg{Width: 100, Height: 40})
}

// close ends the app. Background work finds no listener.
func (d *desk) close() {
	if d.closed {
		return
	}
	d.closed = true
	if err := d.app.Close(); err != nil {
		d.t.Errorf("Close: %v", err)
	}
}

func (d *desk) update(msg tea.Msg) {
	_, cmd := d.app.Update(msg)
	d.do(cmd)
}

// do runs a command concurrently with the app, as the program does.
func (d *desk) do(cmd tea.Cmd) {
	if cmd != nil {
		go func() { d.result(cmd()) }()
	}
}

func (d *desk) result(msg tea.Msg) {
	if msg == nil {
		return
	}
	list, several := screentest.Commands(msg)
	if !several {
		d.msgs <- msg
		return
	}
	var all sync.WaitGroup
	for _, c := range list {
		if c == nil {
			continue
		}
		if _, batch := msg.(tea.BatchMsg); batch {
			all.Go(func() { d.result(c()) })
		} else {
			d.result(c())
		}
	}
	all.Wait() // a message after a batch in a sequence waits for it
}

// pump lets the app work until a condition holds.
func (d *desk) pump(what string, holds func() bool) {
	d.t.Helper()
	deadline := time.After(2 * time.Minute)
	for !holds() {
		select {
		case msg := <-d.msgs:
			if _, quit := msg.(tui.QuitNow); quit {
				d.ended = true
			}
			d.update(msg)
		case <-deadline:
			d.t.Fatalf("%s: not in time; the screen:\n%s", what, d.screen())
		}
	}
}

// sees waits until the screen shows a text.
func (d *desk) sees(text string) {
	d.t.Helper()
	d.pump("wait for "+text, func() bool { return strings.Contains(d.screen(), text) })
}

// gone waits until the screen does not show a text.
func (d *desk) gone(text string) {
	d.t.Helper()
	d.pump("wait until gone: "+text, func() bool { return !strings.Contains(d.screen(), text) })
}

func (d *desk) screen() string {
	return paint.Bare(d.app.View().Content)
}

// press presses keys, named and separated by spaces.
func (d *desk) press(names string) {
	for _, name := range strings.Fields(names) {
		d.update(screentest.Key(name))
	}
}

// types writes text and presses Enter.
func (d *desk) types(text string) {
	d.writes(text)
	d.press("enter")
}

// writes writes text.
func (d *desk) writes(text string) {
	for _, r := range text {
		d.update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// texts returns the texts in a session's file, on the path to the leaf.
func (d *desk) texts(file string) []string {
	d.t.Helper()
	s, err := pith.Open(context.Background(), file, pith.Options{ReadOnly: true})
	if err != nil {
		d.t.Fatal(err)
	}
	defer s.Close()
	v := s.View()
	path, err := v.Path("")
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for _, pos := range path {
		e, err := v.Entry(pos)
		if err != nil {
			d.t.Fatal(err)
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		switch m := m.Message.(type) {
		case *format.User:
			out = append(out, m.Content.PlainText())
		case *format.Assistant:
			out = append(out, "<"+m.Content.PlainText())
		}
	}
	return out
}

// files are the session files of the project.
func (d *desk) files() []string {
	d.t.Helper()
	list, err := filepath.Glob(filepath.Join(d.env().Place(d.cwd).For(d.cwd), "*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

func (d *desk) resize(width, height int) { d.update(tea.WindowSizeMsg{Width: width, Height: height}) }
