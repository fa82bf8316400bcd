package compact

import (
	"bytes"
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Plan says what a compaction at one entry summarises and what it keeps. It is
// a snapshot: what is appended later does not show. The messages are read from
// the session when they are asked for, so the session must stay open.
type Plan struct {
	// LeafID is the entry that the compaction follows. If the session stands
	// elsewhere by the time the summary is there, make a new plan.
	LeafID string
	// FirstKeptEntryID is the first entry that stays. It may lie before the last
	// compaction.
	FirstKeptEntryID string
	// PreviousSummary is the summary that the new one takes the place of; "" when
	// there is none.
	PreviousSummary string
	// SplitTurn is set when the cut goes through a turn, whose beginning is then
	// told apart from the history.
	SplitTurn bool
	// HasHistory is set when there are messages before that turn to summarise. If
	// it is not, SplitTurn is.
	HasHistory bool
	// TokensBefore is the size of the context as it is.
	TokensBefore int64
	// KeptTokens estimates what stays, without the summary.
	KeptTokens int64
	// Settings are those that the plan was made with.
	Settings Settings

	tail       *tail
	historyEnd int // position of the first entry behind the history
	cut        int // position of the first entry that stays
}

// Prepare plans a compaction at the leaf. It fails with a [NothingError] when
// there is nothing to summarise. Settings.Enabled does not matter here.
func Prepare(s *pith.Session, set Settings) (*Plan, error) { return PrepareAt(s, s.LeafID(), set) }

// PrepareAt is Prepare for another entry than the leaf.
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
	if !ok || t.path.ID(tail.items[at].pos) == "" { // an entry without an id cannot be named
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
	history, err := tail.tells(historyEnd + 1)
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

// History yields the messages that are summarised, but for the beginning of a
// turn that is cut through. System messages are not among them, because a
// compaction carries their state over.
//
// What it yields may be kept, and so may what is decoded of it. An error comes once,
// last. The sequence can be ranged over again.
func (p *Plan) History() iter.Seq2[pith.ContextMessage, error] { return kept(p.history()) }

// TurnPrefix yields the beginning of the turn that is cut through, under the
// terms of History. It is empty when SplitTurn is not set.
func (p *Plan) TurnPrefix() iter.Seq2[pith.ContextMessage, error] { return kept(p.turnPrefix()) }

// kept yields messages with bytes of their own.
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

// history is History; the bytes of a message stay valid until the next one.
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
	return format.Role(envelope.RoleName(m.Raw)) == format.RoleSystem
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

// Files are the files that the summarised messages touched, and those that the
// previous summary names.
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

// fromHook reports whether an extension wrote a summary: whether its entry has a
// fromHook that JavaScript takes for true.
func fromHook(e format.Entry) bool {
	raw, ok := jsonl.Lookup(e.Head().Raw, "fromHook")
	return ok && truthy(raw)
}

// truthy is what JavaScript takes for true.
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
