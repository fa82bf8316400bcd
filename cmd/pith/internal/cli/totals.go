package cli

import "github.com/pith-sessions/pith/inspect"

// modelTotals are what one model was used for.
type modelTotals struct {
	Model      inspect.Text `json:"model"` // provider/id; "" where the entry does not say
	Calls      int          `json:"calls"`
	Tokens     int64        `json:"tokens"`
	CostMicros int64        `json:"costMicros"`
}

// modelsOf are the totals of each model, the one that cost most first.
func modelsOf(t *inspect.Totals) []modelTotals {
	out := []modelTotals{}
	for _, m := range t.Models() {
		out = append(out, modelTotals{m.Model, m.Calls, m.Tokens, m.Cost.Micros()})
	}
	return out
}
