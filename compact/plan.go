package compact

import (
	"bytes"
	"errors"
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Plan determines which part of a context a compaction summarizes and which
// part it keeps. It is a snapshot: later appends do not change it. Messages are
// read from the session on demand, so the session must stay open.
type Plan struct {
	// LeafID is the entry that the compaction follows. If the leaf has moved by
	// the time the summary is complete, make a new plan.
	LeafID string
	// FirstKeptEntryID is the first kept entry. It may precede the last
	// compaction.
	FirstKeptEntryID string
	// PreviousSummary is the summary that the new one replaces, or "".
	PreviousSummary string
	// SplitTurn is set if the cut splits a turn. The start of that turn is then
	// summarized separately from the history.
	SplitTurn bool
	// HasHistory is set if there are messages to summarize before that turn. If
	// it is not set, SplitTurn is.
	HasHistory bool
	// TokensBefore is the current size of the context.
	TokensBefore int64
	// KeptTokens is the estimated size of the kept part, without the summary.
	KeptTokens int64
	// Settings are the settings that the plan was made with.
	Settings Settings

	tail       *tail
	historyEnd int // position of the first entry after the history
	cut        int // position of the first kept entry
}

// Prepare plans a compaction at the leaf. It returns a [NothingError] if there
// is nothing to summarize. It ignores Settings.Enabled.
func Prepare(s *pith.Session, set Settings) (*Plan, error) { return PrepareAt(s, s.LeafID(), set) }

// PrepareAt is Prepare for any entry.
func PrepareAt(s *pith.Session, id string, set Settings) (*Plan, error) {
	trail, err := openTrail(s, id)
	if err != nil {
		return nil, err
	}
	last := trail.path.Len() - 1
	if last < 0 {
		return nil, &NothingError{TooSmall}
	}
	if trail.path.Type(last) == format.TypeCompaction {
		return nil, &NothingError{AlreadyCompacted}
	}
	return trail.plan(set)
}

func (t *trail) plan(set Settings) (*Plan, error) {
	tail := t.tail(set.Estimator)
	at, ok, err := tail.findCut(set.KeepRecentTokens)
	if err != nil {
		return nil, err
	}
	if !ok || t.path.ID(tail.items[at].pos) == "" { // an entry without an id cannot be referred to
		return nil, &NothingError{TooSmall}
	}
	size, err := tail.size()
	if err != nil {
		return nil, err
	}
	tail.weightless = true
	turn, err := tail.turnOf(at)
	if err != nil {
		return nil, err
	}
	historyEnd := max(at, turn)
	history, err := tail.canSummarize(historyEnd + 1)
	if err != nil {
		return nil, err
	}
	if !history && turn < 0 {
		return nil, &NothingError{TooSmall}
	}
	p := &Plan{
		LeafID: t.leaf, FirstKeptEntryID: t.path.ID(tail.items[at].pos), SplitTurn: turn >= 0, HasHistory: history,
		TokensBefore: size.Tokens, Settings: set,
		tail: tail, historyEnd: tail.items[historyEnd].pos, cut: tail.items[at].pos,
	}
	if t.compaction != nil {
		p.PreviousSummary = t.compaction.Summary
	}
	for i := range at + 1 {
		p.KeptTokens += tail.items[i].tokens
	}
	return p, nil
}

// History yields the messages to summarize, except the start of a split turn.
// It excludes system messages, because a compaction records their state.
//
// The caller may retain the messages and values decoded from them. An error is
// yielded once and ends the sequence. The sequence can be ranged over again.
func (p *Plan) History() iter.Seq2[pith.ContextMessage, error] { return kept(p.history()) }

// TurnPrefix yields the start of the split turn, under the same terms as
// History. It is empty if SplitTurn is not set.
func (p *Plan) TurnPrefix() iter.Seq2[pith.ContextMessage, error] { return kept(p.turnPrefix()) }

// kept yields messages with their own copies of the bytes.
func kept(messages iter.Seq2[pith.ContextMessage, error]) iter.Seq2[pith.ContextMessage, error] {
	return func(yield func(pith.ContextMessage, error) bool) {
		for m, err := range messages {
			m.Raw = bytes.Clone(m.Raw)
			if !yield(m, err) {
				return
			}
		}
	}
}

// history is History without copying: the bytes of a message are valid until
// the next iteration.
func (p *Plan) history() iter.Seq2[pith.ContextMessage, error] {
	return func(yield func(pith.ContextMessage, error) bool) {
		t := p.tail.trail
		pos := t.first
		for m, err := range t.context.ReusedMessages() {
			if err != nil {
				yield(pith.ContextMessage{}, err)
				return
			}
			if t.compacted >= 0 && m.EntryID == t.path.ID(t.compacted) {
				continue
			}
			for pos < p.historyEnd && t.path.ID(pos) != m.EntryID {
				pos++
			}
			if pos >= p.historyEnd {
				return
			}
			if !isSystemMessage(m) && !yield(m, nil) {
				return
			}
		}
	}
}

func isSystemMessage(m pith.ContextMessage) bool {
	return format.Role(journal.RoleName(m.Raw)) == format.RoleSystem
}

// turnPrefix is TurnPrefix under the terms of history.
func (p *Plan) turnPrefix() iter.Seq2[pith.ContextMessage, error] {
	return func(yield func(pith.ContextMessage, error) bool) {
		path := p.tail.trail.path
		for pos := p.historyEnd; pos < p.cut; pos++ {
			if path.Type(pos) == format.TypeCompaction || path.Role(pos) == format.RoleSystem {
				continue
			}
			entry, err := path.Entry(pos)
			if err != nil {
				yield(pith.ContextMessage{}, err)
				return
			}
			raws, err := project(entry, p.tail.edits[entry.Head().ID])
			if err != nil {
				yield(pith.ContextMessage{}, err)
				return
			}
			for _, raw := range raws {
				if !yield(pith.ContextMessage{EntryID: path.ID(pos), Raw: raw}, nil) {
					return
				}
			}
		}
	}
}

// Files returns the files that the summarized messages touched, and those that
// the previous summary names.
func (p *Plan) Files() (FileOps, error) {
	var files FileOps
	if c := p.tail.trail.compaction; c != nil && !fromHook(c) {
		files.carry(c.Details)
	}
	for _, messages := range []iter.Seq2[pith.ContextMessage, error]{p.history(), p.turnPrefix()} {
		for m, err := range messages {
			if err != nil {
				return FileOps{}, err
			}
			files.Add(m.Raw)
		}
	}
	return files, nil
}

// fromHook reports whether an extension wrote a summary: whether fromHook of
// its entry is truthy.
func fromHook(e format.Entry) bool {
	raw, ok := jsonl.Lookup(e.Head().Raw, "fromHook")
	return ok && truthy(raw)
}

// truthy reports whether JavaScript treats the value as true.
func truthy(raw []byte) bool {
	switch jsonl.KindOf(raw) {
	case 't', '{', '[':
		return true
	case '"':
		s, _ := jsonl.String(raw)
		return s != ""
	case '0':
		f, _ := jsonl.Float(raw)
		return f != 0
	}
	return false
}

// ErrNothing matches every [NothingError].
var ErrNothing = errors.New("nothing to compact")

// Why is the reason why nothing can be compacted.
type Why uint8

const (
	// TooSmall means that everything would be kept.
	TooSmall Why = iota + 1
	// AlreadyCompacted means that the last entry is a compaction.
	AlreadyCompacted
	// NoBranch means that no branch is abandoned, because the new leaf is the
	// old one or continues it.
	NoBranch
)

// A NothingError means that there is nothing to summarize. No plan is made,
// because a summary of nothing would replace the existing one.
type NothingError struct{ Why Why }

func (e *NothingError) Error() string {
	switch e.Why {
	case AlreadyCompacted:
		return "nothing to compact: no messages since the last compaction"
	case NoBranch:
		return "nothing to summarize: the branch has no entries"
	}
	return "nothing to compact: the conversation fits in the tokens to keep"
}

// Is makes every NothingError match ErrNothing.
func (e *NothingError) Is(target error) bool { return target == ErrNothing }
