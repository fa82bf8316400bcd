package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A page lays a digest out as a summary, within its limits. What matters most to
// going on takes its room first; the course of the work gets what is left.
type page struct {
	*digest
	room  int64           // tokens for what the conversation says
	own   int64           // what the sections have shares of
	carry int64           // tokens for what an earlier summary said
	said  map[string]bool // lines that stand on the page
}

// headings is how many tokens the headings take, and the lines that say "(none)".
const headings = 160

func newPage(d *digest, most int64) *page {
	return &page{digest: d, room: most - headings, own: (most - headings) * 2 / 3, carry: most, said: map[string]bool{}}
}

// fit takes the lines that fit, the first ones first, and each thing once. If not
// even one fits, the first is shortened. The room that they take is gone; share
// is how much of it they may take.
func (p *page) fit(room *int64, share int64, lines []string) (out []string) {
	const marks, least = 3, 24 // tokens around a line, and for a beginning that says something
	share = min(share, *room)
	for _, line := range lines {
		n := tokens(line) + marks
		if n > share && len(out) == 0 && share >= least {
			for limit := int64(length(line)) * share / n; limit > 8 && n > share; limit = limit * 7 / 8 {
				line = clip(line, int(limit))
				n = tokens(line) + marks
			}
		}
		key := sameness(line)
		if key == "" || p.said[key] || n > share {
			continue
		}
		p.said[key] = true
		share -= n
		*room -= n
		out = append(out, line)
	}
	return out
}

// latest is fit for lines of which the last matter most.
func (p *page) latest(room *int64, share int64, lines []string) []string {
	lines = slices.Clone(lines)
	slices.Reverse(lines)
	out := p.fit(room, share, lines)
	slices.Reverse(out)
	return out
}

// Marks of lines that are true of a moment.
const (
	plannedMark = "(planned earlier, perhaps done) "
	askedMark   = "The assistant asked last: "
	lastMark    = "The assistant said last: "
	earlierMark = "Earlier: "
)

// before are lines of an earlier summary, the last ones first. Lines that were true
// of a moment are not taken over a second time.
func (p *page) before(share int64, of part) []string {
	lines := slices.DeleteFunc(slices.Clone(p.earlier.items(of)), func(line string) bool {
		return strings.HasPrefix(line, lastMark) || strings.HasPrefix(line, askedMark) || strings.HasPrefix(line, plannedMark)
	})
	return p.latest(&p.carry, share, lines)
}

// history is the summary of a conversation, or of a branch that was left, which
// has no section of facts.
func (p *page) history(branch bool) string {
	goal := p.goals()
	var doing []string
	if n := len(p.turns); n > 0 && p.turns[n-1].open() {
		doing = p.fit(&p.room, p.own/8, []string{cmp.Or(p.turns[n-1].line(240), oneLine(p.turns[n-1].request, 240))})
	}
	blocked := p.latest(&p.room, p.own/10, p.failures())
	next := p.nextSteps()
	wishes := append(p.before(p.carry/4, wishPart), p.latest(&p.room, p.own/8, p.demands)...)
	choices := append(p.before(p.carry/4, choicePart), p.latest(&p.room, p.own/5, p.choices)...)
	facts, about := p.facts(), p.aboutFocus()
	facts = append(facts, p.before(p.carry/4, contextPart)...)
	more := p.moreSections()

	text := "## Goal\n" + bullets("- ", goal) +
		"\n## Constraints & Preferences\n" + bullets("- ", wishes) +
		"\n## Progress\n### Done\n" + bullets("- [x] ", p.course()) +
		"\n### In Progress\n" + bullets("- [ ] ", doing) +
		"\n### Blocked\n" + bullets("- ", blocked) +
		"\n## Key Decisions\n" + bullets("- ", choices) +
		"\n## Next Steps\n" + bullets("", next)
	if !branch {
		text += "\n## Critical Context\n" + bullets("- ", facts) + more
	}
	return strings.TrimSpace(text + about)
}

// turnPrefix is the summary of the beginning of a turn.
func (p *page) turnPrefix() string {
	t := p.turn()
	request := p.fit(&p.room, p.own*2/5, append(slices.Clone(p.earlier.items(goalPart)), clip(t.request, 1600)))
	facts := append(p.latest(&p.room, p.own/10, p.failures()), p.facts()...)
	facts = append(facts, p.before(p.carry/4, contextPart)...)
	open := p.fit(&p.room, p.own/8, p.work.todo)
	about := p.aboutFocus()
	steps := p.before(p.carry/2, donePart)
	if len(t.changed) > 0 {
		steps = append(steps, p.fit(&p.room, p.own/6, []string{"Changed " + strings.Join(t.changed, ", ")})...)
	}
	if len(t.ran) > 0 {
		steps = append(steps, p.fit(&p.room, p.own/6, []string{"Ran " + strings.Join(t.ran, ", ")})...)
	}
	steps = append(steps, p.latest(&p.room, p.room, t.steps)...)

	original := "(none)\n"
	if len(request) > 0 { // in quotation, so that headings in it are none of the summary
		original = "> " + strings.ReplaceAll(strings.Join(request, "\n"), "\n", "\n> ") + "\n"
	}
	return strings.TrimSpace("## Original Request\n" + original +
		"\n## Progress So Far\n" + bullets("- ", steps) +
		"\n## Context Needed to Continue\n" + bullets("- ", append(open, facts...)) + about)
}

// leastRequest is how long a request is that asks for something, and does not
// greet, agree or name a command.
const leastRequest = 11

