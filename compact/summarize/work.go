package summarize

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// work is what tools did: files that were changed, commands and how they ended,
// and what failed.
type work struct {
	// blind means that results of tools are not told, as for a branch. Calls then
	// count as done.
	blind    bool
	pending  map[string]deed // by the id of the call
	commands map[string]*command
	files    map[string]int // how often each was changed
	failures []failed
	clock    int
	todo     []string // what is open of the list that a tool was given last
}

// A deed is a call of a tool.
type deed struct {
	name    string   // for people: the tool and its file, or the command
	file    string   // that it changes; "" when none
	command []string // what it runs, without what only looks around
}

// A command is one that was run, perhaps often.
type command struct {
	line   string
	runs   int
	failed bool // the last time
	at     int  // when that was
}

// failed is a deed that did not work.
type failed struct {
	deed
	fault  string
	turn   int
	times  int
	solved bool // it worked later
}

// Limits on what is kept in memory.
const (
	maxPending  = 256
	maxCommands = 300
	maxFiles    = 1000
	maxFailures = 64
)

func newWork(blind bool) work {
	return work{blind: blind, pending: map[string]deed{}, commands: map[string]*command{}, files: map[string]int{}}
}

// call takes a call whose result is still to come.
func (w *work) call(b *format.ToolCallBlock, t *turn) {
	if open, ok := openTasks(b); ok {
		w.todo = open
	}
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
	if line := argument(b.Arguments, "command", "cmd", "script"); line != "" {
		commands := segments(line)
		return deed{name: oneLine(cmp.Or(strings.Join(commands, " && "), line), 160), command: commands}
	}
	file := argument(b.Arguments, "path", "file_path", "filePath", "file", "filename")
	d := deed{name: strings.TrimSpace(b.Name + " " + file)}
	tool := strings.ToLower(b.Name)
	if slices.ContainsFunc([]string{"write", "edit", "patch", "create", "replace"}, func(word string) bool { return strings.Contains(tool, word) }) {
		d.file = file
	}
	return d
}

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

// openTasks is what is not done of a list that a tool for that is given.
func openTasks(b *format.ToolCallBlock) (open []string, ok bool) {
	name := strings.ToLower(b.Name)
	if !strings.Contains(name, "todo") && !strings.Contains(name, "task") && !strings.Contains(name, "plan") || jsonl.KindOf(b.Arguments) != '{' {
		return nil, false
	}
	for _, key := range []string{"todos", "tasks", "items", "steps", "plan"} {
		list, found := jsonl.Lookup(b.Arguments, key)
		if !found || jsonl.KindOf(list) != '[' {
			continue
		}
		for raw := range jsonl.Elements(list) {
			text, isText := jsonl.String(raw)
			if !isText {
				text = argument(raw, "content", "text", "title", "task", "description", "step")
			}
			switch strings.ToLower(argument(raw, "status", "state")) {
			case "done", "completed", "cancelled":
				continue
			}
			if text != "" && len(open) < maxOpen {
				open = append(open, oneLine(text, 160))
			}
		}
		return open, true
	}
	return nil, false
}

// openBoxes is what stands behind the boxes of a text that are not ticked, and how
// many boxes there are.
func openBoxes(text string) (open []string, boxes int) {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, "-*+ ")
		if task, ok := strings.CutPrefix(line, "[ ] "); ok && len(open) < maxOpen {
			open = append(open, oneLine(task, 160))
		}
		if len(line) > 3 && line[0] == '[' && line[2] == ']' {
			boxes++
		}
	}
	return open, boxes
}

// maxOpen is how many open tasks are told.
const maxOpen = 8

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
	if d.file == "" && len(d.command) == 0 || strings.Contains(edges(text, 200, 100), "aborted") {
		return // what only looks is answered by not finding
	}
	w.count(d, true)
	w.fail(d, text, t)
}

// byUser takes a command that the user ran.
func (w *work) byUser(m *format.BashExecution) {
	if !m.Cancelled {
		w.count(deed{command: segments(m.Command)}, m.ExitCode != nil && *m.ExitCode != 0)
	}
}

