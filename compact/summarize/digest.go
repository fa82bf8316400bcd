package summarize

import (
	"context"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A digest is what was picked out of a conversation, message by message. Its size
// does not grow with the conversation beyond its limits.
type digest struct {
	turns   []turn
	left    int     // turns that were dropped
	demands bounded // of the user
	hints   bounded // what may be demands
	wished  []wish  // by the request that came last
	choices choices
	work    work
	plan    plan
	said    string   // what the assistant said last
	told    string   // the last of what it said that tells something
	replied bool     // the user said something since
	other   bounded  // what extensions and other branches told
	earlier *earlier // an earlier summary
	focus   focus
}

// maxTurns is how many turns are kept. Of more, the lesser ones are dropped.
const maxTurns = 400

func newDigest(p compact.Prompt) *digest {
	return &digest{
		demands: bounded{first: 12, last: 24}, hints: bounded{first: 4, last: 12}, other: bounded{first: 2, last: 4}, choices: newChoices(),
		work: newWork(), earlier: parseEarlier(p.PreviousSummary), focus: newFocus(p.Instructions),
	}
}

// read takes all messages of a prompt.
func (d *digest) read(ctx context.Context, p compact.Prompt) error {
	for m, err := range p.Messages {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		message, err := m.Decode()
		if err != nil {
			continue // a message that is no JSON object says nothing
		}
		d.add(message)
	}
	return nil
}

func (d *digest) add(m format.Message) {
	switch m := m.(type) {
	case *format.User:
		d.request(valid(m.Content.Joined()))
	case *format.Assistant:
		d.answer(m)
	case *format.ToolResult:
		d.work.result(m, d.turn())
	case *format.BashExecution:
		if !m.ExcludeFromContext {
			d.work.byUser(m)
		}
	case *format.CustomRole:
		if text := oneLine(m.Content.PlainText(), 200); text != "" && !m.ExcludeFromContext {
			d.other.add("From " + m.CustomType + ": " + text)
		}
	case *format.BranchSummaryMessage:
		d.other.add("From a branch that was left: " + prose(branchText(m.Summary), 500))
	case *format.CompactionSummaryMessage:
		d.earlier = parseEarlier(m.Summary)
	}
}

// request begins a turn.
func (d *digest) request(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	d.reject(text)
	if !d.replied {
		d.choices.reply(d.said, spoken(text))
	}
	d.replied = true
	d.choices.latest = bounded{last: d.choices.latest.last}
	d.drop()
	d.turns = append(d.turns, turn{number: d.left + len(d.turns), request: strings.TrimSpace(spoken(edges(text, 3000, 1000)))})
	d.wished = wishes(text)
	for _, w := range d.wished {
		if w.strong {
			d.demands.add(w.text)
		} else {
			d.hints.add(w.text)
		}
	}
	d.focus.look(edges(text, 3000, 1000))
}

// reject forgets what a request takes back.
func (d *digest) reject(text string) {
	r, ok := rejectionOf(spoken(text))
	if !ok {
		return
	}
	d.choices.retract(r)
	if r.undo {
		wished := func(text string) bool {
			return slices.ContainsFunc(d.wished, func(w wish) bool { return w.text == text })
		}
		d.demands.drop(wished)
		d.hints.drop(wished)
	}
}

// turn is the one that goes on. What comes before the first request has none, as
// when a turn is cut through.
func (d *digest) turn() *turn {
	if len(d.turns) == 0 {
		d.turns = append(d.turns, turn{})
	}
	return &d.turns[len(d.turns)-1]
}

func (d *digest) answer(m *format.Assistant) {
	t := d.turn()
	t.stop, t.fault = m.StopReason, oneLine(m.ErrorMessage, 200)
	if text := strings.TrimSpace(valid(answerText(m.Content))); text != "" {
		d.said, d.replied = edges(text, 4000, 1000), false
		if d.told == "" || !small(d.said) {
			d.told = d.said
		}
		t.say(d.said)
		d.choices.look(d.said)
		d.plan.text(d.said)
		d.focus.look(d.said)
	}
	for _, b := range m.Content.Blocks {
		if call, ok := b.(*format.ToolCallBlock); ok {
			t.called = true
			d.work.call(call, t)
			d.plan.call(call)
		}
	}
}

// drop makes room for another turn: half of the older ones go, those that matter
// least.
func (d *digest) drop() {
	if len(d.turns) < maxTurns {
		return
	}
	old := d.turns[:maxTurns/2]
	keep := best(old, maxTurns/4)
	d.left += len(old) - len(keep)
	d.turns = append(keep, d.turns[len(old):]...)
}

// answerText is what an answer says: each of its texts begins a line.
func answerText(c format.Content) string {
	if c.IsText {
		return c.Text
	}
	var texts []string
	for _, b := range c.Blocks {
		if t, ok := b.(*format.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}
