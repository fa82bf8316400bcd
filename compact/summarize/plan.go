package summarize

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A plan is what is still to be done, as lists say it: those of a tool for that,
// of the assistant's words, and of files.
type plan struct {
	todo  []task
	next  []string
	age   int      // answers since next was said
	files []string // that hold a list with boxes
}

// A task is one item of a list.
type task struct {
	text string
	done bool
}

// Limits of a plan.
const (
	maxTasks  = 40
	maxNext   = 6
	staleNext = 3
)

// open are the tasks that are not done.
func (p *plan) open() []string {
	var out []string
	for _, t := range p.todo {
		if !t.done {
			out = append(out, t.text)
		}
	}
	return out
}

// announced are the next steps that the assistant told lately.
func (p *plan) announced() []string {
	if p.age > staleNext {
		return nil
	}
	return p.next
}

// call takes a list that a tool is given.
func (p *plan) call(b *format.ToolCallBlock) {
	name := strings.ToLower(b.Name)
	if changes(name) {
		p.file(b.Arguments)
	}
	if !strings.Contains(name, "todo") && !strings.Contains(name, "task") && !strings.Contains(name, "plan") || jsonl.KindOf(b.Arguments) != '{' {
		return
	}
	for _, key := range []string{"todos", "todo", "tasks", "items", "steps", "plan", "list"} {
		list, ok := jsonl.Lookup(b.Arguments, key)
		if !ok || jsonl.KindOf(list) != '[' {
			continue
		}
		var tasks []task
		for raw := range jsonl.Elements(list) {
			if t, ok := taskOf(raw); ok && len(tasks) < maxTasks {
				tasks = append(tasks, t)
			}
		}
		if len(tasks) > 0 {
			p.todo = tasks
		}
		return
	}
}

func taskOf(raw []byte) (task, bool) {
	if s, ok := jsonl.String(raw); ok {
		return task{text: oneLine(s, 160)}, s != ""
	}
	text := oneLine(argument(raw, "content", "text", "title", "task", "description", "step", "name", "subject"), 160)
	t := task{text: text}
	switch strings.ToLower(argument(raw, "status", "state")) {
	case "done", "completed", "complete", "finished", "cancelled", "canceled", "closed":
		t.done = true
	}
	for _, name := range []string{"done", "completed", "checked"} {
		if raw, ok := jsonl.Lookup(raw, name); ok {
			b, _ := jsonl.Bool(raw)
			t.done = t.done || b
		}
	}
	return t, text != ""
}

// file remembers a file that is given boxes to tick.
func (p *plan) file(arguments []byte) {
	name := argument(arguments, "path", "file_path", "filePath", "file")
	if name == "" || slices.Contains(p.files, name) || !hasBox(arguments) {
		return
	}
	p.files = append(p.files, name)
	if len(p.files) > 3 {
		p.files = p.files[1:]
	}
}

func hasBox(arguments []byte) bool {
	return bytes.Contains(arguments, []byte("- [ ] ")) || bytes.Contains(arguments, []byte("- [x] "))
}

// text takes the lists of an answer: boxes, and what stands below a line that
// speaks of what comes next.
func (p *plan) text(said string) {
	var boxes []task
	var next []string
	ahead := false
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if text, done, ok := box(line); ok {
			boxes = append(boxes, task{oneLine(text, 160), done})
			continue
		}
		text, item := unmarked(line)
		switch {
		case item && ahead && len(next) < maxNext:
			next = append(next, oneLine(text, 160))
		case !item && text != "":
			ahead = len(text) < 80 && (strings.HasPrefix(line, "#") || strings.HasSuffix(strings.TrimRight(text, "*_ "), ":") || strings.HasSuffix(text, "：")) && nextWords.in(text)
		}
	}
	if len(boxes) >= 2 {
		p.todo = boxes[:min(len(boxes), maxTasks)]
	}
	p.age++
	if len(next) > 0 {
		p.next, p.age = next, 0
	}
}

// box is an item with a box.
func box(line string) (text string, done, ok bool) {
	line = strings.TrimLeft(line, "-*+ ")
	for _, mark := range []string{"[ ] ", "[x] ", "[X] "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest, mark != "[ ] ", true
		}
	}
	return "", false, false
}
