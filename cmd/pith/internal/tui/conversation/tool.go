package conversation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/syntax"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// mostLines is the maximum number of shown lines of an unfolded output or
// change.
const mostLines = 400

// tool draws a call and its result; folded in one line.
func (r *renderer) tool(it *inspect.Item, open bool) []string {
	mark, tone := "✓", paint.Success
	result := (*inspect.Result)(nil)
	if it.Tool != nil {
		result = it.Tool.Result
	}
	switch {
	case result == nil:
		mark, tone = "…", paint.Warning
	case result.IsError:
		mark, tone = "✗", paint.Error
	}
	name, about := string(it.Name), ""
	if it.Tool != nil {
		about = termsafe.Fit(toolcall.Line(string(it.Name), it.Tool.Arguments, func(path string) string { return humanize.Path(r.home, path) }), 200)
	}
	head := []paint.Span{{Tone: tone, Text: mark + " "}, {Tone: paint.Code, Text: name}, {Tone: paint.Muted, Text: " " + about}}
	if result != nil && !open {
		head = append(head, paint.Span{Tone: paint.Dim, Text: "  " + sizeOf(result)})
	}
	lines := r.labels(it, head...)
	if !open {
		if result != nil && result.IsError {
			lines = append(lines, r.line(paint.Error, "  "+firstLine(string(result.Text))))
		}
		return lines
	}
	if it.Tool != nil {
		if changes := r.changes(it.Tool.Arguments); len(changes) > 0 {
			lines = append(lines, changes...)
		} else {
			lines = append(lines, r.arguments(it.Tool.Arguments, about)...)
		}
	}
	if result != nil {
		lines = append(lines, r.output(string(result.Text), languageOf(it))...)
		for i := range result.Images {
			lines = append(lines, r.line(paint.Dim, "  "+result.Images[i].String()))
		}
	}
	return lines
}

// sizeOf returns a description of the size of a tool result.
func sizeOf(r *inspect.Result) string {
	switch n := len(r.Images); {
	case n == 1:
		return r.Images[0].String()
	case n > 1:
		return fmt.Sprintf("%d images", n)
	}
	return size(string(r.Text))
}

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
func (r *renderer) arguments(raw json.RawMessage, shown string) []string {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil || len(args) == 0 {
		return nil
	}
	var lines []string
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() { // in their original order
		key, err := dec.Token()
		if err != nil {
			return lines
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return lines
		}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil {
			text = s
		}
		if text == shown {
			continue
		}
		if language := languageIn(raw); key == "content" && language != "" {
			lines = append(lines, r.output(text, language)...)
			continue
		}
		lines = append(lines, r.indented(paint.Muted, fmt.Sprintf("%v: %s", key, text), 40)...)
	}
	return lines
}

// languageOf returns the language of the text that a call returns, or "" if it
// is unknown.
func languageOf(it *inspect.Item) string {
	switch {
	case it.Name == "edit":
		return syntax.Changes
	case it.Name == "read" && it.Tool != nil && !it.Tool.Result.IsError:
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
func (r *renderer) output(text, language string) []string {
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

// rows draws a line of output, indented, and wrapped or cut at the edge.
func (r *renderer) rows(spans []paint.Span) []string {
	indent := paint.Span{Text: "  "}
	if r.cut || paint.Width(spans) <= r.width-2 {
		return []string{r.theme.Line(r.width, append([]paint.Span{indent}, spans...)...)}
	}
	var lines []string
	for _, row := range paint.Wrap(spans, max(1, r.width-2)) {
		lines = append(lines, r.theme.Line(r.width, append([]paint.Span{indent}, row...)...))
	}
	return lines
}

// shortened returns the first lines of an output, with the number of the
// others.
func (r *renderer) shortened(lines []string) []string {
	more := len(lines) - mostLines
	if r.whole || more <= 0 {
		return lines
	}
	return append(lines[:mostLines:mostLines], r.line(paint.Dim, fmt.Sprintf("  … %d more lines", more)))
}

// indented draws at most most lines of a text, indented.
func (r *renderer) indented(tone paint.Tone, text string, most int) []string {
	rows := r.wrapTo(max(1, r.width-2), tone, text)
	if len(rows) > most {
		rows = append(rows[:most:most], r.line(paint.Dim, fmt.Sprintf("… %d more lines", len(rows)-most)))
	}
	for i := range rows {
		rows[i] = "  " + rows[i]
	}
	if r.width <= 2 {
		return nil
	}
	return rows
}

// shell draws a command that the user ran.
func (r *renderer) shell(it *inspect.Item, open bool) []string {
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

// A change is a text that a tool replaces by another. Programs use different
// names for both.
type change struct {
	OldText   *string `json:"oldText"`
	NewText   *string `json:"newText"`
	OldString *string `json:"old_string"`
	NewString *string `json:"new_string"`
}

// texts returns the old and the new text; ok is false if it is not a change.
func (c *change) texts() (old, now string, ok bool) {
	switch {
	case c.OldText != nil && c.NewText != nil:
		return *c.OldText, *c.NewText, true
	case c.OldString != nil && c.NewString != nil:
		return *c.OldString, *c.NewString, true
	}
	return "", "", false
}

// changes draws the arguments of a call that changes a file: removed lines in
// one color, added lines in another. It returns nil for other calls.
func (r *renderer) changes(raw json.RawMessage) []string {
	var args struct {
		change
		Edits []change `json:"edits"`
	}
	if json.Unmarshal(raw, &args) != nil {
		return nil
	}
	var lines []string
	for _, c := range append([]change{args.change}, args.Edits...) {
		old, now, ok := c.texts()
		if !ok {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, r.line(paint.Dim, "  ⋯"))
		}
		lines = append(lines, r.replacement(old, now)...)
	}
	return r.shortened(lines)
}

// replacement draws one change. Common lines at the start and the end are
// unchanged.
func (r *renderer) replacement(old, now string) []string {
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
	add("  ", paint.Muted, a[:head])
	add("- ", paint.Removed, a[head:len(a)-tail])
	add("+ ", paint.Added, b[head:len(b)-tail])
	add("  ", paint.Muted, a[len(a)-tail:])
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
