package compact

import (
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Branch is what is left behind when the position in a session moves: the
// entries between the old leaf and the place where its path parts from that to
// the new position, and of their messages as many as fit a budget.
type Branch struct {
	// OldLeafID is the leaf that is left; "" when there was none.
	OldLeafID string
	// CommonAncestorID is the deepest entry on both paths; "" when there is none.
	CommonAncestorID string
	// EntryIDs are the entries that are left behind, oldest first.
	EntryIDs []string
	// Messages are what a summarizer reads, oldest first: the newest that fit.
	// Results of tools are not among them; their calls say enough.
	Messages []pith.ContextMessage
	// Tokens is the estimate of Messages.
	Tokens int64
	// Files are those that the messages touched, and those that summaries of
	// earlier branches name.
	Files FileOps

	estimator Estimator
}

// defaultWindow is taken where the window of a model is not known.
const defaultWindow = 128000

// BranchBudget is how many tokens of a branch a model can read, given its
// window (0 when it is not known) and what is reserved for its answer.
func BranchBudget(window, reserve int64) int64 {
	if window <= 0 {
		window = defaultWindow
	}
	return max(1, Room(window, reserve))
}

// Collect finds what is left behind when the leaf moves from oldLeaf to target;
// "" is the place before the first entry. A budget of 0 or less takes everything.
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
	first := 0 // of the entries that are left
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

// Collect is [Estimator.Collect] with the estimator that pi has.
func Collect(s *pith.Session, oldLeaf, target string, budget int64) (*Branch, error) {
	return Quarter.Collect(s, oldLeaf, target, budget)
}

// fill walks back over the entries, newest first. Edits stand behind what they
// change, so they are known in time; only those of the branch itself count.
func (b *Branch) fill(path *path, first int, budget int64) error {
	edits := map[string]*format.ContextEdit{}
	full := false
	for pos := path.Len() - 1; pos >= first; pos-- {
		if full && path.Type(pos) != format.TypeBranchSummary || path.Role(pos) == format.RoleToolResult {
			continue // results are large, and nobody reads them here
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
			// All of them, also those beyond the budget: their lists stand for
			// branches that were told only once.
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

// add takes a message if it fits, and reports whether the branch is full. A
// summary may go over the budget, because it stands for much, unless nearly all
// of the budget is used. The message that did not fit still names its files.
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

// branchMessage is the message that stands for an entry in the account of a
// branch; nil when there is none.
func branchMessage(entry format.Entry, edit *format.ContextEdit) (json.RawMessage, error) {
	switch e := entry.(type) {
	case *format.MessageEntry:
		if e.Message.Role() == format.RoleToolResult {
			return nil, nil
		}
	case *format.BranchSummary:
		if e.Summary == "" { // a context leaves it out, the account of a branch does not
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
	return raws[len(raws)-1], nil // a compaction's summary comes behind its system message
}
