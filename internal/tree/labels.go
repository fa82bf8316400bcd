package tree

import (
	"cmp"
	"maps"
	"slices"
)

// A Label is a mark that a user set on an entry.
type Label struct {
	Target string // the entry's id
	Text   string
	Time   string // of the label entry, as written
	order  int
}

// Labels holds the labels that are set now. The zero value is empty and ready.
type Labels struct {
	set   map[string]Label
	count int
}

// Apply takes the next label entry of the file. An empty text clears. Setting
// again keeps the label's place in the order, clearing gives it up.
func (l *Labels) Apply(target, text, at string) {
	if text == "" {
		delete(l.set, target)
		return
	}
	if l.set == nil {
		l.set = make(map[string]Label)
	}
	old, ok := l.set[target]
	if !ok {
		l.count++
		old.order = l.count
	}
	l.set[target] = Label{target, text, at, old.order}
}

// Len is how many labels are set.
func (l *Labels) Len() int { return len(l.set) }

// Of is the label of an entry.
func (l *Labels) Of(id string) (Label, bool) {
	label, ok := l.set[id]
	return label, ok
}

// All are the labels in the order in which they were first set.
func (l *Labels) All() []Label {
	return slices.SortedFunc(maps.Values(l.set), func(a, b Label) int { return cmp.Compare(a.order, b.order) })
}
