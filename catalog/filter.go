package catalog

import (
	"cmp"
	"slices"
	"strings"
)

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
