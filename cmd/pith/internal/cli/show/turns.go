package show

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A turnView prints turns in full.
type turnView struct{ *showing }

// turns prints the views that show turns: conversation and full.
func (v turnView) turns(ctx context.Context) error {
	if v.flags.given("budget") {
		return v.budgeted(ctx)
	}
	switch {
	case v.JSON:
		if err := v.openJSON("turns", 0); err != nil {
			return err
		}
	case v.flags.selects():
		v.pager().title()
	default:
		facts, err := v.facts(ctx)
		if err != nil {
			return err
		}
		v.printFacts(facts)
	}
	err := parallel.Make(ctx, len(v.chosen.Indexes), func() func(int) (string, error) {
		render := v.renderer(v.reading.Another())
		return func(i int) (string, error) { return render(v.chosen.Indexes[i], inspect.Whole) }
	}, func(i int, text string) bool {
		if v.JSON && i > 0 {
			v.Out.Print(",")
		}
		v.Out.Print(text)
		return !v.Out.Failed()
	})
	if err != nil {
		return err
	}
	return v.endTurns(0, 0)
}

func (v turnView) endTurns(omitted, shortened int) error {
	if v.JSON {
		return v.closeJSON()
	}
	v.printFaults()
	v.pager().printPage(omitted, shortened)
	return nil
}

// budgeted prints as much as fits the budget, preferring the newest.
func (v turnView) budgeted(ctx context.Context) error {
	render := v.renderer(v.reading)
	made := map[inspect.Piece]string{} // by pieces without their texts
	return v.within(func(room int64) error {
		pieces, omitted, err := inspect.Fit(v.chosen.Indexes, room, func(index int, level inspect.Level) (text string, err error) {
			key := inspect.Piece{Index: index, Level: level}
			text, ok := made[key]
			if !ok {
				if err = ctx.Err(); err == nil {
					text, err = render(index, level)
				}
				made[key] = text
			}
			return text, err
		})
		if err != nil {
			return err
		}
		return v.printPieces(pieces, omitted)
	})
}

func (v turnView) printPieces(pieces []inspect.Piece, omitted int) error {
	if v.JSON {
		if err := v.openJSON("turns", omitted); err != nil {
			return err
		}
	} else {
		v.Out.Print(v.pager().titleText(v.chosen.Indexes[omitted:]) + "\n")
	}
	shortened := 0
	for i, p := range pieces {
		if v.JSON && i > 0 {
			v.Out.Print(",")
		}
		v.Out.Print(p.Text)
		if p.Level > inspect.Whole {
			shortened = i + 1
		}
	}
	return v.endTurns(omitted, shortened)
}

// renderer returns a function that renders a turn as text or JSON.
func (v turnView) renderer(reading *inspect.Reading) func(index int, level inspect.Level) (string, error) {
	render := v.printText(v.flags.brief())
	if v.JSON {
		render = v.printJSON
	}
	return func(index int, level inspect.Level) (string, error) {
		x, err := reading.Turn(index, v.detail(level))
		if err != nil {
			return "", err
		}
		return render(x, level, v.runTeller(reading, index))
	}
}

type turnText = func(x *inspect.Turn, level inspect.Level, runs runTeller) (string, error)

func (v turnView) printText(brief bool) turnText {
	out := &layout.Buffer{}
	return func(x *inspect.Turn, level inspect.Level, runs runTeller) (string, error) {
		out.Reset()
		c := itemSheet{Sheet: layout.Sheet{Out: out, Colors: v.Colors, Width: v.Width(), Started: true}, brief: brief, runs: runs, path: v.ShortPath}
		switch level {
		case inspect.OneLine:
			c.Heading(tone.Dim, turnName(x.Number), []string{summaryOf(x)}, "")
		case inspect.Ends:
			ends, between := x.Ends()
			c.turn(ends, gapText(x, between))
		default:
			c.turn(x, "")
		}
		return out.String(), nil
	}
}

// A turnRecord is a turn in JSON with the level of detail that the
// budget left.
type turnRecord struct {
	Detail string       `json:"detail"`
	Title  inspect.Text `json:"title"`
	*inspect.Turn
}

func (v turnView) printJSON(x *inspect.Turn, level inspect.Level, _ runTeller) (string, error) {
	record := turnRecord{[]string{"whole", "shortened", "short", "ends", "title"}[level], x.Title(), x}
	switch level {
	case inspect.Ends:
		record.Turn, _ = x.Ends()
	case inspect.OneLine:
		x.Items = []inspect.Item{}
	}
	text, err := present.JSON(record)
	return string(termsafe.JSON(text)), err
}

func turnName(number int) string {
	if number == 0 {
		return "before the first message"
	}
	return fmt.Sprintf("turn %d", number)
}

// summaryOf returns a turn as one line: its title and its tools.
func summaryOf(x *inspect.Turn) string {
	text := withTools(layout.OneLine(string(x.Title())), x.ToolUses(), 4)
	return cmp.Or(text, humanize.Count(x.Entries, "entry"))
}

// gapText returns the text that replaces the middle of a turn.
func gapText(x *inspect.Turn, between int) string {
	if between == 0 {
		return ""
	}
	return withTools("… "+humanize.Count(between, "more entry"), x.ToolUses(), 4)
}

// withTools adds to a text the names of tools, with the number of their calls.
func withTools(text string, uses []inspect.ToolUses, most int) string {
	var words []string
	for i, u := range uses {
		if i == most {
			words = append(words, "…")
			break
		}
		word := layout.OneLine(string(u.Name))
		if u.Calls > 1 {
			word += fmt.Sprintf(" ×%d", u.Calls)
		}
		words = append(words, word)
	}
	if tools := strings.Join(words, ", "); tools != "" {
		return strings.TrimSpace(text + " (" + tools + ")")
	}
	return text
}

// A lineView prints lines of the file.
type lineView struct{ *showing }

// lines prints one object with the facts and the entries, whose bytes are
// unchanged. It writes while it reads, whatever the size of the session.
func (v lineView) lines(ctx context.Context) error {
	facts, err := v.facts(ctx)
	if err != nil {
		return err
	}
	if err := v.beginJSON(facts, "lines"); err != nil {
		return err
	}
	list := v.reading.Lines(v.chosen.Indexes...)
	if err := console.JSONArray(v.Out, list, func(l pith.Line) []byte { return l.Raw }); err != nil {
		return err
	}
	v.Out.Print("]")
	if v.flags.selects() {
		if err := v.jsonMember(jsonMember{"page", v.pager().page(0)}); err != nil {
			return err
		}
	}
	v.Out.Print("}\n")
	return nil
}