// goals are the first request, or what an earlier summary gives as goals, and the
// requests that were made last.
func (p *page) goals() (lines []string) {
	if before := p.earlier.items(goalPart); len(before) > 0 {
		lines = append(p.fit(&p.carry, p.carry/6, before[:1]), p.latest(&p.carry, p.carry/8, before[1:])...)
	}
	var asked []string
	for i, t := range p.turns {
		if length(t.request) >= leastRequest || i == len(p.turns)-1 && len(asked) == 0 {
			asked = append(asked, t.request)
		}
	}
	if len(lines) == 0 && len(asked) > 0 {
		lines = p.fit(&p.room, p.own/4, []string{oneLine(asked[0], 600)})
		asked = asked[1:]
	}
	asked = slices.Clone(asked[max(0, len(asked)-3):])
	for i, request := range asked {
		asked[i] = oneLine(request, 240)
	}
	return append(lines, p.latest(&p.room, p.own/6, asked)...)
}

// failures are what failed in the last two turns and did not work later.
func (p *page) failures() (lines []string) {
	for _, d := range p.work.deeds {
		if d.outcome == failed && d.turn >= p.turn().number-1 {
			lines = append(lines, d.failure())
		}
	}
	return lines
}

// nextSteps are open tasks and the question that stands open. Those of an earlier
// summary come last, once, if little was done since.
func (p *page) nextSteps() []string {
	lines := slices.Clone(p.work.todo)
	if question := lastQuestion(p.digest.said); question != "" {
		lines = append(lines, askedMark+oneLine(question, 200))
	}
	lines = p.fit(&p.room, p.own/8, lines)
	if len(p.turns) <= 5 {
		for _, line := range p.before(p.carry/6, nextPart) {
			lines = append(lines, plannedMark+line)
		}
	}
	for i := range lines {
		lines[i] = fmt.Sprintf("%d. %s", i+1, lines[i])
	}
	return lines
}

// facts are what the work depends on: what was said last, commands that were run
// and files that were changed again and again.
func (p *page) facts() (lines []string) {
	if words := prose(p.told, 480); words != "" {
		lines = append(lines, lastMark+words)
	}
	often := slices.Clone(p.work.deeds)
	slices.Reverse(often) // of those that were done as often, the latest
	slices.SortStableFunc(often, func(a, b deed) int { return cmp.Compare(b.times, a.times) })
	var commands, files []string
	for _, d := range often {
		switch {
		case d.times < 2 || strings.HasPrefix(d.name, "git "):
		case d.file == "" && len(commands) < 5:
			commands = append(commands, fmt.Sprintf("`%s` (%d times, the last one %s)", clip(d.name, 100), d.times, d.outcome))
		case d.file != "" && len(files) < 5:
			files = append(files, fmt.Sprintf("%s (%d changes)", oneLine(d.file, 200), d.times))
		}
	}
	if len(commands) > 0 {
		lines = append(lines, "Commands: "+strings.Join(commands, "; "))
	}
	if len(files) > 0 {
		lines = append(lines, "Most work went into: "+strings.Join(files, ", "))
	}
	return p.fit(&p.room, p.own*2/7, append(lines, p.other...))
}

// course is the course of the work: what an earlier summary tells of it, and the
// turns that matter most, in their order.
func (p *page) course() []string {
	before := p.earlier.items(donePart)
	lines := p.latest(&p.carry, p.carry, before)
	left := p.left + len(before) - len(lines)
	if p.earlier != nil {
		left += p.earlier.left
	}
	var told []string
	var order []int // of what is told, what matters most first
	for i := range p.turns {
		limit := 80
		if i >= len(p.turns)-8 {
			limit = 120
		}
		told = append(told, p.turns[i].line(limit))
		if told[i] != "" && !(i == len(p.turns)-1 && p.turns[i].open()) { // the open one is in progress
			order = append(order, i)
		}
	}
	left += len(order)
	weight := func(i int) int { return p.turns[i].weight() + 6*(i+1)/len(p.turns) }
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	order = slices.DeleteFunc(order, func(i int) bool { return len(p.fit(&p.room, p.room, told[i:i+1])) == 0 })
	if left -= len(order); left > 0 {
		lines = append([]string{fmt.Sprintf(leftFormat, left)}, lines...)
	}
	slices.Sort(order)
	for _, i := range order {
		lines = append(lines, told[i])
	}
	return lines
}

// aboutFocus is the section about what the user asked a summary to mind.
func (p *page) aboutFocus() string {
	lines := p.before(p.carry/8, focusPart)
	if p.asked != "" {
		lines = append(lines, p.fit(&p.room, p.own/8, append([]string{"The user asked to mind: " + oneLine(p.asked, 400)}, p.minded...))...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n## Additional Focus\n" + bullets("- ", lines)
}

// moreSections are sections of an earlier summary that have names of their own,
// as they are.
func (p *page) moreSections() (text string) {
	if p.earlier == nil {
		return ""
	}
	for _, s := range p.earlier.more {
		body := strings.TrimSpace(strings.Join(s.lines, "\n"))
		if s.title != "" {
			body = "### " + earlierMark + strings.TrimPrefix(s.title, earlierMark) + "\n" + body
		}
		if n := tokens(body) + 4; len(s.lines) > 0 && n <= p.carry {
			p.carry -= n
			text += "\n" + body + "\n"
		}
	}
	return text
}

// bullets is a list; "(none)" for an empty one.
func bullets(mark string, lines []string) string {
	if len(lines) == 0 {
		return "(none)\n"
	}
	return mark + strings.Join(lines, "\n"+mark) + "\n"
}
