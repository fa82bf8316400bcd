package inspect

import (
	"cmp"
	"slices"

	"github.com/pith-sessions/pith/format"
)

// A Cost is one call of a model, in the conversation or beside it.
type Cost struct {
	Number  int    `json:"number"` // of the exchange
	EntryID Text   `json:"entryId"`
	Time    Moment `json:"time"`
	// Kind is that of the item: answer for an answer of any kind, tool for what a
	// tool spent, compaction, branchSummary, or usage.
	Kind Kind `json:"kind"`
	Spent
}

// ModelCost is what one model was used for.
type ModelCost struct {
	Model Text `json:"model"` // provider/id; "" where the entries do not say
	Calls int  `json:"calls"`
	format.Spent
}

// Costs are the calls of models in an exchange, in order. Detail.Brief and
// Detail.Roles must not be set for the exchange: they leave out items.
func (x *Exchange) Costs() []Cost {
	out := []Cost{}
	for i := range x.Items {
		it := &x.Items[i]
		if it.Spent != nil {
			kind := it.Kind
			switch kind {
			case Thinking, ToolUse, Failure:
				kind = Answer // the first thing that the answer holds
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

// ByModel adds up costs for each model, the most expensive first.
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
