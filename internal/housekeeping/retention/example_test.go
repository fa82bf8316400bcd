package retention_test

import (
	"fmt"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/retention"
)

// Retention is decided from facts; nothing is deleted here.
func Example() {
	now := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	infos := []catalog.Info{
		{ID: "new", Root: catalog.RootPi, Modified: now.AddDate(0, 0, -1), MessageCount: 4},
		{ID: "old", Root: catalog.RootPi, Modified: now.AddDate(0, -6, 0), MessageCount: 4},
		{ID: "named", Root: catalog.RootPi, Name: "keep me", Modified: now.AddDate(0, -6, 0), MessageCount: 4},
	}
	one := func(int) int { return 0 }
	none := func(int) bool { return false }
	plan := retention.Choose(infos, retention.Rules{Before: now.AddDate(0, -1, 0), Now: now}, one, none)
	for _, i := range plan.Goes() {
		fmt.Println(infos[i].ID)
	}
	// Output: old
}
