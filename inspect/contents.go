package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// A Row is a turn in a table of contents.
type Row struct {
	Number  int    `json:"number"`
	EntryID Text   `json:"entryId"`
	Time    Moment `json:"time"`
	// Title is the beginning of the user message, on one line. It is empty for
	// entries before the first message.
	Title   Text       `json:"title"`
	Entries int        `json:"entries"`
	Tools   []ToolUses `json:"tools"`
	Errors  int        `json:"errors"` // failed tools and responses
	// Compacted is set if the context was compacted in this turn.
	Compacted bool         `json:"compacted"`
	Labels    []Text       `json:"labels"` // labels of entries of the turn
	Spent     format.Spent `json:"spent,omitzero"`
}

// ToolUses counts the calls of a tool.
type ToolUses struct {
	Name   Text `json:"name"`
	Calls  int  `json:"calls"`
	Errors int  `json:"errors"`
}

const titleLength = 120

// Contents returns a turn as a row of a table of contents.
func (x *Turn) Contents() Row {
	row := Row{
		Number: x.Number, EntryID: x.EntryID, Time: x.Time, Title: x.Title(), Entries: x.Entries,
		Tools: x.ToolUses(), Labels: []Text{}, Spent: x.Spent,
	}
	labelled := map[Text]bool{}
	note := func(entry, label Text) {
		if label != "" && !labelled[entry] {
			labelled[entry] = true
			row.Labels = append(row.Labels, label)
		}
	}
	for i := range x.Items {
		it := &x.Items[i]
		note(it.EntryID, it.Label)
		switch {
		case it.Kind == Compaction:
			row.Compacted = true
		case it.Kind == Failure:
			row.Errors++
		case it.Tool != nil && it.Tool.Result != nil:
			note(it.Tool.Result.EntryID, it.Tool.Result.Label)
			if it.Tool.Result.IsError {
				row.Errors++
			}
		}
	}
	return row
}

// Title returns the beginning of the user message, on one line.
func (x *Turn) Title() Text {
	for i := range x.Items {
		it := &x.Items[i]
		if it.Kind != User {
			continue
		}
		text := string(it.Text)
		if it.Image != nil {
			text = "[" + it.Image.String() + "]"
		}
		if line := strings.Join(strings.Fields(text[:min(len(text), 16*titleLength)]), " "); line != "" {
			return Text(line).Short(titleLength)
		}
	}
	return ""
}

// ToolUses returns the tools of a turn, the most used first.
func (x *Turn) ToolUses() []ToolUses {
	uses := []ToolUses{}
	at := map[Text]int{}
	for i := range x.Items {
		it := &x.Items[i]
		if it.Tool == nil {
			continue
		}
		k, ok := at[it.Name]
		if !ok {
			k = len(uses)
			at[it.Name] = k
			uses = append(uses, ToolUses{Name: it.Name})
		}
		uses[k].Calls++
		if r := it.Tool.Result; r != nil && r.IsError {
			uses[k].Errors++
		}
	}
	slices.SortStableFunc(uses, func(a, b ToolUses) int { return cmp.Compare(b.Calls, a.Calls) })
	return uses
}

// Ends returns a turn reduced to the user message and the last response,
// and the number of items omitted between them.
func (x *Turn) Ends() (ends *Turn, between int) {
	short := *x
	first := 0
	for first < len(x.Items) && x.Items[first].Kind == User {
		first++
	}
	short.Items = x.Items[:first:first]
	last := len(x.Items) - 1
	for last >= first && x.Items[last].Kind != Response && x.Items[last].Kind != Failure {
		last--
	}
	if last < first {
		return &short, len(x.Items) - first
	}
	short.Items = append(short.Items, x.Items[last])
	return &short, last - first
}

// LastResponse returns the last text of the model in a turn, or "".
func (x *Turn) LastResponse() Text {
	for i := len(x.Items) - 1; i >= 0; i-- {
		if it := &x.Items[i]; it.Kind == Response && strings.TrimSpace(string(it.Text)) != "" {
			return it.Text
		}
	}
	return ""
}
