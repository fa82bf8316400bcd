package view

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// A Diff compares two paths, of one session or of two.
type Diff struct {
	Related      bool       `json:"related"` // the paths have entries in common
	Common       DiffCommon `json:"common"`
	BothModified []Text     `json:"bothModified"`
	A            DiffSide   `json:"a"`
	B            DiffSide   `json:"b"`
}

// A DiffCommon is the common prefix of both paths.
type DiffCommon struct {
	Entries      int          `json:"entries"`
	Turns        int          `json:"turns"`
	LastEntryIDA *Text        `json:"lastEntryIdA"`
	LastEntryIDB *Text        `json:"lastEntryIdB"`
	Question     *Text        `json:"question"`
	Tokens       int64        `json:"tokens"`
	Cost         format.Money `json:"costMicros"`
}

// A DiffSide is the part that only one of the paths has.
type DiffSide struct {
	Ref
	LeafID          *Text        `json:"leafId"`
	FirstEntryID    *Text        `json:"firstEntryId"`
	Entries         int          `json:"entries"`
	Turns           []DiffTurn   `json:"turns"`
	Tools           []DiffTool   `json:"tools"`
	Read            []Text       `json:"read"`
	Modified        []Text       `json:"modified"`
	Models          []Text       `json:"models"`
	Compactions     int          `json:"compactions"`
	Summaries       int          `json:"summaries"`
	Tokens          int64        `json:"tokens"`
	Cost            format.Money `json:"costMicros"`
	Started         Time         `json:"started"`
	Ended           Time         `json:"ended"`
	Response        *Text        `json:"response"` // the last one
	ResponseEntryID *Text        `json:"responseEntryId"`
	Failure         *Text        `json:"failure"`
}

// A DiffTurn is a turn of one path.
type DiffTurn struct {
	Number  int  `json:"number"`
	EntryID Text `json:"entryId"`
	Text    Text `json:"text"`
	Calls   int  `json:"calls"`
	Errors  int  `json:"errors"`
}

// A DiffTool counts the calls of a tool.
type DiffTool struct {
	Name   Text `json:"name"`
	Calls  int  `json:"calls"`
	Errors int  `json:"errors"`
}

// DiffOf converts the comparison of two sides.
func DiffOf(x, y diff.Side, c *diff.Comparison) Diff {
	k := &c.Common
	return Diff{
		Related: k.Entries > 0, BothModified: Texts(c.BothModified), A: sideOf(x, &c.A), B: sideOf(y, &c.B),
		Common: DiffCommon{k.Entries, k.Turns, TextOrNull(k.LastA), TextOrNull(k.LastB), TextOrNull(k.Question), k.Spent.Tokens, k.Spent.Cost},
	}
}

func sideOf(s diff.Side, b *diff.Branch) DiffSide {
	out := DiffSide{
		Ref: SessionRef(s.Session), LeafID: TextOrNull(s.Leaf), FirstEntryID: TextOrNull(b.First), Entries: b.Entries, Turns: []DiffTurn{}, Tools: []DiffTool{},
		Read: Texts(b.Read), Modified: Texts(b.Modified), Models: Texts(b.Models), Compactions: b.Compactions, Summaries: b.Summaries,
		Tokens: b.Spent.Tokens, Cost: b.Spent.Cost, Started: Time{Time: b.Begun}, Ended: Time{Time: b.Ended},
		Response: TextOrNull(b.Answer), ResponseEntryID: TextOrNull(b.AnswerEntry), Failure: TextOrNull(b.Failure),
	}
	for _, x := range b.Turns {
		out.Turns = append(out.Turns, DiffTurn{x.Number, Text(x.Entry), Text(x.Text), x.Calls, x.Errors})
	}
	for _, t := range b.Tools {
		out.Tools = append(out.Tools, DiffTool{Text(t.Name), t.Calls, t.Errors})
	}
	return out
}
