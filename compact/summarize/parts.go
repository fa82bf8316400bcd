package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// goals are the first request, what an earlier summary gives as goals, and the
// greatest requests of late.
func (p *page) goals(own int64) []string {
	before := p.earlier.items(goalPart)
	var lines []string
	if len(before) > 0 {
		lines = p.fit(&p.carry, p.carry/6, before[:1])
		lines = append(lines, p.latest(&p.carry, p.carry/8, before[1:])...)
	}
	first := -1
	if len(lines) == 0 {
		if first = firstRequest(p.turns); first >= 0 {
			lines = p.fit(&p.room, own/5, []string{oneLine(p.turns[first].request, 600)})
		}
	}
	var asked []string
	for i, t := range p.turns {
		n := utf8.RuneCountInString(t.request)
		switch {
		case i == first:
		case n >= 120, n >= 40 && wide(t.request):
			asked = append(asked, oneLine(t.request, 240))
		}
	}
	lines = append(lines, p.latest(&p.room, own/8, asked[max(0, len(asked)-3):])...)
	for _, line := range lines {
		p.goal = append(p.goal, sameness(line))
	}
	return lines
}

// wishLines are conditions: the earlier ones first.
func (p *page) wishLines(own int64) []string {
	lines := p.latest(&p.carry, p.carry/4, p.earlier.items(wishPart))
	demands := p.unlessGoal(p.demands.all())
	lines = append(lines, p.fit(&p.room, own/16, demands)...)
	lines = append(lines, p.latest(&p.room, own/10, demands)...)
	return append(lines, p.latest(&p.room, own/16, p.unlessGoal(p.hints.all()))...)
}

// unlessGoal are the lines that no goal says already.
func (p *page) unlessGoal(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		key := sameness(line)
		return slices.ContainsFunc(p.goal, func(goal string) bool { return strings.Contains(goal, key) })
	})
}

// doing is the last turn, if it did not come to its end.
func (p *page) doing(own int64) []string {
	if len(p.turns) == 0 {
		return nil
	}
	t := &p.turns[len(p.turns)-1]
	if !t.open() {
		return nil
	}
	line := t.line(240)
	if line == "" {
		line = oneLine(t.request, 240)
	}
	return p.fit(&p.room, own/8, []string{line})
}

// blocked are the problems of the last turns that were not solved.
func (p *page) blocked(own int64) []string {
	var lines []string
	for i := range p.work.problems {
		if pr := &p.work.problems[i]; !pr.resolved && p.recent(pr) {
			lines = append(lines, pr.line())
		}
	}
	return p.latest(&p.room, own/10, lines)
}

// recent reports whether a problem arose in one of the last two turns.
func (p *page) recent(pr *problem) bool {
	return len(p.turns) > 0 && pr.turn >= p.turns[len(p.turns)-1].number-1
}

// choiceLines are decisions: the user's go before the assistant's.
func (p *page) choiceLines(own int64) []string {
	lines := p.latest(&p.carry, p.carry/4, p.earlier.items(choicePart))
	users := p.latest(&p.room, own/10, p.choices.users.all())
	lines = append(append(lines, users...), p.latest(&p.room, own/8, p.choices.assistants.all())...)
	if len(lines) < 3 {
		lines = append(lines, p.latest(&p.room, own/16, p.choices.named.all())...)
	}
	return lines
}

// nextSteps are open tasks, announced steps, and the question that stands open.
// Those of an earlier summary come last, once.
func (p *page) nextSteps(own int64) []string {
	var lines []string
	if len(p.turns) > 0 {
		if t := &p.turns[len(p.turns)-1]; t.open() {
			lines = append(lines, "Finish the last request: "+oneLine(t.request, 200))
		}
	}
	lines = append(lines, p.openTasks()...)
	lines = append(lines, p.plan.announced()...)
	if question := lastQuestion(p.digest.said); question != "" {
		lines = append(lines, askedMark+oneLine(question, 200))
	}
	out := p.fit(&p.room, own/8, lines)
	return append(out, p.plannedBefore()...)
}

// plannedBefore are the next steps of an earlier summary. After much work they are
// most likely done, or no longer wanted.
func (p *page) plannedBefore() []string {
	if len(p.turns) > 5 {
		return nil
	}
	var lines []string
	for _, line := range p.earlier.items(nextPart) {
		if !strings.HasPrefix(line, plannedMark) && !strings.HasPrefix(line, askedMark) {
			lines = append(lines, plannedMark+line)
		}
	}
	return p.fit(&p.carry, p.carry/6, lines)
}

// What begins lines that are not taken over a second time.
const (
	plannedMark = "(planned earlier, perhaps done) "
	askedMark   = "The assistant asked last: "
	lastMark    = "The assistant said last: "
	earlierMark = "Earlier: "
)

func (p *page) openTasks() []string {
	open := p.plan.open()
	lines := open[:min(len(open), 8)]
	if rest := len(open) - len(lines); rest > 0 {
		lines = append(slices.Clone(lines), fmt.Sprintf("%d more open tasks", rest))
	}
	return lines
}

// doneLines is the course of the work: what an earlier summary tells of it, and
// the turns that matter most, in their order.
func (p *page) doneLines() []string {
	before := p.earlier.items(donePart)
	lines := p.latest(&p.carry, p.carry, before)
	left := p.left + len(before) - len(lines)
	if p.earlier != nil {
		left += p.earlier.left
	}
	told, skipped := p.course()
	if left += skipped; left > 0 {
		lines = append([]string{leftLine(left)}, lines...)
	}
	return append(lines, told...)
}

// course are the turns that there is room for, and how many there is none for.
func (p *page) course() (lines []string, skipped int) {
	type entry struct {
		line          string
		weight, order int
	}
	var all []entry
	for i := range p.turns {
		t := &p.turns[i]
		if i == len(p.turns)-1 && t.open() {
			continue // it is in progress
		}
		limit := 70
		if i >= len(p.turns)-8 {
			limit = 110
		}
		if line := t.line(limit); line != "" {
			recency := 4 * (i + 1) / len(p.turns)
			all = append(all, entry{line, t.weight() + recency, i})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.order, a.order)) })
	var kept []entry
	for _, e := range all {
		if len(p.fit(&p.room, p.room, []string{e.line})) > 0 {
			kept = append(kept, e)
		}
	}
	slices.SortFunc(kept, func(a, b entry) int { return cmp.Compare(a.order, b.order) })
	for _, e := range kept {
		lines = append(lines, e.line)
	}
	return lines, len(all) - len(kept)
}

// focusLines is the section about what the user asked a summary to mind.
func (p *page) focusLines(own int64) string {
	lines := p.fit(&p.carry, p.carry/8, p.earlier.items(focusPart))
	if p.focus.asked != "" {
		lines = append(lines, p.fit(&p.room, own/8, append([]string{"The user asked to mind: " + oneLine(p.focus.asked, 400)}, p.focus.lines()...))...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n## Additional Focus\n" + bullets("- ", lines)
}

// moreSections are sections of an earlier summary that have names of their own,
// as they are.
func (p *page) moreSections() string {
	if p.earlier == nil {
		return ""
	}
	var b strings.Builder
	for _, s := range p.earlier.more {
		body := strings.TrimSpace(strings.Join(s.lines, "\n"))
		n := tokens(body) + tokens(s.title) + 4
		if body == "" || n > p.carry {
			continue
		}
		p.carry -= n
		if s.title != "" {
			b.WriteString("\n### " + earlierMark + strings.TrimPrefix(s.title, earlierMark))
		}
		b.WriteString("\n" + body + "\n")
	}
	return b.String()
}
