package catalog

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Filter says which sessions of a list are wanted. The zero value wants all; a
// session must fulfil all that is set. Text is compared without regard to case.
type Filter struct {
	// Project is part of the working directory.
	Project string
	// Since and Until limit Info.Modified; Until itself is outside.
	Since, Until time.Time
	// Model is part of provider/model of the model used last.
	Model string
	// Name is part of the display name. A session without a name has none.
	Name string
	// Sources are the programs whose sessions are wanted, as Info.Root names them;
	// none means all.
	Sources []string
	// Statuses are those wanted; none means all.
	Statuses []Status
	// MinSize and MaxSize limit Info.Size, both inside; 0 means no limit.
	MinSize, MaxSize int64
}

// Match reports whether a session is wanted.
func (f *Filter) Match(i *Info) bool {
	switch {
	case !contains(filepath.ToSlash(i.Cwd), filepath.ToSlash(f.Project)),
		!contains(i.Model, f.Model),
		!contains(i.Name, f.Name),
		!f.Since.IsZero() && i.Modified.Before(f.Since),
		!f.Until.IsZero() && !i.Modified.Before(f.Until),
		len(f.Sources) > 0 && !slices.Contains(f.Sources, i.Root),
		len(f.Statuses) > 0 && !slices.Contains(f.Statuses, i.Status),
		i.Size < f.MinSize,
		f.MaxSize > 0 && i.Size > f.MaxSize:
		return false
	}
	return true
}

// contains reports whether part occurs in text; an empty part does everywhere.
func contains(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// An Order is how a list is sorted.
type Order string

// The orders. Within equal sessions, and in the last resort, the one used last
// comes first.
const (
	OrderRecent   Order = "recent"   // used last first
	OrderCreated  Order = "created"  // youngest first
	OrderSize     Order = "size"     // largest first
	OrderMessages Order = "messages" // longest first
	OrderCost     Order = "cost"     // dearest first
	OrderName     Order = "name"     // by name or first message, A first
)

// Orders are all orders, the usual one first.
var Orders = []Order{OrderRecent, OrderCreated, OrderSize, OrderMessages, OrderCost, OrderName}

// Sort sorts a list in place. An unknown order is OrderRecent.
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
		return cmp.Or(c, byRecency(&a, &b))
	})
}

// Title is the display name, or the first message where there is none.
func (i *Info) Title() string { return cmp.Or(i.Name, i.FirstMessage) }
