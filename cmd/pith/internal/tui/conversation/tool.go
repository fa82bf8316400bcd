package conversation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// mostOutput is how many lines of a tool's output are shown, unfolded.
const mostOutput = 400

// tool draws a call and its result: folded in one line.
func (m *Model) tool(it *inspect.Item, open bool) []string {
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
		about = argument(it.Tool.Arguments, m.o.Home)
	}
	head := []paint.Span{{Tone: tone, Text: mark + " "}, {Tone: paint.Code, Text: name}, {Tone: paint.Muted, Text: " " + about}}
	if result != nil && !open {
		head = append(head, paint.Span{Tone: paint.Dim, Text: "  " + sizeOf(result)})
	}
	lines := m.labels(it, head...)
	if !open {
		if result != nil && result.IsError {
			lines = append(lines, m.line(paint.Error, "  "+firstLine(string(result.Text))))
		}
		return lines
	}
	if it.Tool != nil {
		if changes := m.changes(it.Tool.Arguments); len(changes) > 0 {
			lines = append(lines, changes...)
		} else {
			lines = append(lines, m.arguments(it.Tool.Arguments, about)...)
		}
	}
	if result != nil {
		lines = append(lines, m.output(string(result.Text), it.Name == "edit")...)
		for i := range result.Images {
			lines = append(lines, m.line(paint.Dim, "  "+result.Images[i].String()))
		}
	}
	return lines
}

// argument is the one argument of a call that tells most, on one line.
func argument(raw json.RawMessage, home string) string {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil {
		return termsafe.Fit(string(raw), 200)
	}
	for _, name := range []string{"command", "path", "file_path", "pattern", "query", "url", "agent", "task", "description"} {
		var text string
		if json.Unmarshal(args[name], &text) == nil && text != "" {
			return termsafe.Fit(humanize.Path(home, text), 200)
		}
	}
	if len(args) == 0 {
		return ""
	}
	return termsafe.Fit(string(raw), 80)
}

// sizeOf tells how much a tool returned.
func sizeOf(r *inspect.Result) string {
	switch n := len(r.Images); {
	case n == 1:
		return r.Images[0].String()
	case n > 1:
		return fmt.Sprintf("%d images", n)
	}
	return size(string(r.Text))
}

// size tells how long an output is.
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

// arguments draws those of a call that its head does not tell.
func (m *Model) arguments(raw json.RawMessage, told string) []string {
	var args map[string]json.RawMessage
	if json.Unmarshal(raw, &args) != nil || len(args) == 0 {
		return nil
	}
	var lines []string
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() { // in the order in which they were written
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
		if text == told {
			continue
		}
		lines = append(lines, m.indented(paint.Muted, fmt.Sprintf("%v: %s", key, text), 40)...)
	}
	return lines
}

// output draws what a tool printed; what looks like a change is coloured.
func (m *Model) output(text string, change bool) []string {
	if text == "" {
		return nil
	}
	change = change || strings.HasPrefix(text, "diff ") || strings.HasPrefix(text, "--- ")
	rows := strings.Split(strings.TrimRight(termsafe.Text(text), "\n"), "\n")
	cut := 0
	if len(rows) > mostOutput {
		cut = len(rows) - mostOutput
		rows = rows[:mostOutput]
	}
	lines := make([]string, 0, len(rows)+1)
	for _, row := range rows {
		tone := paint.Plain
		switch {
		case change && strings.HasPrefix(strings.TrimLeft(row, " "), "+"):
			tone = paint.Added
		case change && strings.HasPrefix(strings.TrimLeft(row, " "), "-"):
			tone = paint.Removed
		}
		lines = append(lines, m.theme.Line(m.textWidth(), paint.Span{Text: "  "}, paint.Span{Tone: tone, Text: row}))
	}
	if cut > 0 {
		lines = append(lines, m.line(paint.Dim, fmt.Sprintf("  … %d more lines", cut)))
	}
	return lines
}

// indented draws at most so many lines of a text, set in.
func (m *Model) indented(tone paint.Tone, text string, most int) []string {
	rows := plainLines(m.theme, tone, text, max(1, m.textWidth()-2))
	if len(rows) > most {
		rows = append(rows[:most:most], m.line(paint.Dim, fmt.Sprintf("… %d more lines", len(rows)-most)))
	}
	for i := range rows {
		rows[i] = "  " + rows[i]
	}
	if m.textWidth() <= 2 {
		return nil
	}
	return rows
}

// shell draws a command that the user ran.
func (m *Model) shell(it *inspect.Item, open bool) []string {
	command, tone := "", paint.Success
	if it.Bash != nil {
		command = string(it.Bash.Command)
		if it.Bash.Cancelled || it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0 {
			tone = paint.Error
		}
	}
	lines := m.labels(it, paint.Span{Tone: tone, Text: "$ "}, paint.Span{Tone: paint.Code, Text: command},
		paint.Span{Tone: paint.Dim, Text: "  " + size(string(it.Text))})
	if open {
		lines = append(lines, m.output(string(it.Text), false)...)
	}
	return lines
}
