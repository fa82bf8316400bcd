package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// facts are what the work depends on.
func (p *page) facts(own int64) []string {
	lines := p.lastWords()
	lines = append(lines, p.commandFacts()...)
	lines = append(lines, p.fileFacts()...)
	lines = append(lines, p.problemFacts()...)
	lines = append(lines, p.other.all()...)
	return p.fit(&p.room, own*2/7, lines)
}

func (p *page) lastWords() []string {
	if words := prose(p.told, 480); words != "" {
		return []string{lastMark + words}
	}
	return nil
}

// commandFacts are the commands that were run again and again, and how they ended
// the last time.
func (p *page) commandFacts() []string {
	var parts []string
	for _, c := range p.work.ranked() {
		if c.runs < 2 || strings.HasPrefix(c.line, "git ") || len(parts) == 5 {
			continue
		}
		outcome := "passed"
		if c.failed {
			outcome = "failed"
		}
		if p.work.blind {
			outcome = "outcome not known"
		}
		parts = append(parts, fmt.Sprintf("`%s` (%d times, the last one %s)", c.line, c.runs, outcome))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"Commands: " + strings.Join(parts, "; ")}
}

// fileFacts are the files that most of the work went into, and those that hold
// lists of tasks.
func (p *page) fileFacts() []string {
	names := make([]string, 0, len(p.work.files))
	for name, n := range p.work.files {
		if n > 1 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.work.files[b], p.work.files[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(len(names), 5)] {
		parts = append(parts, fmt.Sprintf("%s (%d changes)", oneLine(name, 200), p.work.files[name]))
	}
	var lines []string
	if len(parts) > 0 {
		lines = append(lines, "Most work went into: "+strings.Join(parts, ", "))
	}
	if len(p.plan.files) > 0 {
		lines = append(lines, "Lists of tasks are kept in: "+strings.Join(p.plan.files, ", "))
	}
	return lines
}

// problemFacts are problems that are not recent, the unsolved ones first.
func (p *page) problemFacts() []string {
	var open, solved []string
	for i := range p.work.problems {
		switch pr := &p.work.problems[i]; {
		case pr.resolved:
			solved = append(solved, "Failed, then worked: "+pr.line())
		case !p.recent(pr):
			open = append(open, "Failed and was not seen to work later: "+pr.line())
		}
	}
	return append(open[max(0, len(open)-3):], solved[max(0, len(solved)-3):]...)
}

// earlierFacts are those of an earlier summary, but for what was said last then.
func (p *page) earlierFacts() []string {
	lines := slices.DeleteFunc(slices.Clone(p.earlier.items(contextPart)), func(line string) bool { return strings.HasPrefix(line, lastMark) })
	return p.latest(&p.carry, p.carry/4, lines)
}
