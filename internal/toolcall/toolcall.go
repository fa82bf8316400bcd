// Package toolcall describes the arguments of a tool call in a few words, for
// the tools of every agent: what was run, read, changed or searched.
package toolcall

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// paths are the names under which agents pass a file.
var paths = []string{"path", "file_path", "filePath", "absolute_path", "notebook_path", "file"}

// informative are the names of the arguments that say most, the best first.
var informative = slices.Concat([]string{"command", "cmd"}, paths, []string{"pattern", "query", "url", "agent", "task", "prompt", "description"})

// Argument returns the most informative argument of a call, or "" if it has
// none. isPath means that it is the path of a file.
func Argument(arguments []byte) (text string, isPath bool) {
	best := len(informative)
	for name, value := range jsonl.Members(arguments) {
		key, _ := jsonl.String(name)
		rank := slices.Index(informative, key)
		if rank < 0 || rank >= best {
			continue
		}
		if s := words(value); s != "" {
			best, text, isPath = rank, s, slices.Contains(paths, key)
		}
	}
	if text == "" {
		text = patchOf(arguments).file
		isPath = text != ""
	}
	return text, isPath
}

// Line returns a call on one line: its most informative argument and the size of
// an edit, or all arguments as they are written. path shortens the path of a file.
func Line(arguments []byte, path func(string) string) string {
	text, isPath := Argument(arguments)
	switch {
	case text == "" && string(arguments) == "{}":
		return ""
	case text == "":
		return string(arguments)
	case isPath:
		text = path(text)
	}
	if changes := Changes(arguments); changes != "" {
		text += " " + changes
	}
	return text
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

// A patch is the patch of an apply_patch call of Codex.
type patch struct {
	file           string // the first that it changes
	added, removed int
}

func patchOf(arguments []byte) (p patch) {
	for _, name := range []string{"input", "patch"} {
		text, _ := lookup(arguments, name)
		if !strings.HasPrefix(text, "*** Begin Patch") {
			continue
		}
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "+"):
				p.added++
			case strings.HasPrefix(line, "-"):
				p.removed++
			case p.file == "" && strings.HasPrefix(line, "*** ") && strings.Contains(line, " File: "):
				p.file = strings.TrimSpace(line[strings.Index(line, " File: ")+len(" File: "):])
			}
		}
	}
	return p
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

// replacements are the names of the old and the new text of an edit.
var replacements = [][2]string{{"oldText", "newText"}, {"old_string", "new_string"}, {"oldString", "newString"}}

// Changes returns the size of an edit, such as "+3 -1", or "" if the arguments
// are not those of an edit.
func Changes(arguments []byte) string {
	added, removed := changed(arguments)
	p := patchOf(arguments)
	added, removed = added+p.added, removed+p.removed
	if edits, ok := jsonl.Lookup(arguments, "edits"); ok && jsonl.KindOf(edits) == '[' {
		for e := range jsonl.Elements(edits) {
			a, r := changed(e)
			added, removed = added+a, removed+r
		}
	}
	if added+removed == 0 {
		return ""
	}
	return "+" + strconv.Itoa(added) + " -" + strconv.Itoa(removed)
}

func changed(edit []byte) (added, removed int) {
	for _, names := range replacements {
		was, hadOld := lookup(edit, names[0])
		now, hasNew := lookup(edit, names[1])
		if hadOld && hasNew {
			return difference(lines(was), lines(now))
		}
	}
	return 0, 0
}

func lookup(object []byte, name string) (string, bool) {
	if jsonl.KindOf(object) != '{' {
		return "", false
	}
	value, ok := jsonl.Lookup(object, name)
	if !ok {
		return "", false
	}
	return jsonl.String(value)
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
