package cli

import (
	"math"

	"github.com/pith-sessions/pith/reader"
)

// modelTotals are what one model was used for.
type modelTotals struct {
	Model      reader.Text `json:"model"` // provider/id; "" where the entry does not say
	Calls      int         `json:"calls"`
	Tokens     int64       `json:"tokens"`
	CostMicros int64       `json:"costMicros"`
}

// modelsOf are the totals of each model, the one that cost most first.
func modelsOf(t *reader.Totals) []modelTotals {
	out := []modelTotals{}
	for _, m := range t.Models() {
		out = append(out, modelTotals{m.Model, m.Calls, m.Tokens, m.CostMicros})
	}
	return out
}

// plus adds without running over: a file may claim any number.
func plus(a, b int64) int64 {
	if b < 0 {
		return a
	}
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func modelName(provider, model string) string {
	if provider == "" {
		return model
	}
	return provider + "/" + model
}
