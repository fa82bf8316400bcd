package blame_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/blame"
)

// A world is a project with people and agents in it. It knows who wrote each line.
type world struct {
	t        testing.TB
	dice     func(n int) int // a number below n
	dir      string          // of the project
	store    string          // of the sessions
	now      time.Time
	serial   int // of entries and names
	words    int // of lines
	inGit    bool
	sessions []*session
	files    map[string][]line // by path from the project
	gone     map[string]authors
	dirty    bool // there is something to commit
	lastBy   string
	deleted  map[string]authors // by that edit
	styles   []string
}

// authors are edits that may be named for a line, by session and entry.
type authors map[string]bool

// A line is one line of a file, with its writer.
type line struct {
	text string
	by   string  // session/entry of the edit that wrote it; "" for a person
	ok   authors // answers that are not wrong
}

// A session is one that an agent writes.
type session struct {
	id      string
	lines   []string
	leaf    string
	entries []string
	style   string
}

func (w *world) tick() string {
	w.now = w.now.Add(time.Duration(1+w.dice(4000)) * time.Millisecond)
	return w.now.UTC().Format("2006-01-02T15:04:05.000Z")
}

func (w *world) newSession() *session {
	s := &session{id: fmt.Sprintf("00000000-0000-4000-8000-%012d", len(w.sessions)), style: w.styles[len(w.sessions)%len(w.styles)]}
	s.lines = []string{fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q}`, s.id, w.tick(), w.dir)}
	w.sessions = append(w.sessions, s)
	w.message(s, map[string]any{"role": "user", "content": "please work"})
	return s
}

// message adds a message to a session and returns its entry ID.
func (w *world) message(s *session, m map[string]any) string {
	w.serial++
	id := fmt.Sprintf("%08x", w.serial)
	entry := map[string]any{"type": "message", "id": id, "parentId": nil, "timestamp": w.tick(), "message": m}
	if s.leaf != "" {
		entry["parentId"] = s.leaf
	}
	raw, err := json.Marshal(entry)
	if err != nil {
		w.t.Fatal(err)
	}
	s.lines = append(s.lines, string(raw))
	s.leaf = id
	s.entries = append(s.entries, id)
	return id
}

// call adds a tool call and its result and returns the entry of the call.
func (w *world) call(s *session, tool string, args map[string]any, failed bool, text string, details any) string {
	w.serial++
	callID := fmt.Sprintf("call_%d", w.serial)
	id := w.message(s, map[string]any{"role": "assistant", "provider": "fake", "model": "m1", "stopReason": "toolUse",
		"content": []any{map[string]any{"type": "toolCall", "id": callID, "name": tool, "arguments": args}}})
	m := map[string]any{"role": "toolResult", "toolCallId": callID, "toolName": tool, "isError": failed,
		"content": []any{map[string]any{"type": "text", "text": text}}}
	if details != nil {
		m["details"] = details
	}
	w.message(s, m)
	return id
}

func textOf(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// common are lines that occur again and again.
var common = []string{"}", "", "\treturn nil", "\tif err != nil {", "\t}", "end", "\t\treturn err", ")", "\tdefer mu.Unlock()"}

// text makes up a line.
func (w *world) text() string {
	if w.dice(10) < 3 {
		return common[w.dice(len(common))]
	}
	w.words++
	return fmt.Sprintf("\tvalue%d := computeNext(%d)", w.words, w.dice(1000))
}

// A change replaces the lines from i to j.
type change struct {
	i, j int
	now  []line // those with a text of before keep their writer
}

// invent makes up a change of a file: lines are added, removed, replaced, moved or copied.
func (w *world) invent(lines []line) change {
	n := len(lines)
	i := w.dice(n + 1)
	j := min(n, i+w.dice(6))
	fresh := func(most int) []line {
		var out []line
		for range 1 + w.dice(most) {
			out = append(out, line{text: w.text()})
		}
		return out
	}
	switch w.dice(10) {
	case 0, 1, 2, 3:
		return change{i, i, fresh(12)}
	case 4:
		return change{i, j, nil}
	case 5, 6:
		return change{i, j, fresh(8)}
	case 7: // a run is edited and its ends stay
		j = min(n, i+3+w.dice(5))
		if j-i < 3 {
			return change{i, i, fresh(3)}
		}
		return change{i, j, slices.Concat(lines[i:i+1:i+1], fresh(4), lines[j-1:j])}
	case 8: // two lines change places
		j = min(n, i+2+w.dice(4))
		if j-i < 2 {
			return change{i, i, fresh(3)}
		}
		now := slices.Clone(lines[i:j])
		moved := now[0]
		moved.ok = maps.Clone(moved.ok)
		now = append(now[1:], moved)
		return change{i, j, now}
	default: // lines from elsewhere are copied
		if n == 0 {
			return change{0, 0, fresh(5)}
		}
		k := w.dice(n)
		var now []line
		for _, l := range lines[k:min(n, k+1+w.dice(3))] {
			now = append(now, line{text: l.text})
		}
		return change{i, i, now}
	}
}

// apply makes a change by an edit, or by a person for "".
func (w *world) apply(path string, c change, by string) {
	lines := w.files[path]
	deleted := map[string]authors{}
	if by != "" && by == w.lastBy { // the second part of one edit
		deleted = w.deleted
	}
	w.lastBy, w.deleted = by, deleted
	for _, l := range lines[c.i:c.j] {
		deleted[l.text] = union(deleted[l.text], l.ok)
	}
	now := slices.Clone(c.now)
	for k := range now {
		l := &now[k]
		if l.ok == nil {
			l.by, l.ok = by, authors{}
			if by != "" {
				l.ok[by] = true
			}
		}
		// A text that went away with the same change came back, or was moved.
		l.ok = union(l.ok, deleted[l.text])
		if by != "" && deleted[l.text] != nil {
			l.ok = union(l.ok, authors{by: true})
		}
		if !slices.Contains(common, l.text) {
			l.ok = union(l.ok, w.gone[path+"\x00"+l.text])
		}
	}
	for text, ok := range deleted {
		w.gone[path+"\x00"+text] = union(w.gone[path+"\x00"+text], ok)
	}
	lines = slices.Concat(lines[:c.i], now, lines[c.j:])
	for k := range lines { // what is left of a text and its copy was moved
		if ok := deleted[lines[k].text]; ok != nil && !slices.Contains(common, lines[k].text) {
			lines[k].ok = union(lines[k].ok, ok)
		}
	}
	w.files[path] = lines
	w.write(path)
}

func union(a, b authors) authors {
	out := maps.Clone(a)
	if out == nil {
		out = authors{}
	}
	maps.Copy(out, b)
	return out
}

func (w *world) write(path string) {
	full := filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(textOf(w.files[path])), 0o644); err != nil {
		w.t.Fatal(err)
	}
	w.dirty = true
}

// agent lets the agent of a session change a file in the way of its program.
func (w *world) agent(s *session, path string) {
	if w.dice(12) == 0 {
		w.call(s, "edit", map[string]any{"path": path, "oldText": "no such line", "newText": w.text()}, true, "not found", nil)
	}
	if w.dice(8) == 0 && len(s.entries) > 3 { // the branch is left
		s.leaf = s.entries[w.dice(len(s.entries))]
		w.message(s, map[string]any{"role": "user", "content": "try something else"})
	}
	lines, exists := w.files[path]
	if !exists {
		var now []line
		for range 20 + w.dice(60) {
			now = append(now, line{text: w.text()})
		}
		w.files[path] = nil
		w.rewrite(s, path, change{0, 0, now}, true)
		return
	}
	c := w.invent(lines)
	before := textOf(lines)
	now := slices.Concat(lines[:c.i], c.now, lines[c.j:])
	after := textOf(now)
	if after == before {
		return
	}
	if w.dice(6) == 0 {
		w.rewrite(s, path, c, false)
		return
	}
	from, to := c.i, c.j // with context until the text is unique
	for strings.Count(before, textOf(lines[from:to])) != 1 || from == to {
		if from == 0 && to == len(lines) {
			w.rewrite(s, path, c, false)
			return
		}
		from, to = max(0, from-1), min(len(lines), to+1)
	}
	old := textOf(lines[from:to])
	replacement := textOf(lines[from:c.i]) + textOf(c.now) + textOf(lines[c.j:to])
	if w.dice(2) == 0 && len(old) > 1 && strings.HasSuffix(replacement, "\n") && strings.Count(before, strings.TrimSuffix(old, "\n")) == 1 {
		old, replacement = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(replacement, "\n")
	}
	full := filepath.Join(w.dir, path)
	var id string
	switch s.style {
	case "pi":
		var details any
		if w.dice(2) == 0 {
			details = map[string]any{"patch": unified(lines, c)}
		}
		id = w.call(s, "edit", map[string]any{"path": path, "edits": []any{map[string]any{"oldText": old, "newText": replacement}}}, false, "ok", details)
	case "claude":
		details := map[string]any{"filePath": full, "originalFile": nil}
		if w.dice(2) == 0 {
			details["originalFile"] = before
		}
		id = w.call(s, "Edit", map[string]any{"file_path": full, "old_string": old, "new_string": replacement}, false, "ok", details)
	case "codex":
		diff := unified(lines, c)
		_, body, _ := strings.Cut(diff, "\n")
		var details any // older versions have none
		if w.dice(3) > 0 {
			details = map[string]any{full: map[string]any{"type": "update", "unified_diff": diff, "move_path": nil}}
		}
		id = w.call(s, "apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: " + path + "\n@@\n" + body + "*** End Patch"}, false, "Success. Updated the following files:\nM "+path, details)
	case "opencode":
		id = w.call(s, "edit", map[string]any{"filePath": full, "oldString": old, "newString": replacement}, false, "ok",
			map[string]any{"filediff": map[string]any{"file": full, "before": before, "after": after}})
	case "gemini":
		id = w.call(s, "replace", map[string]any{"file_path": full, "old_string": old, "new_string": replacement}, false, "ok",
			map[string]any{"originalContent": before, "newContent": after})
	}
	w.apply(path, c, s.id+"/"+id)
}

// rewrite lets an agent write a whole file, which it read before unless it is new.
func (w *world) rewrite(s *session, path string, c change, created bool) {
	lines := w.files[path]
	if !created {
		if w.dice(2) == 0 {
			w.call(s, "read", map[string]any{"path": path}, false, textOf(lines), nil)
		} else {
			w.call(s, "bash", map[string]any{"command": "cat " + path}, false, textOf(lines), nil)
		}
	}
	id := fmt.Sprintf("%08x", w.serial+2) // of the call below
	w.apply(path, c, s.id+"/"+id)
	if w.dice(3) == 0 { // at two places
		w.apply(path, w.invent(w.files[path]), s.id+"/"+id)
	}
	if got := w.call(s, "write", map[string]any{"path": path, "content": textOf(w.files[path])}, false, "ok", nil); got != id {
		w.t.Fatalf("entry %s, want %s", got, id)
	}
}

// unified is a change as a diff with three lines of context.
func unified(lines []line, c change) string {
	from, to := max(0, c.i-3), min(len(lines), c.j+3)
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", from+1, to-from, from+1, to-from-(c.j-c.i)+len(c.now))
	part := func(sign string, lines []line) {
		for _, l := range lines {
			b.WriteString(sign + l.text + "\n")
		}
	}
	part(" ", lines[from:c.i])
	part("-", lines[c.i:c.j])
	part("+", c.now)
	part(" ", lines[c.j:to])
	return b.String()
}

// rename renames a file: by an agent, by a person, or by a person with Git.
func (w *world) rename(s *session, path string) {
	w.serial++
	to := fmt.Sprintf("src/renamed%d.go", w.serial)
	if w.inGit && w.dice(2) == 0 {
		w.commit()
		w.git("mv", path, to)
		w.moved(path, to)
		w.commit()
		return
	}
	if err := os.Rename(filepath.Join(w.dir, path), filepath.Join(w.dir, to)); err != nil {
		w.t.Fatal(err)
	}
	w.call(s, "bash", map[string]any{"command": "mv " + path + " " + to}, false, "", nil)
	w.moved(path, to)
}

func (w *world) moved(path, to string) {
	w.files[to] = w.files[path]
	delete(w.files, path)
	for key, ok := range w.gone {
		if text, is := strings.CutPrefix(key, path+"\x00"); is {
			w.gone[to+"\x00"+text] = ok
		}
	}
	w.dirty = true
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	at := w.now.UTC().Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=p", "GIT_AUTHOR_EMAIL=p@example.com",
		"GIT_COMMITTER_NAME=p", "GIT_COMMITTER_EMAIL=p@example.com", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (w *world) commit() {
	if w.inGit && w.dirty {
		w.now = w.now.Add(2 * time.Second)
		w.git("add", "-A")
		w.git("commit", "-q", "--allow-empty", "-m", "work")
		w.now = w.now.Add(2 * time.Second)
		w.dirty = false
	}
}

// A plan says what happens in a world.
type plan struct {
	files, steps, sessions int
	git                    bool
	styles                 []string
}

var allStyles = []string{"pi", "claude", "codex", "opencode", "gemini"}

// generate makes a world and lets people and agents work in it.
func generate(t testing.TB, dir string, p plan, dice func(n int) int) *world {
	w := &world{t: t, dice: dice, dir: filepath.Join(dir, "project"), store: filepath.Join(dir, "sessions"), inGit: p.git, styles: p.styles,
		now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), files: map[string][]line{}, gone: map[string]authors{}}
	for _, d := range []string{filepath.Join(w.dir, "src"), w.store} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if p.git {
		w.git("init", "-q")
	}
	for i := range p.files {
		path := fmt.Sprintf("src/file%d.go", i)
		if dice(2) == 0 { // it was there before
			var now []line
			for range 20 + dice(80) {
				now = append(now, line{text: w.text()})
			}
			w.apply(path, change{0, 0, now}, "")
		}
	}
	w.commit()
	var open []*session
	for range min(3, p.sessions) {
		open = append(open, w.newSession())
	}
	for range p.steps {
		k := dice(len(open))
		if dice(25) == 0 && len(w.sessions) < p.sessions {
			open[k] = w.newSession()
		}
		paths := slices.Sorted(maps.Keys(w.files))
		for i := range p.files {
			if path := fmt.Sprintf("src/file%d.go", i); len(paths) < p.files && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
		path := paths[dice(len(paths))]
		_, exists := w.files[path]
		switch d := dice(40); {
		case d < 8 && exists:
			for range 1 + dice(3) {
				w.apply(path, w.invent(w.files[path]), "")
			}
		case d == 8 && exists:
			w.rename(open[k], path)
		case d == 9:
			w.commit()
		default:
			w.agent(open[k], path)
		}
	}
	for _, s := range w.sessions {
		if err := os.WriteFile(filepath.Join(w.store, s.id+".jsonl"), []byte(strings.Join(s.lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// A score compares answers with the truth.
type score struct {
	lines, named, wrong, written, found, common int
	example                                     string // a wrong one
}

func (s score) String() string {
	percent := func(a, b int) float64 { return 100 * float64(a) / float64(max(b, 1)) }
	return fmt.Sprintf("%d lines, %d attributed, precision %.2f %%, %d written by agents, recall %.2f %%, %d of the others are common lines %s",
		s.lines, s.named, percent(s.named-s.wrong, s.named), s.written, percent(s.found, s.written), s.common, s.example)
}

// judge blames all files of a world.
func (w *world) judge() (s score) {
	infos, err := catalog.Sorted(catalog.ListAll(context.Background(), catalog.Options{Dir: w.store, Getenv: func(string) string { return "" }}))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(w.files)) {
		r, err := blame.File(context.Background(), filepath.Join(w.dir, path), blame.Options{Sessions: infos})
		if err != nil {
			w.t.Fatal(err)
		}
		lines := w.files[path]
		if len(r.Lines) != len(lines) {
			w.t.Fatalf("%s: %d lines, want %d", path, len(r.Lines), len(lines))
		}
		for j, l := range r.Lines {
			s.lines++
			named := ""
			if l.Edit >= 0 {
				named = r.Edits[l.Edit].Session.ID + "/" + r.Edits[l.Edit].EntryID
				s.named++
				if !lines[j].ok[named] {
					s.wrong++
					s.example = fmt.Sprintf("%s:%d %q: named %s, want %v", path, j+1, l.Text, named, slices.Collect(maps.Keys(lines[j].ok)))
				}
			}
			if lines[j].by != "" {
				s.written++
				if lines[j].ok[named] {
					s.found++
				} else if slices.Contains(common, l.Text) {
					s.common++
				}
			}
		}
	}
	return s
}
