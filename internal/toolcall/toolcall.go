// Package toolcall describes the arguments of a tool call in a few words, for
// the tools of every agent: what was run, read, changed or searched.
package toolcall

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// paths are the names under which agents pass a file.
var paths = []string{"path", "file_path", "filePath", "absolute_path", "notebook_path", "file"}

// informative are the names of the arguments that say most, the best first.
var informative = slices.Concat([]string{"command", "cmd"}, paths, []string{"pattern", "query", "url", "agent", "task", "prompt", "description"})

// replacements are the names of the old and the new text of an edit.
var replacements = [][2]string{{"oldText", "newText"}, {"old_string", "new_string"}, {"oldString", "newString"}}

// A call is what the arguments of a call say.
type call struct {
	text           string // the most informative argument
	isPath         bool   // it is the path of a file
	file, pattern  string
	offset, limit  []byte
	added, removed int // lines of an edit
}

// read reads the arguments of a call in one pass.
func read(arguments []byte) (c call) {
	best := len(informative)
	var replaced edit
	for name, value := range jsonl.Members(arguments) {
		key, _ := jsonl.String(name)
		switch key {
		case "offset":
			c.offset = value
		case "limit":
			c.limit = value
		case "pattern":
			c.pattern, _ = jsonl.String(value)
		case "edits":
			for e := range jsonl.Elements(value) {
				one := editOf(e)
				c.change(one.size())
			}
		case "input", "patch":
			c.patch(value)
		}
		replaced.take(key, value)
		rank := slices.Index(informative, key)
		if rank < 0 || rank >= best {
			continue
		}
		if s := words(value); s != "" {
			best, c.text, c.isPath = rank, s, slices.Contains(paths, key)
			if c.isPath {
				c.file = s
			}
		}
	}
	c.change(replaced.size())
	if c.text == "" && c.file != "" {
		c.text, c.isPath = c.file, true
	}
	return c
}

func (c *call) change(added, removed int) { c.added, c.removed = c.added+added, c.removed+removed }

// changes returns the size of an edit, such as "+3 -1", or "" for another call.
func (c *call) changes() string {
	if c.added+c.removed == 0 {
		return ""
	}
	return "+" + strconv.Itoa(c.added) + " -" + strconv.Itoa(c.removed)
}

// Changes returns the number of lines that an edit adds and removes; both are 0
// for another call.
func Changes(arguments []byte) (added, removed int) {
	c := read(arguments)
	return c.added, c.removed
}

// Argument returns the most informative argument of a call, or "" if it has
// none. isPath means that it is the path of a file.
func Argument(arguments []byte) (text string, isPath bool) {
	c := read(arguments)
	return c.text, c.isPath
}

// Line returns a call of a tool on one line: its most informative argument and
// the size of an edit, or all arguments as they are written. path shortens the
// path of a file.
func Line(tool string, arguments []byte, path func(string) string) string {
	line, _, _ := Summary(tool, arguments, path)
	return line
}

// Summary returns what [Line] and [Argument] return, and reads the arguments once.
func Summary(tool string, arguments []byte, path func(string) string) (line, argument string, isPath bool) {
	c := read(arguments)
	return c.line(tool, arguments, path), c.text, c.isPath
}

func (c *call) line(tool string, arguments []byte, path func(string) string) string {
	where := path(cmp.Or(c.file, "."))
	switch {
	case tool == "read" && c.file != "":
		return where + c.lines()
	case tool == "grep" && c.pattern != "":
		return "/" + c.pattern + "/ in " + where
	case tool == "find" && c.pattern != "":
		return c.pattern + " in " + where
	case tool == "ls" && jsonl.KindOf(arguments) == '{':
		return where
	case c.text == "" && (string(arguments) == "{}" || jsonl.KindOf(arguments) != '{'):
		return "" // without arguments that can be named
	case c.text == "":
		return string(arguments)
	}
	text := c.text
	if c.isPath {
		text = where
	}
	if changes := c.changes(); changes != "" {
		text += " " + changes
	}
	return text
}

// lines returns the lines that a read requested, as :start-end.
func (c *call) lines() string {
	offset, hasOffset := number(c.offset)
	limit, hasLimit := number(c.limit)
	if !hasOffset {
		offset = 1
	}
	switch {
	case hasLimit:
		return fmt.Sprintf(":%d-%d", offset, offset+limit-1)
	case hasOffset:
		return fmt.Sprintf(":%d", offset)
	}
	return ""
}

