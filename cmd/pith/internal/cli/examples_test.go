package cli_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The examples in the help of every command have flags and arguments that there
// are. With --help a command is parsed and not run.
func TestExamplesCanBeRun(t *testing.T) {
	d := desk{}
	ran, names := 0, commandNames(t)
	for _, name := range names {
		_, help, _ := d.run(t, name, "--help")
		_, rest, _ := strings.Cut(help, "\nExamples:\n")
		examples, _, _ := strings.Cut(rest, "\n\n")
		for line := range strings.Lines(examples) {
			for _, args := range pithCalls(line) {
				ran++
				at := min(1, len(args)) // after the name: pith mark takes the arguments after a session for marks
				if code, stdout, stderr := d.run(t, slices.Insert(args, at, "--help")...); code != 0 || !strings.Contains(stdout, "Usage:") {
					t.Errorf("the example %q of pith %s = %d, %s", strings.TrimSpace(line), name, code, stderr)
				}
			}
		}
	}
	if ran < len(names) {
		t.Errorf("%d examples of %d commands", ran, len(names))
	}
}

// pithCalls are the arguments of the calls of pith in a line of a shell.
func pithCalls(line string) (calls [][]string) {
	word := regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s"']+`)
	var now []string
	line = strings.ReplaceAll(line, "$(", "| ") // a call within another ends it, as a pipe does
	for _, w := range append(word.FindAllString(line, -1), "|") {
		switch {
		case slices.Contains([]string{"|", "&&", ">", "<"}, w):
			if len(now) > 0 && strings.TrimPrefix(now[0], "<(") == "pith" {
				calls = append(calls, now[1:])
			}
			now = nil
		case len(now) > 0 || strings.TrimPrefix(w, "<(") == "pith":
			now = append(now, strings.Trim(w, `"')`))
		}
	}
	return calls
}
