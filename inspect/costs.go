package inspect

import (
	"cmp"
	"slices"

	"github.com/pith-sessions/pith/format"
)

// A Cost is one model call, in the conversation or outside it.
type Cost struct {
	Number  int    `json:"number"` // number of the turn
	EntryID Text   `json:"entryId"`
	Time    Moment `json:"time"`
	// Kind is that of the item: answer for any response, tool for the usage of
	// a tool, compaction, branchSummary, or usage.
	Kind Kind `json:"kind"`
	Spent
}

// A ModelCost is the usage of one model.
type ModelCost struct {
	Model Text `json:"model"` // provider/id, or "" if unknown
	Calls int  `json:"calls"`
	format.Spent
}

// Costs returns the model calls of a turn, in order. The turn must be
// read without Detail.Brief and Detail.Roles, which omit items.
func (x *Turn) Costs() []Cost {
	out := []Cost{}
	for i := range x.Items {
		it := &x.Items[i]
		if it.Spent != nil {
			kind := it.Kind
			switch kind {
			case Thinking, ToolUse, Failure:
				kind = Response // the first item of the response
			case Other:
				kind = Spending
			}
			out = append(out, Cost{x.Number, it.EntryID, it.Time, kind, *it.Spent})
		}
		if it.Tool != nil && it.Tool.Result != nil && it.Tool.Result.Spent != nil {
			r := it.Tool.Result
			out = append(out, Cost{x.Number, r.EntryID, r.Time, ToolUse, *r.Spent})
		}
	}
	return out
}

// ByModel sums costs for each model, the most expensive first.
func ByModel(costs []Cost) []ModelCost {
	sums := []ModelCost{}
	at := map[Text]int{}
	for i := range costs {
		c := &costs[i]
		k, ok := at[c.Model]
		if !ok {
			k = len(sums)
			at[c.Model] = k
			sums = append(sums, ModelCost{Model: c.Model})
		}
		sums[k].Calls++
		sums[k].Spent = sums[k].Plus(c.Spent.Spent)
	}
	slices.SortFunc(sums, dearestFirst)
	return sums
}

func dearestFirst(a, b ModelCost) int {
	return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Model, b.Model))
}

// Spent is the usage of one model call.
type Spent struct {
	// Model is provider/id, or "" if unknown.
	Model Text `json:"model,omitempty"`
	format.Spent
}

// spentOn returns the usage of a model, or nil if it is zero.
func spentOn(s format.Spent, model string) *Spent {
	if s.IsZero() {
		return nil
	}
	return &Spent{Text(model), s}
}
