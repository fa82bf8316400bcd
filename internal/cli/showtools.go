package cli

import (
	"context"
	"fmt"

	"github.com/pith-sessions/pith/reader"
)

// A shownTool is one call in JSON.
type shownTool struct {
	Index   int           `json:"index"`  // among those shown, from 1
	Number  int           `json:"number"` // of the exchange
	EntryID reader.Text   `json:"entryId"`
	Time    reader.Moment `json:"time"`
	Name    reader.Text   `json:"name"`
	*reader.Tool
}

// tools prints the calls of tools with their results.
func (v *showing) tools(ctx context.Context) error {
	if v.isJSON() {
		if err := v.openJSON("tools", 0); err != nil {
			return err
		}
	} else {
		v.title()
	}
	n := 0
	err := v.each(ctx, v.detail(reader.Whole), func(_ int, x *reader.Exchange) error {
		for i := range x.Items {
			it := &x.Items[i]
			if it.Tool == nil {
				continue
			}
			n++
			if v.isJSON() {
				if err := v.jsonElement(n == 1, shownTool{n, x.Number, it.EntryID, it.Time, it.Name, it.Tool}); err != nil {
					return err
				}
				continue
			}
			v.printTool(n, x, it)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.isJSON() {
		return v.closeJSON()
	}
	if n == 0 {
		v.out.print("\nno tools were called\n")
	}
	v.printFindings(v.findings())
	v.printPage(0, 0)
	return nil
}

func (v *showing) printTool(n int, x *reader.Exchange, it *reader.Item) {
	name := oneLine(string(it.Name))
	if v.isMarkdown() {
		m := markdownSheet{}
		fmt.Fprintf(&m, "\n## %d. %s, %s\n\n", n, escapeMarkdown(name), exchangeName(x.Number))
		m.tool(it)
		v.out.print(m.String())
		return
	}
	c := itemSheet{sheet: sheet{out: v.out, colors: v.colors, width: v.columns(), started: true}}
	c.heading(toneUser, fmt.Sprintf("%d. %s", n, name), []string{exchangeName(x.Number), oneLine(string(it.EntryID)), headTime(it.Time.Time)}, oneLine(string(it.Label)))
	c.tool(it)
}
