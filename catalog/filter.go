package catalog

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Filter selects sessions of a list. The zero value matches all; a session
// must match every field that is set. Text is compared without regard to case.
type Filter struct {
	// Project is a substring of the working directory.
	Project string
	// Since and Until limit Info.Modified; Until is exclusive.
	Since, Until time.Time
	// Model is a substring of provider/model of the model used last.
	Model string
	// Name is a substring of the display name. It never matches a session
	// without a name.
	Name string
	// Statuses are the statuses that match; empty means all.
	Statuses []Status
	// MinSize and MaxSize limit Info.Size, both inclusive; 0 means no limit.
	MinSize, MaxSize int64
}

// IsZero reports whether the filter matches all sessions.
func (f *Filter) IsZero() bool {
	return f.Project == "" && f.Model == "" && f.Name == "" && f.Since.IsZero() && f.Until.IsZero() &&
		len(f.Statuses) == 0 && f.MinSize <= 0 && f.MaxSize <= 0
}

// Match reports whether a session matches the filter.
func (f *Filter) Match(i *Info) bool {
	switch {
	case !contains(filepath.ToSlash(i.Cwd), filepath.ToSlash(f.Project)),
		!contains(i.Model, f.Model),
		!contains(i.Name, f.Name),
		!f.Since.IsZero() && i.Modified.Before(f.Since),
		!f.Until.IsZero() && !i.Modified.Before(f.Until),
		len(f.Statuses) > 0 && !slices.Contains(f.Statuses, i.Status),
		i.Size < f.MinSize,
		f.MaxSize > 0 && i.Size > f.MaxSize:
		return false
	}
	return true
}

// contains reports whether text contains part, without regard to case.
func contains(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// An Order names a sort order of a list.
type Order string

// The sort orders. Sessions that compare equal are sorted by OrderRecent.
const (
	OrderRecent   Order = "recent"   // most recently used first
	OrderCreated  Order = "created"  // newest first
	OrderSize     Order = "size"     // largest first
	OrderMessages Order = "messages" // most messages first
	OrderCost     Order = "cost"     // highest cost first
	OrderName     Order = "name"     // by name or first message
)

// Orders are all orders, the default first.
var Orders = []Order{OrderRecent, OrderCreated, OrderSize, OrderMessages, OrderCost, OrderName}

// Sort sorts a list in place. An unknown order sorts like OrderRecent.
func Sort(infos []Info, by Order) {
	slices.SortStableFunc(infos, func(a, b Info) int {
		var c int
		switch by {
		case OrderCreated:
			c = b.Created.Compare(a.Created)
		case OrderSize:
			c = cmp.Compare(b.Size, a.Size)
		case OrderMessages:
			c = cmp.Compare(b.MessageCount, a.MessageCount)
		case OrderCost:
			c = cmp.Compare(b.Spent.Cost, a.Spent.Cost)
		case OrderName:
			c = cmp.Compare(strings.ToLower(a.Title()), strings.ToLower(b.Title()))
		}
		return cmp.Or(c, ByRecency(&a, &b))
	})
}

// Title returns the display name, or the first message if there is none.
func (i *Info) Title() string { return cmp.Or(i.Name, i.FirstMessage) }
