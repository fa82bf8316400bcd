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
	facts, err := factsOf(ctx, v.s, v.version, v.leaf)
	if err != nil {
		return err
	}
	if v.isJSON() {
		if err := v.openJSON("steps", 0); err != nil {
			return err
		}
	} else {
		if v.isMarkdown() {
			v.title()
		}
		v.printFacts(facts)
	}
	first := true
	g := gist.NewTeller(v.homely)
	for _, index := range v.chosen.Indexes {
		number := v.reading.Number(index)
		if !v.isJSON() {
			v.out.print("\n" + v.colors.paint(toneUser, strings.ReplaceAll(exchangeName(number), "exchange", "──")) + "\n")
		}
		for line, err := range v.reading.Lines(index) {
			if err != nil {
				return err
			}
			if v.out.failed() {
				return nil
			}
			step, text, ok := v.step(g, line.Raw, number)
			if !ok {
				continue
			}
			if !v.isJSON() {
				v.printStep(&step, text)
				continue
			}
			if err := v.jsonElement(first, step); err != nil {
				return err
			}
			first = false
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if v.isJSON() {
		return v.closeJSON(jsonMember{"facts", facts})
	}
	v.printFindings(facts.Findings)
	v.printPage(0, 0)
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

func (v *showing) printStep(step *stepRecord, g gist.Gist) {
	id := oneLine(string(step.EntryID))
	if v.isMarkdown() {
		fmt.Fprintf(v.out, "- %s %s\n", code(id), escapeMarkdown(step.Text))
		return
	}
	if w := v.columns(); w > 0 {
		g = g.Cut(max(1, w-4-plain.Width(id)))
	}
	v.out.print("  " + v.colors.dim(id) + "  " + v.colors.gist(g) + "\n")
}
