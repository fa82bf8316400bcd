package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// columns of every table. Figures stand in those between by and goal.
var columns = []string{"what", "by", "median", "min", "max", "pi/pith", "CPU", "CPU pi/pith", "goal"}

// cells are the lines of a section's table: one for each figure, the title and
// the goal on the first of a row.
func (m measured) cells() [][]string {
	var out [][]string
	for _, r := range m.Rows {
		for i, f := range r.Figures {
			title, goal := "", ""
			if i == 0 {
				title, goal = r.Title, goalText(r)
			}
			line := append([]string{title, f.By}, f.cells(r.Unit)...)
			out = append(out, append(line, goal))
		}
	}
	return out
}

func (f figure) cells(u unit) []string {
	if f.Failed != "" {
		return []string{"failed", "", "", "", "", ""}
	}
	known := func(amount float64, text func(float64) string) string {
		if amount == 0 {
			return ""
		}
		return text(amount)
	}
	return []string{
		u.text(f.Median), u.text(f.Min), u.text(f.Max), known(f.Ratio, ratioText),
		known(f.CPU, secondsUnit.text), known(f.CPURatio, ratioText),
	}
}

func goalText(r measuredRow) string {
	switch {
	case r.Goal == "":
		return ""
	case r.Measured == "":
		return fmt.Sprintf("%s: %s", r.Goal, r.Verdict)
	}
	return fmt.Sprintf("%s: %s (%s)", r.Goal, r.Verdict, r.Measured)
}

// failures are the reasons behind the word "failed" in a section's table, each
// once.
func (m measured) failures() []string {
	var out []string
	for _, r := range m.Rows {
		for _, f := range r.Figures {
			line := fmt.Sprintf("%s failed: %s", f.By, firstWords(f.Failed, 160))
			if f.Failed != "" && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}

func firstWords(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit]) + "…"
	}
	return s
}

func printText(w io.Writer, r *report) error {
	var b strings.Builder
	for _, line := range r.preamble() {
		fmt.Fprintln(&b, line)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n%s\n", s.Title)
		writeAligned(&b, append([][]string{columns}, s.cells()...))
		for _, line := range s.remarks() {
			fmt.Fprintln(&b, line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// remarks stand below a section's table.
func (m measured) remarks() []string {
	var out []string
	if m.Note != "" {
		out = append(out, m.Note)
	}
	return append(out, m.failures()...)
}

// writeAligned pads every column to its widest cell; numbers go to the right.
func writeAligned(b *strings.Builder, lines [][]string) {
	widths := make([]int, len(columns))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var text strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if numeric(i) {
				text.WriteString(pad + cell + "  ")
			} else {
				text.WriteString(cell + pad + "  ")
			}
		}
		fmt.Fprintln(b, "  "+strings.TrimRight(text.String(), " "))
	}
}

// numeric reports whether a column holds numbers.
func numeric(column int) bool { return column >= 2 && column < len(columns)-1 }

func printMarkdown(w io.Writer, r *report) error {
	var b strings.Builder
	for _, line := range r.preamble() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n### %s\n\n", s.Title)
		writeMarkdownLine(&b, columns)
		rule := make([]string, len(columns))
		for i := range rule {
			rule[i] = "---"
			if numeric(i) {
				rule[i] = "---:"
			}
		}
		writeMarkdownLine(&b, rule)
		for _, line := range s.cells() {
			writeMarkdownLine(&b, line)
		}
		for _, line := range s.remarks() {
			fmt.Fprintf(&b, "\n%s\n", strings.ReplaceAll(line, "<", "&lt;"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMarkdownLine(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}