// number also accepts a number that is written as a string.
func number(raw []byte) (int64, bool) {
	if s, isString := jsonl.String(raw); isString {
		n, err := strconv.ParseInt(s, 10, 64)
		return n, err == nil
	}
	return jsonl.Int(raw)
}

// Text returns the arguments of a call, each on lines of its own.
func Text(arguments []byte) string {
	if jsonl.KindOf(arguments) != '{' {
		return string(arguments)
	}
	var out strings.Builder
	for name, value := range jsonl.Members(arguments) {
		key, _ := jsonl.String(name)
		write(&out, key, value, mostNested)
	}
	return out.String()
}

// mostNested is the depth to which lists and objects are written element by
// element.
const mostNested = 4

// write writes one argument. A list or an object with multi-line texts is
// written element by element, so that their lines can be read.
func write(out *strings.Builder, name string, value []byte, nested int) {
	kind := jsonl.KindOf(value)
	if nested == 0 || !bytes.Contains(value, []byte(`\n`)) {
		kind = 0
	}
	switch kind {
	case '{':
		for member, value := range jsonl.Members(value) {
			key, _ := jsonl.String(member)
			write(out, name+"."+key, value, nested-1)
		}
		return
	case '[':
		n := 0
		for value := range jsonl.Elements(value) {
			write(out, name+"["+strconv.Itoa(n)+"]", value, nested-1)
			n++
		}
		return
	}
	text, ok := jsonl.String(value)
	if !ok {
		text = string(value)
	}
	out.WriteString(name)
	if strings.Contains(text, "\n") {
		out.WriteString(":\n")
	} else {
		out.WriteString(": ")
	}
	out.WriteString(text)
	out.WriteByte('\n')
}

// patch reads the patch of an apply_patch call of Codex.
func (c *call) patch(value []byte) {
	text, _ := jsonl.String(value)
	if !strings.HasPrefix(text, "*** Begin Patch") {
		return
	}
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "+"):
			c.added++
		case strings.HasPrefix(line, "-"):
			c.removed++
		case c.file == "" && strings.HasPrefix(line, "*** ") && strings.Contains(line, " File: "):
			c.file = strings.TrimSpace(line[strings.Index(line, " File: ")+len(" File: "):])
		}
	}
}

// words returns a text, or the words of a command that is passed as a list. A
// script for a shell stands for the whole command.
func words(value []byte) string {
	if jsonl.KindOf(value) != '[' {
		s, _ := jsonl.String(value)
		return s
	}
	var list []string
	for e := range jsonl.Elements(value) {
		s, ok := jsonl.String(e)
		if !ok {
			return ""
		}
		list = append(list, s)
	}
	if len(list) == 3 && (list[1] == "-lc" || list[1] == "-c") {
		return list[2]
	}
	return strings.Join(list, " ")
}

// An edit is the replacement of a text by another, as raw JSON.
type edit [2][]byte

// Edits returns the old and the new texts of the arguments of an edit; none for another
// call.
func Edits(arguments []byte) (texts [][2]string) {
	if jsonl.KindOf(arguments) != '{' {
		return nil
	}
	add := func(e edit) {
		if e[0] != nil && e[1] != nil {
			was, _ := jsonl.String(e[0])
			now, _ := jsonl.String(e[1])
			texts = append(texts, [2]string{was, now})
		}
	}
	add(editOf(arguments))
	if list, ok := jsonl.Lookup(arguments, "edits"); ok && jsonl.KindOf(list) == '[' {
		for e := range jsonl.Elements(list) {
			add(editOf(e))
		}
	}
	return texts
}

func editOf(object []byte) (e edit) {
	for name, value := range jsonl.Members(object) {
		key, _ := jsonl.String(name)
		e.take(key, value)
	}
	return e
}

// take takes the argument with a name, if it is one of the two texts.
func (e *edit) take(key string, value []byte) {
	for _, names := range replacements {
		for i, name := range names {
			if key == name && jsonl.KindOf(value) == '"' {
				e[i] = value
			}
		}
	}
}

// size returns the number of lines that the edit adds and removes.
func (e *edit) size() (added, removed int) {
	if e[0] == nil || e[1] == nil {
		return 0, 0
	}
	was, _ := jsonl.String(e[0])
	now, _ := jsonl.String(e[1])
	return difference(lines(was), lines(now))
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// difference counts the lines between the common first and last ones.
func difference(was, now []string) (added, removed int) {
	for len(was) > 0 && len(now) > 0 && was[0] == now[0] {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && was[len(was)-1] == now[len(now)-1] {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	return len(now), len(was)
}
