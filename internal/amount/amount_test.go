package amount_test

import (
	"math"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
)

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		spent      format.Spent
		cost, cell string
	}{
		{format.Spent{}, "", ""},
		{format.Spent{Tokens: 9, Cost: 1_234_500_000}, "$1.235", "$1.235"},
		{format.Spent{Tokens: 9, Unpriced: 2}, "unknown", "–"},
		{format.Spent{Tokens: 9, Cost: 1_200_000_000, Unpriced: 3}, "$1.200 + 3 unknown", "$1.200+"},
		{format.Spent{Cost: 400_000}, "<$0.001", "<$0.001"},
		{format.Spent{Cost: 500_000}, "$0.001", "$0.001"},
		{format.Spent{Cost: 99_999_400_000}, "$99.999", "$99.999"},
		{format.Spent{Cost: 28_381_213_500_000}, "$28,381.21", "$28,381.21"},
		{format.Spent{Tokens: 9, Cost: 1_234_500_000, Estimated: true}, "~$1.235", "~$1.235"},
		{format.Spent{Tokens: 9, Cost: 400_000, Estimated: true}, "~<$0.001", "~<$0.001"},
		{format.Spent{Tokens: 9, Cost: 1_200_000_000, Estimated: true, Unpriced: 3}, "~$1.200 + 3 unknown", "~$1.200+"},
		{format.Spent{Cost: math.MaxInt64}, "$9,223,372,036.85", "$9,223,372,036.85"},
	} {
		if cost, cell := amount.Cost(tt.spent), amount.CostCell(tt.spent); cost != tt.cost || cell != tt.cell {
			t.Errorf("%+v: got %q and %q, want %q and %q", tt.spent, cost, cell, tt.cost, tt.cell)
		}
	}
}

func TestExactCell(t *testing.T) {
	for want, spent := range map[string]format.Spent{
		"":                {},
		"–":               {Tokens: 9, Unpriced: 2},
		"$12.000007":      {Cost: 12_000_007_000},
		"~$1,234.000007+": {Cost: 1_234_000_007_000, Estimated: true, Unpriced: 1},
	} {
		if got := amount.ExactCell(spent); got != want {
			t.Errorf("%+v: got %q, want %q", spent, got, want)
		}
	}
}
