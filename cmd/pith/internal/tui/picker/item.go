package picker

import (
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

// An Item is one session of the list.
type Item struct {
	catalog.Info
	// Key is the file that the path leads to, symbolic links resolved: what tells
	// two sessions apart. ParentKey is the same for the parent; "" when there is none.
	Key, ParentKey string
	// Marks are what is kept about the session.
	Marks marks.Marks

	name, id, cwd, first, tags string // in lower case, for searching
}

// prepare fills what searching needs. It runs once for each session.
func (it *Item) prepare() {
	it.name = strings.ToLower(it.Name)
	it.id = strings.ToLower(it.ID)
	it.cwd = strings.ToLower(it.Cwd)
	it.first = strings.ToLower(it.FirstMessage)
	it.tags = strings.ToLower(tagText(it.Marks.Tags))
	if it.Key == "" {
		it.Key = it.Path
	}
	if it.ParentKey == "" {
		it.ParentKey = it.ParentSession
	}
}

// title is what the row says: the name, else the first message.
func (it *Item) title() string {
	if name := strings.TrimSpace(it.Name); name != "" {
		return name
	}
	return strings.TrimSpace(it.FirstMessage)
}

func (it *Item) named() bool { return strings.TrimSpace(it.Name) != "" }
