package list

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Two columns of --format are not members of a row in JSON.
const (
	columnTitle = "title"
	columnCost  = "cost" // for display
)

// columnNames are the columns of --format: the members of a row, in order.
var columnNames = sync.OnceValue(func() []string {
	names := []string{columnTitle, columnCost}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ops.Row]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "allMessagesText" {
			names = append(names, name)
		}
	}
	return names
})

func chosenColumns(list string) ([]string, error) {
	var chosen []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(columnNames(), name) {
			return nil, exit.Usagef("invalid --format: unknown column %q; use %s", name, strings.Join(columnNames(), ", "))
		}
		chosen = append(chosen, name)
	}
	return chosen, nil
}

// printColumns prints one line for each session, with tabs between the values.
// Characters that would end a line or a value are escaped.
func (a *Commands) printColumns(rows []ops.Row, infos []catalog.Info, chosen []string) error {
	for i := range rows {
		if a.Out.Failed() {
			return nil
		}
		row, err := present.JSON(rows[i])
		if err != nil {
			return err
		}
		for c, name := range chosen {
			if c > 0 {
				a.Out.Print("\t")
			}
			var value string
			switch name {
			case columnTitle:
				value = infos[i].Title()
			case columnCost:
				value = amount.CostCell(infos[i].Spent)
			default:
				member, _ := jsonl.Lookup(row, name)
				value = columnText(member)
			}
			a.Out.Print(termsafe.Line(value))
		}
		a.Out.Print("\n")
	}
	return nil
}

// columnText returns a JSON value as a column: null is empty, and the elements
// of a list are separated by spaces.
func columnText(value []byte) string {
	if text, ok := jsonl.String(value); ok {
		return text
	}
	switch jsonl.KindOf(value) {
	case 'n':
		return ""
	case '[':
		var words []string
		for element := range jsonl.Elements(value) {
			words = append(words, columnText(element))
		}
		return strings.Join(words, " ")
	}
	return string(value)
}
