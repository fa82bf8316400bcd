package summarize

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A page lays a digest out as a summary, within its limits. What matters most to
// going on takes its room first; the course of the work gets what is left.
type page struct {
	*digest
	room  int64           // tokens for what the conversation says
	carry int64           // tokens for what an earlier summary said
	said  map[string]bool // lines that stand on the page
	goal  []string        // the sameness of the goals
}

// tokens is how many tokens a line takes.
func tokens(line string) int64 {
	return compact.ByScript.Tokens(&format.User{Content: format.TextContent(line)}) + 1
}

// fit takes the lines that fit, the first ones first, and each thing once. If not
// even one fits, the first is shortened. The room that they take is gone; share
// is how much of it they may take.
func (p *page) fit(room *int64, share int64, lines []string) []string {
	share = min(share, *room)
	var out []string
	for _, line := range lines {
		n := tokens(line) + lineMarks
		if n > share && len(out) == 0 && share >= leastShare {
			line = shortened(line, n, share)
			n = tokens(line) + lineMarks
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

const (
	lineMarks  = 3  // tokens for what begins and ends a line
	leastShare = 24 // tokens in which a beginning of a line says something
)

// shortened is a line of n tokens cut to a share of them.
func shortened(line string, n, share int64) string {
	runes := int64(utf8.RuneCountInString(line))
	for limit := runes * share / n; limit > 8; limit = limit * 7 / 8 {
		if short := clip(line, int(limit)); tokens(short)+lineMarks <= share {
			return short
		}
	}
	return ""
}

// latest is fit for lines of which the last matter most.
func (p *page) latest(room *int64, share int64, lines []string) []string {
	lines = slices.Clone(lines)
	slices.Reverse(lines)
	out := p.fit(room, share, lines)
	slices.Reverse(out)
	return out
}

// newPage is an empty page with room for so many tokens, and as many for what an
// earlier summary said.
func newPage(d *digest, most int64) *page {
	return &page{digest: d, room: most - headings, carry: most, said: map[string]bool{}}
}

// headings is how many tokens the headings take, and the lines that say "(none)".
const headings = 160

// total is what the sections have shares of. What they leave, and a third of the
// room at least, is for the course of the work.
func (p *page) total() int64 { return p.room * 2 / 3 }

// history is the summary of a conversation.
func (p *page) history() string {
	own := p.total()
	goal := p.goals(own)
	doing, blocked := p.doing(own), p.blocked(own)
	next := p.nextSteps(own)
	wishes := p.wishLines(own)
	choices := p.choiceLines(own)
	facts := p.facts(own)
	about := p.focusLines(own)
	facts = append(facts, p.earlierFacts()...)
	more := p.moreSections()
	done := p.doneLines()

	var b strings.Builder
	b.WriteString("## Goal\n" + bullets("- ", goal))
	b.WriteString("\n## Constraints & Preferences\n" + bullets("- ", wishes))
	b.WriteString("\n## Progress\n### Done\n" + bullets("- [x] ", done))
	b.WriteString("\n### In Progress\n" + bullets("- [ ] ", doing))
	b.WriteString("\n### Blocked\n" + bullets("- ", blocked))
	b.WriteString("\n## Key Decisions\n" + bullets("- ", choices))
	b.WriteString("\n## Next Steps\n" + numbered(next))
	b.WriteString("\n## Critical Context\n" + bullets("- ", facts) + more)
	b.WriteString(about)
	return strings.TrimSpace(b.String())
}

// branch is the summary of a branch that was left.
func (p *page) branch() string {
	own := p.total()
	goal := p.goals(own)
	doing := p.doing(own)
	next := p.nextSteps(own)
	wishes := p.wishLines(own)
	choices := p.choiceLines(own)
	about := p.focusLines(own)
	var told []string
	if utf8.RuneCountInString(p.digest.told) > 200 { // more than the course tells of it
		told = p.fit(&p.room, own/8, p.lastWords())
	}
	done := p.doneLines()

	var b strings.Builder
	b.WriteString("## Goal\n" + bullets("- ", goal))
	b.WriteString("\n## Constraints & Preferences\n" + bullets("- ", wishes))
	b.WriteString("\n## Progress\n### Done\n" + bullets("- [x] ", done))
	b.WriteString("\n### In Progress\n" + bullets("- [ ] ", doing))
	if len(told) > 0 {
		b.WriteString(bullets("- ", told))
	}
	b.WriteString("\n### Blocked\n" + bullets("- ", nil))
	b.WriteString("\n## Key Decisions\n" + bullets("- ", choices))
	b.WriteString("\n## Next Steps\n" + numbered(next))
	b.WriteString(about)
	return strings.TrimSpace(b.String())
}

// turnPrefix is the summary of the beginning of a turn.
func (p *page) turnPrefix() string {
	own := p.total()
	request := p.earlier.items(goalPart)
	t := p.turn()
	if t.request != "" {
		request = append(slices.Clone(request), clip(t.request, 1600))
	}
	request = p.fit(&p.room, own*2/5, request)
	facts := append(p.blocked(own), p.facts(own)...)
	facts = append(facts, p.earlierFacts()...)
	open := p.fit(&p.room, own/8, p.openTasks())
	about := p.focusLines(own)
	steps := p.latest(&p.carry, p.carry/2, p.earlier.items(donePart))
	steps = append(steps, p.fit(&p.room, own/3, t.progress())...)
	steps = append(steps, p.latest(&p.room, p.room, t.steps.all())...)

	var b strings.Builder
	b.WriteString("## Original Request\n" + quoted(request))
	b.WriteString("\n## Progress So Far\n" + bullets("- ", steps))
	b.WriteString("\n## Context Needed to Continue\n" + bullets("- ", append(open, facts...)))
	b.WriteString(about)
	return strings.TrimSpace(b.String())
}

// quoted is text in the words of the user, so that headings in it are none of the
// summary.
func quoted(texts []string) string {
	if len(texts) == 0 {
		return "(none)\n"
	}
	return "> " + strings.ReplaceAll(strings.Join(texts, "\n"), "\n", "\n> ") + "\n"
}

// bullets is a list; "(none)" for an empty one.
func bullets(mark string, lines []string) string {
	if len(lines) == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(mark + line + "\n")
	}
	return b.String()
}

func numbered(lines []string) string {
	if len(lines) == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, "%d. %s\n", i+1, line)
	}
	return b.String()
}
