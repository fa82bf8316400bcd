package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// work is what tools did: files that were changed, commands and how they ended,
// and what went wrong.
type work struct {
	// blind means that results of tools are not told, as for a branch. Calls then
	// count as done.
	blind    bool
	pending  map[string]deed // by the id of the call
	commands map[string]*command
	files    map[string]int // how often each was changed
	problems []problem
	clock    int
}

// A deed is a call of a tool.
type deed struct {
	file    string // that it changes; "" when none
	looks   string // a file that it reads; "" when none
	target  string // path or command, for people
	parts   []string
	message string // of a commit
}

// A command is one that was run, perhaps often.
type command struct {
	line   string
	runs   int
	failed bool // the last time
	at     int  // when that was
}

// A problem is a call that failed.
type problem struct {
	target   string
	open     []string // what must work for it to be solved
	fault    string
	turn     int
	times    int
	resolved bool
}

// Limits on what is kept in memory.
const (
	maxPending  = 256
	maxCommands = 300
	maxFiles    = 1000
	maxProblems = 64
)

func newWork() work {
	return work{pending: map[string]deed{}, commands: map[string]*command{}, files: map[string]int{}}
}

// call takes a call whose result is still to come.
func (w *work) call(b *format.ToolCallBlock, t *turn) {
	d := deedOf(b)
	if w.blind {
		w.done(d, t)
		return
	}
	if len(w.pending) >= maxPending {
		clear(w.pending)
	}
	w.pending[b.ID] = d
}

func deedOf(b *format.ToolCallBlock) deed {
	var d deed
	if line := argument(b.Arguments, "command", "cmd", "script"); line != "" {
		d.target, d.parts, d.message = oneLine(line, 160), segments(line), commitMessage(line)
		if len(d.parts) > 0 {
			d.target = oneLine(strings.Join(d.parts, " && "), 160)
		}
		return d
	}
	if file := argument(b.Arguments, "path", "file_path", "filePath", "file", "filename"); file != "" {
		d.target = b.Name + " " + file
		d.parts = []string{d.target}
		if changes(b.Name) {
			d.file = file
		} else {
			d.looks = file
		}
	}
	return d
}

// isCommand reports whether a deed is a command that does more than look around.
func (d deed) isCommand() bool { return d.file == "" && d.looks == "" && len(d.parts) > 0 }

// argument is the first of these arguments that is a text.
func argument(arguments []byte, names ...string) string {
	if jsonl.KindOf(arguments) != '{' {
		return ""
	}
	for _, name := range names {
		if s := jsonl.LookupString(arguments, name); s != "" {
			return valid(s)
		}
	}
	return ""
}

// changes reports whether a tool of that name changes files.
func changes(tool string) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc([]string{"write", "edit", "patch", "create", "replace"}, func(word string) bool { return strings.Contains(tool, word) })
}

// result takes the outcome of a call.
func (w *work) result(m *format.ToolResult, t *turn) {
	d, ok := w.pending[m.ToolCallID]
	if !ok {
		return
	}
	delete(w.pending, m.ToolCallID)
	if !m.IsError {
		w.done(d, t)
		return
	}
	text := valid(m.Content.Joined())
	if len(d.parts) == 0 || strings.Contains(edges(text, 200, 100), "aborted") {
		return
	}
	w.count(d, true)
	w.fail(d, text, t.number)
	if d.isCommand() {
		t.run(clip(d.target, 100), "failed")
	}
}

// byUser takes a command that the user ran.
func (w *work) byUser(m *format.BashExecution) {
	d := deed{target: oneLine(m.Command, 160), parts: segments(m.Command)}
	if len(d.parts) > 0 && !m.Cancelled {
		w.count(d, m.ExitCode != nil && *m.ExitCode != 0)
	}
}

func (w *work) done(d deed, t *turn) {
	switch {
	case d.file != "":
		t.change(d.file)
		if len(w.files) < maxFiles || w.files[d.file] > 0 {
			w.files[d.file]++
		}
	case d.looks != "":
		t.look(d.looks)
	case d.isCommand():
		w.count(d, false)
		outcome := "passed"
		if w.blind {
			outcome = "(outcome not known)"
		}
		t.run(clip(d.target, 100), outcome)
	}
	if d.message != "" {
		t.commit(d.message)
	}
	for i := range w.problems {
		w.problems[i].solve(d.parts)
	}
}

// count takes how a command ended.
func (w *work) count(d deed, failed bool) {
	if !d.isCommand() {
		return
	}
	w.clock++
	for _, part := range d.parts {
		part = oneLine(part, 100)
		c := w.commands[part]
		if c == nil {
			if len(w.commands) >= maxCommands {
				w.forget()
			}
			c = &command{line: part}
			w.commands[part] = c
		}
		c.runs, c.failed, c.at = c.runs+1, failed, w.clock
	}
}

// forget drops the half of the commands that were run least, and longest ago.
func (w *work) forget() {
	for _, c := range w.ranked()[maxCommands/2:] {
		delete(w.commands, c.line)
	}
}

// ranked are the commands, most often run first, then the latest.
func (w *work) ranked() []*command {
	all := make([]*command, 0, len(w.commands))
	for _, c := range w.commands {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *command) int {
		return cmp.Or(cmp.Compare(b.runs, a.runs), cmp.Compare(b.at, a.at), strings.Compare(a.line, b.line))
	})
	return all
}

func (w *work) fail(d deed, text string, turn int) {
	fault := faultOf(text)
	for i := range w.problems {
		if p := &w.problems[i]; p.target == d.target && !p.resolved {
			p.times++
			p.turn, p.open = turn, slices.Clone(d.parts)
			if fault != "" {
				p.fault = fault
			}
			return
		}
	}
	if len(w.problems) >= maxProblems {
		w.problems = append(w.problems[:0], w.problems[1:]...)
	}
	w.problems = append(w.problems, problem{target: d.target, open: slices.Clone(d.parts), fault: fault, turn: turn, times: 1})
}

// solve takes what worked.
func (p *problem) solve(parts []string) {
	if p.resolved {
		return
	}
	p.open = slices.DeleteFunc(p.open, func(part string) bool { return slices.Contains(parts, part) })
	p.resolved = len(p.open) == 0
}

func (p *problem) line() string {
	out := "`" + clip(p.target, 110) + "`"
	if p.times > 1 {
		out += fmt.Sprintf(" (%d times)", p.times)
	}
	if p.fault != "" {
		out += ": " + p.fault
	}
	return out
}

// faultOf is the line of an output that tells best what went wrong: one that
// begins with an error, or names one, else the last.
func faultOf(text string) string {
	var begins, names, last string
	for line := range strings.Lines(edges(text, 8000, 8000)) {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 400 || strings.HasPrefix(line, "Command exited with code") || strings.HasPrefix(line, "(no output)") || strings.HasSuffix(line, ":") {
			continue
		}
		lower := strings.ToLower(line)
		last = line
		switch {
		case strings.HasPrefix(lower, "npm err"): // it repeats what another program said
		case begins == "" && hasFault(lower[:min(len(lower), 24)]):
			begins = line
		case names == "" && hasFault(lower):
			names = line
		}
	}
	return oneLine(cmp.Or(begins, names, last), 180)
}

func hasFault(lower string) bool {
	return slices.ContainsFunc(faultWords, func(word string) bool { return strings.Contains(lower, word) })
}

// faultWords are those of programs, which speak English nearly everywhere.
var faultWords = []string{"error", "fail", "panic", "exception", "not found", "no such", "denied", "cannot", "could not", "undefined", "エラー", "失敗", "错误", "失败", "오류", "fehler", "erreur", "ошибка"}
