package cli

import (
	"context"
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
)

// A shownTool is one call in JSON.
type shownTool struct {
	Index   int            `json:"index"`  // among those shown, from 1
	Number  int            `json:"number"` // of the exchange
	EntryID inspect.Text   `json:"entryId"`
	Time    inspect.Moment `json:"time"`
	Name    inspect.Text   `json:"name"`
	*inspect.Tool
}

// tools prints the calls of tools with their results.
func (v *showing) tools(ctx context.Context) error {
	l := v.list("call", "tools")
	err := v.each(ctx, v.detail(inspect.Whole), func(at int, x *inspect.Exchange) error {
		for i := range x.Items {
			it := &x.Items[i]
			if it.Tool == nil {
				continue
			}
			n := l.count + 1
			var err error
			if v.isJSON() {
				err = l.addJSON(at, shownTool{n, x.Number, it.EntryID, it.Time, it.Name, it.Tool})
			} else {
				err = l.add(at, v.toolText(n, x, it))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.end("no tools were called", nil)
}

func (v *showing) toolText(n int, x *inspect.Exchange, it *inspect.Item) string {
	name := oneLine(string(it.Name))
	if v.isMarkdown() {
		m := markdownSheet{}
		fmt.Fprintf(&m, "\n## %d. %s, %s\n\n", n, escapeMarkdown(name), exchangeName(x.Number))
		m.tool(it)
		return m.String()
	}
	out := &bufferPrinter{}
	c := itemSheet{sheet: sheet{out: out, colors: v.colors, width: v.columns(), started: true}}
	c.heading(toneUser, fmt.Sprintf("%d. %s", n, name), []string{exchangeName(x.Number), oneLine(string(it.EntryID)), humanize.Moment(it.Time.Time)}, oneLine(string(it.Label)))
	c.tool(it)
	return out.String()
}