func (w *work) done(d deed, t *turn) {
	if d.file != "" {
		t.change(d.file)
		if len(w.files) < maxFiles || w.files[d.file] > 0 {
			w.files[d.file]++
		}
	}
	if len(d.command) > 0 {
		w.count(d, false)
		outcome := "passed"
		if w.blind {
			outcome = "(outcome not known)"
		}
		t.run(d.name, outcome)
	}
	for i := range w.failures {
		f := &w.failures[i]
		f.solved = f.solved || f.name == d.name || f.file != "" && f.file == d.file ||
			len(f.command) > 0 && !slices.ContainsFunc(f.command, func(c string) bool { return !slices.Contains(d.command, c) })
	}
}

func (w *work) fail(d deed, text string, t *turn) {
	if len(d.command) > 0 {
		t.run(d.name, "failed")
	}
	fault := faultOf(text)
	if i := slices.IndexFunc(w.failures, func(f failed) bool { return f.name == d.name && !f.solved }); i >= 0 {
		f := &w.failures[i]
		f.times, f.turn, f.fault = f.times+1, t.number, cmp.Or(fault, f.fault)
		return
	}
	if len(w.failures) >= maxFailures {
		w.failures = append(w.failures[:0], w.failures[1:]...)
	}
	w.failures = append(w.failures, failed{deed: d, fault: fault, turn: t.number, times: 1})
}

func (f *failed) line() string {
	out := "`" + clip(f.name, 110) + "`"
	if f.times > 1 {
		out += fmt.Sprintf(" (%d times)", f.times)
	}
	if f.fault != "" {
		out += ": " + f.fault
	}
	return out
}

// count takes how a command ended.
func (w *work) count(d deed, failed bool) {
	w.clock++
	for _, line := range d.command {
		line = oneLine(line, 100)
		c := w.commands[line]
		if c == nil {
			if len(w.commands) >= maxCommands {
				for _, least := range w.ranked()[maxCommands/2:] {
					delete(w.commands, least.line)
				}
			}
			c = &command{line: line}
			w.commands[line] = c
		}
		c.runs, c.failed, c.at = c.runs+1, failed, w.clock
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

// faultOf is the line of an output that tells best what went wrong: the first that
// names an error, else the last.
func faultOf(text string) string {
	last := ""
	for line := range strings.Lines(edges(text, 8000, 8000)) {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 400 || strings.HasPrefix(line, "Command exited with code") || strings.HasSuffix(line, ":") {
			continue
		}
		last = line
		lower := strings.ToLower(line)
		if slices.ContainsFunc(faultWords, func(word string) bool { return strings.Contains(lower, word) }) {
			break
		}
	}
	return oneLine(last, 180)
}

// faultWords are those of programs, which speak English nearly everywhere.
var faultWords = []string{"error", "fail", "panic", "exception", "not found", "no such", "denied", "cannot", "could not", "undefined"}

// lookers are programs that only look around. Their failure is an answer, such as
// "not found".
var lookers = strings.Fields(`cd ls cat grep rg find fd head tail sed awk wc echo pwd which sleep export mkdir test [ printf tree jq diff sort
	stat file du touch cp mv rm chmod date env source . ps kill for while if do done then else fi true`)

// gitLookers are the commands of git that change no history.
var gitLookers = strings.Fields(`status diff log show branch add rev-parse ls-files remote blame`)

// segments are the commands of a shell line, without the programs that only look
// around, and without what is done with their output: "cd x && npm test 2>&1 | tail"
// is "npm test".
func segments(line string) []string {
	line, _, _ = strings.Cut(line[:min(len(line), 4000)], "<<") // what follows is a text
	var out []string
	for _, piece := range splitShell(line) {
		words := strings.Fields(piece)
		for len(words) > 0 && (words[0] == "sudo" || words[0] == "time" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == "2>&1" || strings.HasPrefix(w, "2>") })
		if len(words) == 0 || slices.Contains(lookers, path.Base(words[0])) || words[0] == "git" && len(words) > 1 && slices.Contains(gitLookers, words[1]) {
			continue
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// splitShell cuts a line at the signs between commands, and leaves out what
// stands behind a pipe.
func splitShell(line string) []string {
	var out []string
	var quote byte
	start, piped := 0, -1
	cut := func(at, next int) {
		if piped >= 0 {
			at = piped
		}
		out = append(out, line[start:at])
		start, piped = next, -1
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '\\':
			i++
		case c == ';' || c == '\n':
			cut(i, i+1)
		case (c == '&' || c == '|') && i+1 < len(line) && line[i+1] == c:
			cut(i, i+2)
			i++
		case c == '|' && piped < 0:
			piped = i
		}
	}
	cut(len(line), len(line))
	return out
}
