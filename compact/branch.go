package compact

import (
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Branch is the part of a session that is abandoned when the leaf moves: the
// entries between the old leaf and the common ancestor of the old and the new
// leaf, and as many of their messages as fit a budget.
type Branch struct {
	// OldLeafID is the leaf before the move, or "".
	OldLeafID string
	// CommonAncestorID is the deepest entry on both paths, or "".
	CommonAncestorID string
	// EntryIDs are the abandoned entries, oldest first.
	EntryIDs []string
	// Messages are the newest messages that fit the budget, oldest first, as
	// the summarizer reads them. They exclude tool results; the calls say
	// enough.
	Messages []pith.ContextMessage
	// Tokens is the estimated size of Messages.
	Tokens int64
	// Files are the files that the messages touched, and those named by
	// summaries of earlier branches.
	Files FileOps

	estimator Estimator
}

// defaultWindow is used if the context window of a model is unknown.
const defaultWindow = 128000

// BranchBudget returns how many tokens of a branch a model can read, given its
// context window (0 if unknown) and the tokens reserved for its response.
func BranchBudget(window, reserve int64) int64 {
	if window <= 0 {
		window = defaultWindow
	}
	return max(1, Room(window, reserve))
}

// Collect returns the branch that is abandoned when the leaf moves from oldLeaf
// to target; "" means before the first entry. A budget of 0 or less collects
// everything.
func (e Estimator) Collect(s *pith.Session, oldLeaf, target string, budget int64) (*Branch, error) {
	b := &Branch{OldLeafID: oldLeaf, estimator: e}
	if oldLeaf == "" {
		return b, nil
	}
	v := s.View()
	path, err := openPath(v, oldLeaf)
	if err != nil {
		return nil, err
	}
	first := 0 // index of the first abandoned entry
	if target != "" {
		other, err := v.Path(target)
		if err != nil {
			return nil, err
		}
		for first < min(path.Len(), len(other)) && path.entries[first].Pos == other[first] {
			b.CommonAncestorID = path.ID(first)
			first++
		}
	}
	for pos := first; pos < path.Len(); pos++ {
		b.EntryIDs = append(b.EntryIDs, path.ID(pos))
	}
	return b, b.fill(path, first, budget)
}

// fill walks back over the entries, newest first. Edits come after the entries
// that they change, so they are known in time. Only edits on the branch itself
// count.
func (b *Branch) fill(path *path, first int, budget int64) error {
	edits := map[string]*format.ContextEdit{}
	full := false
	for pos := path.Len() - 1; pos >= first; pos-- {
		if full && path.Type(pos) != format.TypeBranchSummary || path.Role(pos) == format.RoleToolResult {
			continue // results are large and not needed here
		}
		entry, err := path.Entry(pos)
		if err != nil {
			return err
		}
		switch e := entry.(type) {
		case *format.ContextEdit:
			if _, later := edits[e.TargetID]; !later {
				edits[e.TargetID] = e
			}
			continue
		case *format.BranchSummary:
			// Include those beyond the budget: their file lists cover branches
			// that are summarized nowhere else.
			if !fromHook(e) {
				b.Files.carry(e.Details)
			}
		}
		if full {
			continue
		}
		raw, err := branchMessage(entry, edits[entry.Head().ID])
		if err != nil {
			return err
		}
		if raw != nil {
			full = b.add(pith.ContextMessage{EntryID: path.ID(pos), Raw: raw}, entry, budget)
		}
	}
	slices.Reverse(b.Messages)
	return nil
}

// add adds a message if it fits, and reports whether the branch is full. A
// summary may exceed the budget, because it covers much, unless nearly all of
// the budget is used. A message that does not fit still contributes its files.
func (b *Branch) add(m pith.ContextMessage, entry format.Entry, budget int64) (full bool) {
	b.Files.Add(m.Raw)
	tokens := b.estimator.RawTokens(m.Raw)
	if budget > 0 && b.Tokens+tokens > budget {
		full = true
		if !isSummary(entry) || b.Tokens*10 >= budget*9 {
			return full
		}
	}
	b.Messages = append(b.Messages, m)
	b.Tokens += tokens
	return full
}

func isSummary(e format.Entry) bool {
	switch e.(type) {
	case *format.Compaction, *format.BranchSummary:
		return true
	}
	return false
}

// branchMessage returns the message of an entry in a branch, or nil if it has
// none.
func branchMessage(entry format.Entry, edit *format.ContextEdit) (json.RawMessage, error) {
	switch e := entry.(type) {
	case *format.MessageEntry:
		if e.Message.Role() == format.RoleToolResult {
			return nil, nil
		}
	case *format.BranchSummary:
		if e.Summary == "" { // a context omits it, but a branch does not
			m := &format.BranchSummaryMessage{FromID: e.FromID}
			if at, ok := e.Time(); ok {
				m.Timestamp = at.UnixMilli()
			}
			return m.Raw(), nil
		}
	}
	raws, err := project(entry, edit)
	if err != nil || len(raws) == 0 {
		return nil, err
	}
	return raws[len(raws)-1], nil // a compaction's summary follows its system message
}
