package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A page formats a digest as a summary, within its limits. The most important
// parts get room first; the course of the work gets the rest.
type page struct {
	*digest
	room    int64           // tokens left for the conversation
	own     int64           // tokens that sections have shares of
	carry   int64           // tokens left for an earlier summary
	written map[string]bool // lines already on the page
}

// headings is the number of tokens of the headings and of the lines "(none)".
const headings = 160

// fit returns the lines that fit, in order and without duplicates. If not even
// one fits, it truncates the first. It subtracts their tokens from room, at
// most share.
func (p *page) fit(room *int64, share int64, lines []string) (out []string) {
	const marks, least = 3, 24 // tokens around a line, and minimum for a useful excerpt
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
		if key == "" || p.written[key] || n > share {
			continue
		}
		p.written[key] = true
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

// Marks of lines that describe one moment.
const (
	plannedMark = "(planned earlier, perhaps done) "
	askedMark   = "The assistant's last question: "
	lastMark    = "The assistant's last message: "
	earlierMark = "Earlier: "
)

// before returns lines of an earlier summary, preferring the last. Lines that
// describe one moment are not carried over a second time.
func (p *page) before(share int64, of part) []string {
	lines := slices.DeleteFunc(slices.Clone(p.earlier.items(of)), func(line string) bool {
		return strings.HasPrefix(line, lastMark) || strings.HasPrefix(line, askedMark) || strings.HasPrefix(line, plannedMark)
	})
	return p.latest(&p.carry, share, lines)
}

// history returns the summary of a conversation, or of an abandoned branch,
// which has no section of facts.
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

// turnPrefix returns the summary of the start of a turn.
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
	if len(request) > 0 { // quoted, so that its headings are not the summary's
		original = "> " + strings.ReplaceAll(strings.Join(request, "\n"), "\n", "\n> ") + "\n"
	}
	return strings.TrimSpace("## Original Request\n" + original +
		"\n## Progress So Far\n" + bullets("- ", steps) +
		"\n## Context Needed to Continue\n" + bullets("- ", append(open, facts...)) + about)
}

// leastRequest is the minimum length of a request that asks for something,
// rather than greets, agrees or names a command.
const leastRequest = 11

// goals returns the first request, or the goals of an earlier summary, and the
// latest requests.
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

// failures returns actions that failed in the last two turns and did not
// succeed later.
func (p *page) failures() (lines []string) {
	for _, d := range p.work.deeds {
		if d.outcome == failed && d.turn >= p.turn().number-1 {
			lines = append(lines, d.failure())
		}
	}
	return lines
}

// nextSteps returns open tasks and the open question. Those of an earlier
// summary come last, once, if little was done since.
func (p *page) nextSteps() []string {
	lines := slices.Clone(p.work.todo)
	if question := lastQuestion(p.digest.lastResponse); question != "" {
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

// facts returns the facts that the work depends on: the last text of the
// assistant, frequent commands and frequently changed files.
func (p *page) facts() (lines []string) {
	if words := prose(p.lastText, 480); words != "" {
		lines = append(lines, lastMark+words)
	}
	often := slices.Clone(p.work.deeds)
	slices.Reverse(often) // prefer the latest of equally frequent ones
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

// course returns the course of the work: that of an earlier summary, and the
// most important turns in order.
func (p *page) course() []string {
	before := p.earlier.items(donePart)
	lines := p.latest(&p.carry, p.carry, before)
	left := p.left + len(before) - len(lines)
	if p.earlier != nil {
		left += p.earlier.left
	}
	var turnLines []string
	var order []int // indices into turnLines, most important first
	for i := range p.turns {
		limit := 80
		if i >= len(p.turns)-8 {
			limit = 120
		}
		turnLines = append(turnLines, p.turns[i].line(limit))
		if turnLines[i] != "" && !(i == len(p.turns)-1 && p.turns[i].open()) { // the open turn is in progress
			order = append(order, i)
		}
	}
	left += len(order)
	weight := func(i int) int { return p.turns[i].weight() + 6*(i+1)/len(p.turns) }
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	order = slices.DeleteFunc(order, func(i int) bool { return len(p.fit(&p.room, p.room, turnLines[i:i+1])) == 0 })
	if left -= len(order); left > 0 {
		lines = append([]string{fmt.Sprintf(leftFormat, left)}, lines...)
	}
	slices.Sort(order)
	for _, i := range order {
		lines = append(lines, turnLines[i])
	}
	return lines
}

func (p *page) aboutFocus() string {
	lines := p.before(p.carry/8, focusPart)
	if p.asked != "" {
		lines = append(lines, p.fit(&p.room, p.own/8, append([]string{"The user asked to remember: " + oneLine(p.asked, 400)}, p.minded...))...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n## Additional Focus\n" + bullets("- ", lines)
}

// moreSections returns the custom sections of an earlier summary unchanged.
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

// bullets returns a list, or "(none)" if it is empty.
func bullets(mark string, lines []string) string {
	if len(lines) == 0 {
		return "(none)\n"
	}
	return mark + strings.Join(lines, "\n"+mark) + "\n"
}
