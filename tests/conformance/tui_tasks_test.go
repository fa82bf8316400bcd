//go:build unix

package conformance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A worker does a task in the app. It counts the keys: typed text does not count.
type worker struct {
	*terminal
	cwd, dir string
	keys     int
}

// hits presses keys at once, without looking at the screen between them, and waits until
// the terminal shows a text.
func (w *worker) hits(text string, keys ...string) {
	w.t.Helper()
	w.keys += len(keys)
	w.tmux(append([]string{"send-keys"}, keys...)...)
	w.sees(text)
}

// within checks the number of keys since the last check.
func (w *worker) within(most int) {
	w.t.Helper()
	w.t.Logf("%d keys, at most %d:\n%s", w.keys, most, w.screen())
	if w.keys > most {
		w.t.Errorf("%d keys, want %d or fewer", w.keys, most)
	}
	w.keys = 0
}

// opens starts the app and opens the newest session of the project.
func (w *worker) opens() {
	w.t.Helper()
	w.runs("clear; pith")
	w.sees("› π set up the notes")
	w.press("Enter")
	w.sees("The notes are written.")
}

// file is the file of the session with an ID.
func (w *worker) file(id string) string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, ".pi/agent/sessions/*/*"+id+".jsonl"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%s: %q, %v", id, files, err)
	}
	return files[0]
}

// said is an entry of a session: a text of the user, or with < one of the assistant, or a
// call with its result.
type said struct {
	text string
	tool string
	args map[string]any
	bad  bool
	back int // the number of entries by which the conversation goes back first
}

// talk writes a session of pi whose last entry is some hours old.
func talk(t *testing.T, dir, cwd, id string, hours int, entries ...said) {
	t.Helper()
	var b strings.Builder
	end := time.Now().Add(-time.Duration(hours) * time.Hour)
	at := end.Add(-time.Hour)
	line := func(m map[string]any) {
		at = at.Add(time.Second)
		m["timestamp"] = at.UTC().Format("2006-01-02T15:04:05.000Z")
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	line(map[string]any{"type": "session", "version": 3, "id": id, "cwd": cwd})
	var path []string
	message := func(m map[string]any) {
		entry := map[string]any{"type": "message", "id": fmt.Sprintf("%08x", strings.Count(b.String(), "\n")), "parentId": nil, "message": m}
		if len(path) > 0 {
			entry["parentId"] = path[len(path)-1]
		}
		m["timestamp"] = at.UnixMilli()
		path = append(path, entry["id"].(string))
		line(entry)
	}
	answer := func(content ...any) {
		message(map[string]any{"role": "assistant", "api": "a", "provider": "p", "model": "m", "stopReason": "stop", "content": content,
			"usage": map[string]any{"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15, "cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.01}}})
	}
	for i, e := range entries {
		path = path[:len(path)-e.back]
		text, assistant := strings.CutPrefix(e.text, "<")
		switch {
		case e.tool != "":
			call := fmt.Sprintf("call-%d", i)
			answer(map[string]any{"type": "toolCall", "id": call, "name": e.tool, "arguments": e.args})
			message(map[string]any{"role": "toolResult", "toolCallId": call, "toolName": e.tool, "isError": e.bad, "content": []any{map[string]any{"type": "text", "text": e.text}}})
		case assistant:
			answer(map[string]any{"type": "text", "text": text})
		default:
			message(map[string]any{"role": "user", "content": text})
		}
	}
	file := filepath.Join(dir, "2026-01-01T00-00-00-000Z_"+id+".jsonl")
	put(t, file, b.String(), 0o600)
	if err := os.Chtimes(file, end, end); err != nil {
		t.Fatal(err)
	}
}

// newWorker makes a home with sessions of two projects and a pi that says what it is given.
func newWorker(t *testing.T, width, height int) *worker {
	t.Helper()
	home, cwd, dir := project(t)
	notes := filepath.Join(cwd, "notes.txt")
	put(t, notes, "now\n", 0o600)
	talk(t, dir, cwd, "newest", 1,
		said{text: "set up the notes"}, said{text: "<Where should they be?"},
		said{text: "try a wiki"}, said{text: "<A wiki is too much."},
		said{back: 2, text: "write them to a file"}, said{tool: "edit", args: map[string]any{"path": notes, "edits": []any{map[string]any{"oldText": "then", "newText": "now"}}}, text: "edited"},
		said{tool: "bash", args: map[string]any{"command": "make check"}, text: "exit code 2", bad: true}, said{text: "<The notes are written."})
	for i, name := range []string{"one", "two"} {
		talk(t, dir, cwd, "draft-"+name, 3+i, said{text: "draft " + name}, said{text: "<drafted"})
	}
	other := filepath.Join(home, "other")
	there := filepath.Join(filepath.Dir(dir), format.ProjectDir(other))
	for i, name := range []string{"refunds", "billing"} {
		talk(t, there, other, name, 5+i, said{text: "look at the " + name}, said{text: "<The log of the " + name + " has a purple elephant."})
	}
	claude := filepath.Join(home, ".claude", "projects", "-p", "c1a0de00-0000-4000-8000-000000000001.jsonl")
	put(t, claude, strings.ReplaceAll(claudeSession, "$CWD", cwd), 0o600)
	if old := time.Now().Add(-50 * time.Hour); os.Chtimes(claude, old, old) != nil {
		t.Fatal("the file of Claude Code has a wrong time")
	}
	put(t, filepath.Join(home, "bin", "pi"), "#!/bin/sh\necho \"pi got $*.\"\nread answer\n", 0o700)
	w := &worker{terminal: newTerminal(t, home, cwd, width, height), cwd: cwd, dir: dir}
	w.runs("PATH=" + filepath.Join(home, "bin") + ":$PATH; clear")
	w.shell()
	return w
}

