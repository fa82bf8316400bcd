package page

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// changes returns the number of lines that a call added and removed: those of
// its diff, or what its arguments say. made is false if they say nothing.
func changes(args []byte, diff string) (added, removed int, made bool) {
	if diff != "" {
		for line := range strings.Lines(diff) {
			switch {
			case strings.HasPrefix(line, "+"):
				added++
			case strings.HasPrefix(line, "-"):
				removed++
			}
		}
		return added, removed, true
	}
	if added, removed = toolcall.Changes(args); added+removed > 0 {
		return added, removed, true
	}
	if content, ok := contentOf(args); ok {
		return strings.Count(strings.TrimSuffix(content, "\n"), "\n") + 1, 0, true
	}
	return 0, 0, false
}

// contentOf returns the text that a call writes to a file.
func contentOf(args []byte) (string, bool) {
	if jsonl.KindOf(args) != '{' {
		return "", false
	}
	for _, name := range []string{"content", "file_text", "contents"} {
		if value, ok := jsonl.Lookup(args, name); ok {
			return jsonl.String(value)
		}
	}
	return "", false
}

// drawn returns the change of a call that reported no diff, from its arguments.
func drawn(args []byte) string {
	var s strings.Builder
	add := func(sign, text string) {
		for line := range strings.Lines(text) {
			s.WriteString(sign + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	for _, edit := range toolcall.Edits(args) {
		add("-", edit[0])
		add("+", edit[1])
	}
	if s.Len() > 0 {
		return s.String()
	}
	if content, ok := contentOf(args); ok {
		add("+", content)
		return s.String()
	}
	for _, name := range []string{"patch", "input", "diff"} {
		if text := jsonl.LookupString(args, name); text != "" {
			return text
		}
	}
	return toolcall.Text(args)
}

// numbered is a line of a diff as pi writes it: a sign, a number, and the text.
var numbered = regexp.MustCompile(`^([ +-])( *\d+) (.*)$`)

// diff writes a change: one column, with line numbers if they are known, and with
// the changed part of a pair of lines marked.
func (w *writer) diff(text string) {
	part, cut := w.cut(text)
	w.raw(`<div class="diff" tabindex="0" role="group" aria-label="Changes">`)
	lines := strings.Split(strings.TrimRight(part, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if next := i + 1; sign(lines[i]) == '-' && next < len(lines) && sign(lines[next]) == '+' && (i == 0 || sign(lines[i-1]) != '-') && (next+1 == len(lines) || sign(lines[next+1]) != '+') {
			from, was, now := alike(lines[i], lines[next])
			w.change(lines[i], from, was)
			w.change(lines[next], from, now)
			i++
			continue
		}
		w.change(lines[i], 0, 0)
	}
	w.raw(`</div>`)
	w.cutNote(cut)
}

func sign(line string) byte {
	if line == "" || strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---") {
		return ' '
	}
	return line[0]
}

// split returns the sign, the number and the text of a line of a diff.
func split(line string) (s byte, number, text string) {
	if m := numbered.FindStringSubmatch(line); m != nil {
		return m[1][0], strings.TrimSpace(m[2]), m[3]
	}
	if s = sign(line); s == '+' || s == '-' {
		return s, "", line[1:]
	}
	return ' ', "", strings.TrimPrefix(line, " ")
}

// alike returns where the texts of two lines begin to differ, and where the
// different parts of both end. They are empty if nothing is common.
func alike(a, b string) (from, endA, endB int) {
	_, _, x := split(a)
	_, _, y := split(b)
	for from < min(len(x), len(y)) && x[from] == y[from] {
		from++
	}
	endA, endB = len(x), len(y)
	for endA > from && endB > from && x[endA-1] == y[endB-1] {
		endA--
		endB--
	}
	if strings.TrimSpace(x[:from])+strings.TrimSpace(x[endA:]) == "" {
		return 0, 0, 0
	}
	inside := func(text string, at int) bool { return at < len(text) && !utf8.RuneStart(text[at]) }
	for from > 0 && (inside(x, from) || inside(y, from)) {
		from--
	}
	for inside(x, endA) || inside(y, endB) {
		endA++
		endB++
	}
	return from, min(endA, len(x)), min(endB, len(y))
}

// change writes a line of a diff, of which a part may be marked.
func (w *writer) change(line string, from, to int) {
	s, number, text := split(line)
	class, shown := "", ""
	switch {
	case s == '+':
		class, shown = "add", "+"
	case s == '-':
		class, shown = "del", "-"
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "***"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		class, text = "hunk", line
	}
	w.raw(`<span class="`, class, `" data-n="`, number, `"><i>`, shown, `</i>`)
	if from < to && to <= len(text) {
		w.text(text[:from])
		w.around(`<em>`, text[from:to], `</em>`)
		text = text[to:]
	}
	w.text(text)
	w.raw(`</span>`)
}
