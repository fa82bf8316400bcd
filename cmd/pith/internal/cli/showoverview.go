package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect"
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
	l.head = func() {
		if v.isMarkdown() || v.lean {
			v.title()
		}
		if !v.lean {
			v.printFacts(facts)
		}
	}
	l.above = func(at int) string {
		name := exchangeName(v.reading.Number(v.chosen.Indexes[at]))
		return "\n" + v.colors.paint(toneUser, strings.ReplaceAll(name, "exchange", "──")) + "\n"
	}
	g := entryline.NewTeller(v.homely)
	var failed error
	err = inOrder(ctx, len(v.chosen.Indexes), func() func(int) ([]entryline.Sketch, error) {
		reading := v.reading.Another()
		return func(at int) ([]entryline.Sketch, error) { return sketches(g, reading, v.chosen.Indexes[at]) }
	}, func(at int, list []entryline.Sketch) bool {
		failed = v.steps(l, g, at, list)
		return failed == nil && !v.out.failed()
	})
	if err := cmp.Or(failed, err); err != nil || v.out.failed() {
		return err
	}
	return l.end("", func() []jsonMember {
		if v.lean {
			return nil
		}
		return []jsonMember{{"facts", facts}}
	})
}

// sketches tell the entries of an exchange. One that cannot be told is silent.
func sketches(g *entryline.Teller, reading *inspect.Reading, index int) ([]entryline.Sketch, error) {
	var list []entryline.Sketch
	for line, err := range reading.Lines(index) {
		if err != nil {
			return nil, err
		}
		s, err := g.Sketch(line.Raw)
		if err != nil {
			s = entryline.Sketch{Silent: true}
		}
		list = append(list, s)
	}
	return list, nil
}

// steps adds the steps of an exchange. Answers that only call tools are told by the
// results.
func (v *showing) steps(l *listing, g *entryline.Teller, at int, list []entryline.Sketch) error {
	index := v.chosen.Indexes[at]
	for i, e := range v.reading.Envelopes(index) {
		text := g.Place(&list[i])
		if list[i].Silent {
			continue
		}
		if list[i].Failed {
			text.Head, text.HeadTone = "failed ", entryline.Error
		}
		step := stepRecord{Number: v.reading.Number(index), EntryID: jsText(e.ID), Time: timeOrNull(e.Time), Text: text.String()}
		var err error
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

func (v *showing) stepText(step *stepRecord, g entryline.Gist) string {
	id := oneLine(string(step.EntryID))
	if v.isMarkdown() {
		return fmt.Sprintf("- %s %s\n", code(id), escapeMarkdown(step.Text))
	}
	if w := v.columns(); w > 0 {
		g = g.Cut(max(1, w-4-termsafe.Width(id)))
	}
	return "  " + v.colors.dim(id) + "  " + paintGist(v.colors, g) + "\n"
}