// The tasks of the app, each with a number of keys, in a large and in a small terminal.
func TestTerminalTasks(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		for _, task := range []struct {
			name string
			do   func(w *worker)
		}{
			{"continue the newest session in its agent", func(w *worker) {
				w.runs("clear; pith")
				w.hits("pi got --session", "Enter", "o")
				w.until("the newest session", func(s string) bool { return strings.Contains(strings.ReplaceAll(s, "\n", ""), "newest.jsonl.") })
				w.within(2)
			}},
			{"open a match in another project, and then the next", func(w *worker) {
				w.runs("clear; pith")
				w.sees("› π set up the notes")
				w.types("elephant")
				w.sees("No match in proj. 2 in all projects: tab")
				w.hits("The log of the refunds has a purple elephant.", "Tab", "Enter")
				w.gone("Sessions · ")
				w.within(2)
				w.hits("Sessions · all projects", "Escape")
				w.hits("The log of the billing has a purple elephant.", "Down", "Enter")
				w.gone("Sessions · ")
				w.within(3)
			}},
			{"edit the last prompt and send it in pi", func(w *worker) {
				w.opens()
				w.hits("> write them to a file", "t", "[", "Enter", "Enter")
				w.types(", please")
				w.hits("pi got --session", "Enter")
				w.sees("write them to a file, please.")
				w.within(5)
			}},
			{"go back before it with the files", func(w *worker) {
				w.opens()
				w.hits("> write them to a file", "t", "[", "Enter", "w")
				w.sees("Went back")
				if text := readFile(w.t, filepath.Join(w.cwd, "notes.txt")); text != "then\n" {
					w.t.Errorf("the file that the session changed is %q", text)
				}
				w.within(4)
			}},
			{"compare the last left branch with the current one", func(w *worker) {
				w.opens()
				w.hits("› compare", "B", "v")
				w.sees("A wiki is too much.")
				w.sees("The notes are written.")
				w.within(2)
			}},
			{"delete and restore", func(w *worker) {
				file := w.file("newest")
				w.runs("clear; pith")
				w.sees("Sessions · proj") // before that, Ctrl+Z is the terminal's
				w.hits("Restored “set up the notes”", "C-d", "Enter", "C-z")
				if _, err := os.Stat(file); err != nil {
					w.t.Errorf("the file is not back: %v", err)
				}
				w.within(3)
			}},
			{"delete everything that a query finds", func(w *worker) {
				w.runs("clear; pith")
				w.sees("› π set up the notes")
				w.types("draft")
				w.gone("set up the notes")
				w.hits("Moved to the trash: 2 sessions", "Up", "Space", "A", "C-d", "Enter")
				if files := sessionFiles(w.t, w.dir); len(files) != 1 {
					w.t.Errorf("the sessions are %q, want the newest alone", files)
				}
				w.within(5)
			}},
			{"see the failed calls of a session", func(w *worker) {
				w.opens()
				w.hits("[Failed 1]", "t", "Tab", "Tab", "Tab")
				w.sees("make check")
				w.gone("notes.txt")
				w.within(4)
			}},
			{"continue a session of Claude Code in pi", func(w *worker) {
				w.runs("clear; pith")
				w.types("source:claude")
				w.sees("› C fix the parser")
				w.gone("set up the notes")
				w.hits("pi got --session", "Enter", "O", "Enter")
				if files := sessionFiles(w.t, w.dir); len(files) != 4 {
					w.t.Errorf("the sessions are %q, want a copy besides the three", files)
				}
				w.within(3)
			}},
		} {
			t.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], task.name), func(t *testing.T) {
				t.Parallel()
				w := newWorker(t, size[0], size[1])
				task.do(w)
			})
		}
	}
}

// Keys that are typed before the app is there act when it is.
func TestTerminalTypedAhead(t *testing.T) {
	t.Parallel()
	w := newWorker(t, 100, 30)
	w.types("clear; pith")
	w.tmux("send-keys", "Enter", "Enter")
	w.sees("The notes are written.")
	w.press("q")
	w.shell()
}

// A command that is typed as a search is run with Tab.
func TestTerminalCommandInASearch(t *testing.T) {
	t.Parallel()
	w := newWorker(t, 100, 30)
	w.opens()
	w.types("/name Notes")
	w.sees("tab run /name Notes")
	w.then("named: Notes", "Tab")
	w.press("q")
	w.shell()
}

// A session is pinned, archived and tagged while it is read.
func TestTerminalMarksTheOpenSession(t *testing.T) {
	t.Parallel()
	w := newWorker(t, 100, 30)
	w.opens()
	w.then("Pinned: “set up the notes”", "m", "p")
	w.then("Tags of “set up the notes”", "m", "t")
	w.says("urgent", "Tagged: “set up the notes”")
	w.press("Escape")
	w.sees("#urgent")
	w.sees("Pinned")
	w.press("Escape")
	w.shell()
}
