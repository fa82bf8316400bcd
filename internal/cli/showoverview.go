package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/gist"
	"github.com/pith-sessions/pith/internal/plain"
)

// A stepRecord is one entry in one line, in JSON.
type stepRecord struct {
	Number  int     `json:"number"` // of the exchange
	EntryID jsText  `json:"entryId"`
	Time    *string `json:"time"`
	Text    string  `json:"text"`
}

// overview prints the facts and a line for each step.
func (v *showing) overview(ctx context.Context) error {
	facts, err := v.facts(ctx)
	if err != nil {
		return err
	}
	l := v.list("step", "steps")
	l.waiting.room -= factsTokens
	l.head = func() {
		if v.isMarkdown() {
			v.title()
		}
		v.printFacts(facts)
	}
	l.above = func(at int) string {
		name := exchangeName(v.reading.Number(v.chosen.Indexes[at]))
		return "\n" + v.colors.paint(toneUser, strings.ReplaceAll(name, "exchange", "──")) + "\n"
	}
	g := gist.NewTeller(v.homely)
	for at, index := range v.chosen.Indexes {
		if err := v.steps(l, g, at, index); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil || v.out.failed() {
			return err
		}
	}
	return l.end("", jsonMember{"facts", facts})
}

// factsTokens is what of a budget the facts take.
const factsTokens = 200

// steps adds the steps of an exchange.
func (v *showing) steps(l *listing, g *gist.Teller, at, index int) error {
	number := v.reading.Number(index)
	for line, err := range v.reading.Lines(index) {
		if err != nil {
			return err
		}
		step, text, ok := v.step(g, line.Raw, number)
		if !ok {
			continue
		}
		if v.isJSON() {
			err = l.addJSON(at, step)
		} else {
			err = l.add(at, v.stepText(&step, text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step tells an entry. Answers that only call tools are told by the results.
func (v *showing) step(g *gist.Teller, line []byte, number int) (stepRecord, gist.Gist, bool) {
	e, err := format.DecodeEntry(line)
	if err != nil {
		return stepRecord{}, gist.Gist{}, false
	}
	g.Learn(e)
	if gist.Silent(e) {
		return stepRecord{}, gist.Gist{}, false
	}
	text := g.Of(e)
	if m, ok := e.(*format.MessageEntry); ok {
		if r, ok := m.Message.(*format.ToolResult); ok && r.IsError {
			text.Head, text.HeadTone = "failed ", gist.Error
		}
	}
	head := e.Head()
	step := stepRecord{Number: number, EntryID: jsText(head.ID), Text: text.String()}
	if t, ok := head.Time(); ok {
		step.Time = timeOrNull(t)
	}
	return step, text, true
}

func (v *showing) stepText(step *stepRecord, g gist.Gist) string {
	id := oneLine(string(step.EntryID))
	if v.isMarkdown() {
		return fmt.Sprintf("- %s %s\n", code(id), escapeMarkdown(step.Text))
	}
	if w := v.columns(); w > 0 {
		g = g.Cut(max(1, w-4-plain.Width(id)))
	}
	return "  " + v.colors.dim(id) + "  " + v.colors.gist(g) + "\n"
}
