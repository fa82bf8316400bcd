package summarize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A page lays a digest out as a summary, within its limits. What matters most to
// going on takes its room first; the course of the work gets what is left.
type page struct {
	*digest
	room  int64           // tokens for what the conversation says
	carry int64           // tokens for what an earlier summary said
	said  map[string]bool // lines that stand on the page
}

// headings is how many tokens the headings take, and the lines that say "(none)".
const headings = 160

func newPage(d *digest, most int64) *page {
	return &page{digest: d, room: most - headings, carry: most, said: map[string]bool{}}
}

// fit takes the lines that fit, the first ones first, and each thing once. If not
// even one fits, the first is shortened. The room that they take is gone; share
// is how much of it they may take.
func (p *page) fit(room *int64, share int64, lines []string) []string {
	const marks, least = 3, 24 // tokens around a line, and for a beginning that says something
	share = min(share, *room)
	var out []string
	for _, line := range lines {
		n := tokens(line) + marks
		if n > share && len(out) == 0 && share >= least {
			for limit := int64(utf8.RuneCountInString(line)) * share / n; limit > 8 && n > share; limit = limit * 7 / 8 {
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

// before are lines of an earlier summary, the last ones first. Lines with a mark
// were about a moment and are not taken over a second time.
func (p *page) before(share int64, of part) []string {
	lines := slices.DeleteFunc(slices.Clone(p.earlier.items(of)), func(line string) bool {
		return strings.HasPrefix(line, lastMark) || strings.HasPrefix(line, askedMark) || strings.HasPrefix(line, plannedMark)
	})
	return p.latest(&p.carry, share, lines)
}

const (
	plannedMark = "(planned earlier, perhaps done) "
	askedMark   = "The assistant asked last: "
	lastMark    = "The assistant said last: "
	earlierMark = "Earlier: "
)

// history is the summary of a conversation, or of a branch that was left, which
// has no section of facts.
func (p *page) history(branch bool) string {
	own := p.room * 2 / 3 // what the sections have shares of
	goal := p.goals(own)
	doing := p.fit(&p.room, own/8, p.doing())
	blocked := p.latest(&p.room, own/10, p.failures(true))
	next := p.nextSteps(own)
	wishes := append(p.before(p.carry/4, wishPart), p.latest(&p.room, own/8, p.demands.all())...)
	choices := append(p.before(p.carry/4, choicePart), p.latest(&p.room, own/5, p.choices.all())...)
	facts := p.facts(own)
	about := p.aboutFocus(own)
	facts = append(facts, p.before(p.carry/4, contextPart)...)
	more := p.moreSections()
	done := p.course()

	var b strings.Builder
	b.WriteString("## Goal\n" + bullets("- ", goal))
	b.WriteString("\n## Constraints & Preferences\n" + bullets("- ", wishes))
	b.WriteString("\n## Progress\n### Done\n" + bullets("- [x] ", done))
	b.WriteString("\n### In Progress\n" + bullets("- [ ] ", doing))
	b.WriteString("\n### Blocked\n" + bullets("- ", blocked))
	b.WriteString("\n## Key Decisions\n" + bullets("- ", choices))
	b.WriteString("\n## Next Steps\n" + numbered(next))
	if !branch {
		b.WriteString("\n## Critical Context\n" + bullets("- ", facts) + more)
	}
	return strings.TrimSpace(b.String() + about)
}

// turnPrefix is the summary of the beginning of a turn.
func (p *page) turnPrefix() string {
	own := p.room * 2 / 3
	t := p.turn()
	request := slices.Clone(p.earlier.items(goalPart))
	if t.request != "" {
		request = append(request, clip(t.request, 1600))
	}
	request = p.fit(&p.room, own*2/5, request)
	facts := append(p.latest(&p.room, own/10, p.failures(true)), p.facts(own)...)
	facts = append(facts, p.before(p.carry/4, contextPart)...)
	open := p.fit(&p.room, own/8, p.work.todo)
	about := p.aboutFocus(own)
	steps := p.before(p.carry/2, donePart)
	if len(t.changed) > 0 {
		steps = append(steps, p.fit(&p.room, own/6, []string{"Changed " + strings.Join(t.changed, ", ")})...)
	}
	if len(t.ran) > 0 {
		steps = append(steps, p.fit(&p.room, own/6, []string{"Ran " + strings.Join(t.ran, ", ")})...)
	}
	steps = append(steps, p.latest(&p.room, p.room, t.steps.all())...)

	original := "(none)\n"
	if len(request) > 0 { // in quotation, so that headings in it are none of the summary
		original = "> " + strings.ReplaceAll(strings.Join(request, "\n"), "\n", "\n> ") + "\n"
	}
	return strings.TrimSpace("## Original Request\n" + original +
		"\n## Progress So Far\n" + bullets("- ", steps) +
		"\n## Context Needed to Continue\n" + bullets("- ", append(open, facts...)) + about)
}

// goals are the first request, what an earlier summary gives as goals, and the
// requests that were made last.
func (p *page) goals(own int64) []string {
	var lines []string
	if before := p.earlier.items(goalPart); len(before) > 0 {
		lines = append(p.fit(&p.carry, p.carry/6, before[:1]), p.latest(&p.carry, p.carry/8, before[1:])...)
	}
	var asked []string
	for _, t := range p.turns {
		if n := utf8.RuneCountInString(t.request); n >= leastRequest || wide(t.request) {
			asked = append(asked, oneLine(t.request, 600))
		}
	}
	if len(asked) == 0 && len(p.turns) > 0 {
		asked = []string{oneLine(p.turns[0].request, 600)}
	}
	if len(asked) == 0 {
		return lines
	}
	if len(lines) == 0 {
		lines = p.fit(&p.room, own/4, asked[:1])
		asked = asked[1:]
	}
	for i, request := range asked {
		asked[i] = oneLine(request, 240)
	}
	return append(lines, p.latest(&p.room, own/6, asked[max(0, len(asked)-3):])...)
}

// leastRequest is how many characters a request has that asks for something, and
// does not greet, agree or name a command.
const leastRequest = 11

// doing is the last turn, if it did not come to its end.
func (p *page) doing() []string {
	if n := len(p.turns); n > 0 && p.turns[n-1].open() {
		return []string{cmp.Or(p.turns[n-1].line(240), oneLine(p.turns[n-1].request, 240))}
	}
	return nil
}

// failures are what failed and did not work later: in the last two turns, or
// before them.
func (p *page) failures(recent bool) []string {
	var lines []string
	for i := range p.work.failures {
		f := &p.work.failures[i]
		if !f.solved && (f.turn >= p.turns[len(p.turns)-1].number-1) == recent {
			lines = append(lines, f.line())
		}
	}
	return lines
}

// nextSteps are open tasks and the question that stands open. Those of an earlier
// summary come last, once, if little was done since.
func (p *page) nextSteps(own int64) []string {
	lines := slices.Clone(p.work.todo)
	if question := lastQuestion(p.digest.said); question != "" {
		lines = append(lines, askedMark+oneLine(question, 200))
	}
	lines = p.fit(&p.room, own/8, lines)
	if len(p.turns) <= 5 {
		for _, line := range p.before(p.carry/6, nextPart) {
			lines = append(lines, plannedMark+line)
		}
	}
	return lines
}

// facts are what the work depends on: what was said last, commands that were run
// again and again, files that most of the work went into, and failures.
func (p *page) facts(own int64) []string {
	var lines, commands, files []string
	if words := prose(p.told, 480); words != "" {
		lines = append(lines, lastMark+words)
	}
	for _, c := range p.work.ranked() {
		if c.runs > 1 && len(commands) < 5 && !strings.HasPrefix(c.line, "git ") {
			outcome := map[bool]string{true: "failed", false: "passed"}[c.failed]
			commands = append(commands, fmt.Sprintf("`%s` (%d times, the last one %s)", c.line, c.runs, outcome))
		}
	}
	if len(commands) > 0 {
		lines = append(lines, "Commands: "+strings.Join(commands, "; "))
	}
	for name, n := range p.work.files {
		if n > 1 {
			files = append(files, name)
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.work.files[b], p.work.files[a]), strings.Compare(a, b))
	})
	files = files[:min(len(files), 5)]
	for i, name := range files {
		files[i] = fmt.Sprintf("%s (%d changes)", oneLine(name, 200), p.work.files[name])
	}
	if len(files) > 0 {
		lines = append(lines, "Most work went into: "+strings.Join(files, ", "))
	}
	for _, f := range p.failures(false) {
		lines = append(lines, "Failed and was not seen to work later: "+f)
	}
	return p.fit(&p.room, own*2/7, append(lines, p.other.all()...))
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
	told, order := make([]string, len(p.turns)), []int{}
	for i := range p.turns {
		limit := 80
		if i >= len(p.turns)-8 {
			limit = 120
		}
		told[i] = p.turns[i].line(limit)
		if told[i] != "" && !(i == len(p.turns)-1 && p.turns[i].open()) { // the open one is in progress
			order = append(order, i)
		}
	}
	weight := func(i int) int { return p.turns[i].weight() + 6*(i+1)/len(p.turns) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b, a)) })
	all := len(order)
	order = slices.DeleteFunc(order, func(i int) bool { return len(p.fit(&p.room, p.room, told[i:i+1])) == 0 })
	slices.Sort(order)
	if left += all - len(order); left > 0 {
		lines = append([]string{leftLine(left)}, lines...)
	}
	for _, i := range order {
		lines = append(lines, told[i])
	}
	return lines
}

// aboutFocus is the section about what the user asked a summary to mind.
func (p *page) aboutFocus(own int64) string {
	lines := p.before(p.carry/8, focusPart)
	if p.focus.asked != "" {
		lines = append(lines, p.fit(&p.room, own/8, append([]string{"The user asked to mind: " + oneLine(p.focus.asked, 400)}, p.focus.found.all()...))...)
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

// bullets is a list; "(none)" for an empty one.
func bullets(mark string, lines []string) string {
	if len(lines) == 0 {
		return "(none)\n"
	}
	return mark + strings.Join(lines, "\n"+mark) + "\n"
}

func numbered(lines []string) string {
	for i := range lines {
		lines[i] = fmt.Sprintf("%d. %s", i+1, lines[i])
	}
	return bullets("", lines)
}
