package blocks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/syntax"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// mostLines is the maximum number of shown lines of an unfolded output or
// change.
const mostLines = 400

// The columns of a call.
const (
	leastName = 6
	mostName  = 14
	tookCells = 8
)

// call draws a call and its result: folded in one line, a failed one with the start of
// its output.
func (r *Renderer) call(b *Block, open bool) []string {
	it := b.Item
	in := ""
	if b.InRun {
		in = " "
	}
	right := Outcome(it)
	if took := Took(it); r.Width >= 60 {
		cell := ""
		if took > 0 {
			cell = facts.Duration(took)
		}
		right = append(right, paint.Span{Tone: paint.Dim, Text: termsafe.PadLeft(cell, tookCells)})
	}
	name := termsafe.Fit(string(it.Name), mostName)
	left := []paint.Span{{Tone: paint.Dim, Text: in + fold(open)}, {Tone: paint.Code, Text: termsafe.Pad(name, leastName)}, {Text: " "}, {Tone: paint.Plain, Text: Head(it, r.Path)}}
	lines := append(r.labels(it), r.Theme.Ends(r.Width, left, right))
	if !open || it.Tool == nil {
		return lines
	}
	if changes := r.changes(it.Tool.Arguments); len(changes) > 0 {
		lines = append(lines, changes...)
	} else {
		text, _ := toolcall.Argument(it.Tool.Arguments)
		lines = append(lines, r.arguments(it.Tool.Arguments, text)...)
	}
	if result := it.Tool.Result; result != nil {
		lines = append(lines, r.output(string(result.Text), languageOf(it))...)
		for i := range result.Images {
			lines = append(lines, r.line(paint.Dim, indent+result.Images[i].String()))
		}
	}
	return lines
}

// indent is before the lines of an unfolded call.
const indent = "    "

// size returns a description of the length of an output.
func size(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return "no output"
	}
	if n := strings.Count(text, "\n") + 1; n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return ""
}

// arguments draws the arguments of a call that are not in its head line.
func (r *Renderer) arguments(raw json.RawMessage, shown string) (lines []string) {
	if jsonl.KindOf(raw) != '{' {
		return nil
	}
	for name, value := range jsonl.Members(raw) {
		key, _ := jsonl.String(name)
		text, is := jsonl.String(value)
		if !is {
			text = string(value)
		}
		language := languageIn(raw)
		switch {
		case text == shown:
		case key == "content" && language != "":
			lines = append(lines, r.output(text, language)...)
		default:
			lines = append(lines, r.indented(paint.Dim, key+": "+text, 40)...)
		}
	}
	return lines
}

// languageOf returns the language of the text that a call returns, or "" if it
// is unknown.
func languageOf(it *inspect.Item) string {
	switch {
	case strings.EqualFold(string(it.Name), "edit"):
		return syntax.Changes
	case strings.EqualFold(string(it.Name), "read") && it.Tool != nil && !it.Tool.Result.IsError:
		return languageIn(it.Tool.Arguments)
	}
	return ""
}

// languageIn returns the language of the file that a call names, by its
// extension.
func languageIn(arguments json.RawMessage) string {
	var named struct {
		Path string `json:"path"`
		File string `json:"file_path"`
	}
	if json.Unmarshal(arguments, &named) != nil {
		return ""
	}
	return strings.TrimPrefix(path.Ext(cmp.Or(named.Path, named.File)), ".")
}

// output draws tool output, colored if it is code or a diff.
func (r *Renderer) output(text, language string) []string {
	if text == "" {
		return nil
	}
	if strings.HasPrefix(text, "diff ") || strings.HasPrefix(text, "--- ") {
		language = syntax.Changes
	}
	rows := syntax.Lines(language, strings.TrimRight(termsafe.Text(text), "\n"), paint.Plain)
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, r.rows(row)...)
	}
	return r.shortened(lines)
}

// rows draws a line of output, indented, and wrapped at the edge.
func (r *Renderer) rows(spans []paint.Span) []string {
	in := paint.Span{Text: indent}
	if paint.Width(spans) <= r.Width-len(indent) {
		return []string{r.Theme.Line(r.Width, append([]paint.Span{in}, spans...)...)}
	}
	var lines []string
	for _, row := range paint.Wrap(spans, max(1, r.Width-len(indent))) {
		lines = append(lines, r.Theme.Line(r.Width, append([]paint.Span{in}, row...)...))
	}
	return lines
}

// shortened returns the first lines of an output, with the number of the
// others.
func (r *Renderer) shortened(lines []string) []string {
	more := len(lines) - mostLines
	if r.Whole || more <= 0 {
		return lines
	}
	return append(lines[:mostLines:mostLines], r.line(paint.Dim, fmt.Sprintf(indent+"… %d more lines", more)))
}

// indented draws at most most lines of a text, indented.
func (r *Renderer) indented(tone paint.Tone, text string, most int) []string {
	rows := r.wrapTo(max(1, r.Width-len(indent)), tone, text)
	if len(rows) > most {
		rows = append(rows[:most:most], r.line(paint.Dim, fmt.Sprintf("… %d more lines", len(rows)-most)))
	}
	for i := range rows {
		rows[i] = indent + rows[i]
	}
	if r.Width <= len(indent) {
		return nil
	}
	return rows
}

// shell draws a command that the user ran.
func (r *Renderer) shell(it *inspect.Item, open bool) []string {
	command, tone := "", paint.Success
	if it.Bash != nil {
		command = string(it.Bash.Command)
		if it.Bash.Cancelled || it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0 {
			tone = paint.Error
		}
	}
	lines := r.labels(it, paint.Span{Tone: tone, Text: "$ "}, paint.Span{Tone: paint.Code, Text: command},
		paint.Span{Tone: paint.Dim, Text: "  " + size(string(it.Text))})
	if open {
		lines = append(lines, r.output(string(it.Text), "")...)
	}
	return lines
}

// changes draws the arguments of a call that changes a file: removed lines in
// one color, added lines in another. It returns nil for other calls.
func (r *Renderer) changes(raw json.RawMessage) []string {
	var lines []string
	for _, edit := range toolcall.Edits(raw) {
		if len(lines) > 0 {
			lines = append(lines, r.line(paint.Dim, indent+"⋯"))
		}
		lines = append(lines, r.replacement(edit[0], edit[1])...)
	}
	return r.shortened(lines)
}

// replacement draws one change. Common lines at the start and the end are
// unchanged.
func (r *Renderer) replacement(old, now string) []string {
	a, b := rowsOf(old), rowsOf(now)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var lines []string
	add := func(mark string, tone paint.Tone, rows []string) {
		for _, row := range rows {
			lines = append(lines, r.rows([]paint.Span{{Tone: tone, Text: mark + row}})...)
		}
	}
	add("  ", paint.Dim, a[:head])
	add("- ", paint.Removed, a[head:len(a)-tail])
	add("+ ", paint.Added, b[head:len(b)-tail])
	add("  ", paint.Dim, a[len(a)-tail:])
	return lines
}

// rowsOf returns the lines of a text; none for an empty text.
func rowsOf(text string) []string {
	text = strings.TrimSuffix(termsafe.Text(text), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
