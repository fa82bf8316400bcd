package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
)

// contents prints a line for each exchange.
func (v *showing) contents(ctx context.Context) error {
	l := v.list("row", "rows")
	g := grid{head: []string{"#", "time", "errors", "cost", "message"}, right: []bool{true, false, true, true}, flex: 4}
	var at []int
	err := v.each(ctx, inspect.Detail{MaxContent: 400}, func(i int, x *inspect.Exchange) error {
		row := x.Contents()
		found, err := v.snippets(v.chosen.Indexes[i])
		if err != nil {
			return err
		}
		if v.isJSON() {
			return l.addJSON(i, contentsRecord{row, found})
		}
		g.add(rowTone(&row), contentsCells(&row)...)
		for _, s := range found {
			g.add(toneDim, "", "", "", "", "  "+oneLine(string(s.EntryID))+": "+oneLine(string(s.Text)))
		}
		for len(at) < len(g.rows) {
			at = append(at, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.isJSON() {
		return l.end("", nil)
	}
	return v.table(&g, at, "row", &grid{})
}

// A contentsRecord is a row in JSON, with the places where a search found words.
type contentsRecord struct {
	inspect.Row
	Snippets []inspect.Snippet `json:"snippets,omitempty"`
}

// shownSnippets is how many places of one exchange are told.
const shownSnippets = 3

// snippets are the places in an exchange at which what was searched for occurs.
func (v *showing) snippets(index int) ([]inspect.Snippet, error) {
	if v.flags.search == "" {
		return nil, nil
	}
	return v.reading.Snippets(index, v.flags.search, shownSnippets)
}

func rowTone(row *inspect.Row) tone {
	if row.Number == 0 {
		return toneDim
	}
	return toneNone
}

func contentsCells(row *inspect.Row) []string {
	title := oneLine(string(row.Title))
	if row.Number == 0 {
		title = fmt.Sprintf("(before the first message: %s)", humanize.Count(row.Entries, "entry"))
	}
	if row.Compacted {
		title = "[compacted] " + title
	}
	for _, label := range row.Labels {
		title = "[" + oneLine(string(label)) + "] " + title
	}
	errors, cost := "", ""
	if row.Errors > 0 {
		errors = strconv.Itoa(row.Errors)
	}
	if row.Spent.Cost > 0 {
		cost = humanize.Dollars(row.Spent.Cost.Micros())
	}
	when := strings.TrimSuffix(humanize.Time(row.Time.Time), "unknown")
	if tools := toolWords(row.Tools, 5); tools != "" {
		title = strings.TrimSpace(title + " (" + tools + ")")
	}
	return []string{strconv.Itoa(row.Number), when, errors, cost, title}
}
