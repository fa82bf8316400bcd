package tree

import (
	"cmp"
	"maps"
	"slices"
)

// A Label is a mark that a user set on an entry.
type Label struct {
	Target string // id of the entry
	Text   string
	Time   string // timestamp of the label entry, as written
	order  int
}

// Labels holds the labels currently set. The zero value is empty and ready to
// use.
type Labels struct {
	set   map[string]Label
	count int
}

// Apply applies the next label entry of the file. An empty text clears the
// label. Setting a label again keeps its place in the order; clearing it does
// not.
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

// Len returns the number of labels set.
func (l *Labels) Len() int { return len(l.set) }

// Of returns the label of an entry.
func (l *Labels) Of(id string) (Label, bool) {
	label, ok := l.set[id]
	return label, ok
}

// All returns the labels in the order in which they were first set.
func (l *Labels) All() []Label {
	return slices.SortedFunc(maps.Values(l.set), func(a, b Label) int { return cmp.Compare(a.order, b.order) })
}
