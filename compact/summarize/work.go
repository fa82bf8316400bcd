package summarize

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// work holds the actions of tools and the open tasks.
type work struct {
	// blind means that tool results are not available, as for a branch. Calls
	// then count as done.
	blind   bool
	pending map[string]deed // by call id
	deeds   []deed          // commands and file changes; the latest is last
	todo    []string        // open tasks of the latest list
}

// A deed is an action of a tool, perhaps repeated.
type deed struct {
	name    string   // for people: the tool and its file, or the command
	file    string   // file that it changes, or ""
	command []string // commands that it runs, without those that only look around
	times   int
	turn    int
	outcome string // outcome of the last time
	fault   string
}

// Limits on memory, and on the open tasks to report.
const (
	maxPending = 256
	maxDeeds   = 300
	maxOpen    = 8
)

// call adds a call whose result has not come yet.
func (w *work) call(b *format.ToolCallBlock, t *turn) {
	if open, ok := openTasks(b); ok {
		w.todo = open
	}
	file := argument(b.Arguments, "path", "file_path", "filePath", "file", "filename")
	d := deed{name: strings.TrimSpace(b.Name + " " + file)}
	if line := argument(b.Arguments, "command", "cmd", "script"); line != "" {
		d = command(line)
	} else if changes.MatchString(b.Name) {
		d.file = file
	}
	if w.blind {
		w.end(d, t, "(outcome unknown)", "")
		return
	}
	if w.pending == nil || len(w.pending) >= maxPending {
		w.pending = map[string]deed{}
	}
	w.pending[b.ID] = d
}

// changes matches names of tools that change files.
var changes = regexp.MustCompile(`(?i)write|edit|patch|create|replace`)

// argument returns the first of these arguments that is a nonempty string.
func argument(arguments []byte, names ...string) string {
	if jsonl.KindOf(arguments) == '{' {
		for _, name := range names {
			if s := jsonl.LookupString(arguments, name); s != "" {
				return valid(s)
			}
		}
	}
	return ""
}

// openTasks returns the open tasks of a list passed to a task tool.
func openTasks(b *format.ToolCallBlock) (open []string, ok bool) {
	if !taskTools.MatchString(b.Name) || jsonl.KindOf(b.Arguments) != '{' {
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
			over := slices.Contains([]string{"done", "completed", "cancelled"}, strings.ToLower(argument(raw, "status", "state")))
			if text != "" && !over && len(open) < maxOpen {
				open = append(open, oneLine(text, 160))
			}
		}
		return open, true
	}
	return nil, false
}

var taskTools = regexp.MustCompile(`(?i)todo|task|plan`)

// boxes reads the task list in a text, if it has one: tasks with unticked boxes
// are open.
func (w *work) boxes(text string) {
	if strings.Count(text, "] ") < 2 { // the usual case
		return
	}
	found := box.FindAllStringSubmatch(text, -1)
	if len(found) < 2 {
		return
	}
	w.todo = nil
	for _, f := range found {
		if f[1] == " " && len(w.todo) < maxOpen {
			w.todo = append(w.todo, oneLine(f[2], 160))
		}
	}
}

var box = regexp.MustCompile(`(?m)^[-*+ ]*\[(.)\] (.*)$`)

func (w *work) result(m *format.ToolResult, t *turn) {
	d, ok := w.pending[m.ToolCallID]
	delete(w.pending, m.ToolCallID)
	if text := valid(m.Content.Joined()); !m.IsError {
		w.end(d, t, passed, "")
	} else if ok && !strings.Contains(edges(text, 200, 100), "aborted") {
		w.end(d, t, failed, faultOf(text))
	}
}

// Outcomes of a deed.
const passed, failed = "passed", "failed"

// end records the outcome of a deed. It ignores actions that only look around:
// finding nothing is not a failure.
func (w *work) end(d deed, t *turn, outcome, fault string) {
	if d.file == "" && len(d.command) == 0 {
		return
	}
	if outcome != failed && d.file != "" {
		t.change(d.file)
	} else if d.file == "" {
		t.run(d.name, outcome)
	}
	d.times, d.turn, d.outcome, d.fault = 1, t.number, outcome, fault
	w.deeds = slices.DeleteFunc(w.deeds, func(before deed) bool {
		if before.name == d.name {
			d.times += before.times
			return true
		}
		return before.outcome == failed && outcome != failed && before.within(&d)
	})
	w.deeds = append(w.deeds, d)
	w.deeds = w.deeds[max(0, len(w.deeds)-maxDeeds):]
}

// within reports whether another deed includes all of this one.
func (d *deed) within(other *deed) bool {
	return d.file == other.file && !slices.ContainsFunc(d.command, func(c string) bool { return !slices.Contains(other.command, c) })
}

func (d *deed) failure() string {
	out := "`" + clip(d.name, 110) + "`"
	if d.times > 1 {
		out += fmt.Sprintf(" (%d times)", d.times)
	}
	if d.fault != "" {
		out += ": " + d.fault
	}
	return out
}

// faultOf returns the line of an output that best describes the failure: the
// first that names an error, otherwise the last.
func faultOf(text string) (fault string) {
	for line := range strings.Lines(edges(text, 8000, 8000)) {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 400 || strings.HasPrefix(line, "Command exited with code") || strings.HasSuffix(line, ":") {
			continue
		}
		if fault = line; faultWords.MatchString(line) {
			break
		}
	}
	return oneLine(fault, 180)
}

// faultWords are in English, as most program output is.
var faultWords = regexp.MustCompile(`(?i)error|fail|panic|exception|not found|no such|denied|cannot|could not|undefined`)

// lookers are programs that only look around. Their failure is a result, such
// as "not found".
var lookers = strings.Fields(`cd ls cat grep rg find fd head tail sed awk wc echo pwd which sleep export mkdir test [ printf tree jq diff sort
	stat file du touch cp mv rm chmod date env source . ps kill for while if do done then else fi true`)

// gitLookers are git commands that do not change history.
var gitLookers = strings.Fields(`status diff log show branch add rev-parse ls-files remote blame`)

// shellCommand matches a command of a shell line after the operator that
// precedes it.
var shellCommand = regexp.MustCompile(`(^|&&|\|\||\||;|\n)((?s:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\\|;&\n]|&[^&])*)`)

// command parses a shell line, without programs that only look around and
// without pipes that process output: "cd x && npm test 2>&1 | tail" becomes
// "npm test".
func command(line string) deed {
	line, _, _ = strings.Cut(line[:min(len(line), 4000)], "<<") // a here-document follows
	var d deed
	for _, found := range shellCommand.FindAllStringSubmatch(line, -1) {
		words := slices.DeleteFunc(strings.Fields(found[2]), func(w string) bool { return strings.HasPrefix(w, "2>") })
		for len(words) > 0 && (words[0] == "sudo" || words[0] == "time" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if len(words) == 0 || found[1] == "|" || slices.Contains(lookers, path.Base(words[0])) ||
			words[0] == "git" && len(words) > 1 && slices.Contains(gitLookers, words[1]) {
			continue
		}
		d.command = append(d.command, strings.Join(words, " "))
	}
	d.name = oneLine(strings.Join(d.command, " && "), 160)
	return d
}
