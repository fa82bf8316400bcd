package catalog

import (
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// ResolveEntry finds the entry that a reference names: by its id, by a prefix
// of its id, by its label, as @leaf, which is the leaf of the session, or as
// @root, which is the first entry on the path to the leaf. A ~ after any of these
// means the entry before, of which the first one has none. Names, labels and
// recorded positions are not displayed, so @leaf is the entry above them. A
// reference with several matches returns an *AmbiguousEntryError, one without a
// match a *NoEntryError; the error for an empty reference matches
// pith.ErrInvalid.
func ResolveEntry(s *pith.Session, ref string) (string, error) {
	switch {
	case ref == "":
		return "", emptyReference("entry reference", "use an ID, a label, @leaf or @root")
	case ref == "@leaf":
		id, err := position(s)
		if err != nil {
			return "", err
		}
		return existing(ref, id)
	case ref == "@root":
		return existing(ref, rootOf(s))
	}
	if _, err := s.View().Find(ref); err == nil {
		return ref, nil
	}
	var ids []string
	seen := map[string]bool{} // a file can contain an id twice
	eachNode(s.View().Tree(), func(n *pith.Node) {
		if (n.Label == ref || strings.HasPrefix(n.ID, ref)) && !seen[n.ID] {
			seen[n.ID] = true
			ids = append(ids, n.ID)
		}
	})
	switch len(ids) {
	case 0:
		if base, ok := strings.CutSuffix(ref, "~"); ok {
			return parentOf(s, base)
		}
		return "", &NoEntryError{Ref: ref}
	case 1:
		return ids[0], nil
	}
	return "", &AmbiguousEntryError{ref, ids}
}

// parentOf returns the entry before the one that a reference names.
func parentOf(s *pith.Session, ref string) (string, error) {
	id, err := ResolveEntry(s, ref)
	if err != nil {
		return "", err
	}
	path, err := s.View().PathIDs(id)
	if err != nil {
		return "", err
	}
	if len(path) < 2 {
		return "", &NoEntryError{Ref: ref + "~"}
	}
	return path[len(path)-2], nil
}

func existing(ref, id string) (string, error) {
	if id == "" {
		return "", &NoEntryError{Ref: ref, Empty: true}
	}
	return id, nil
}

// position returns the last displayed entry on the path to the leaf, or ""
// before the first entry.
func position(s *pith.Session) (string, error) {
	v := s.View()
	row, err := v.Path("")
	if err != nil {
		return "", err
	}
	for _, pos := range slices.Backward(row) {
		if kind, _ := v.Kind(pos); kind == format.TypeMessage { // which may be long
			return v.At(pos).ID, nil
		}
		e, err := v.Entry(pos)
		if err != nil || !isUnseen(e) {
			return v.At(pos).ID, err
		}
	}
	return "", nil
}

// isUnseen reports whether e is not part of the conversation: a name, a label
// or a recorded position.
func isUnseen(e format.Entry) bool {
	switch e := e.(type) {
	case *format.Label, *format.SessionInfo:
		return true
	case *format.Custom:
		return e.CustomType == format.LeafCustomType
	}
	return false
}

// rootOf returns the first entry on the path to the leaf. Before the first
// entry it returns the first root of the file.
func rootOf(s *pith.Session) string {
	v := s.View()
	row, err := v.Path("")
	if err != nil || len(row) == 0 {
		row, err = v.Children("")
	}
	if err != nil || len(row) == 0 {
		return ""
	}
	return v.At(row[0]).ID
}

// eachNode calls visit for every node, parents first, without recursion.
func eachNode(roots []*pith.Node, visit func(*pith.Node)) {
	todo := slices.Clone(roots)
	slices.Reverse(todo)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		visit(n)
		for _, child := range slices.Backward(n.Children) {
			todo = append(todo, child)
		}
	}
}
