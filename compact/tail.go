package compact

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// A tail walks the entries of a context from the last one backwards and reads
// no further than needed. Every edit comes after the entry that it changes, so
// the edits of an entry are known when the walk reaches it.
//
// The walk excludes the compaction at the start of the context and system
// messages that it keeps, because it records their state itself.
type tail struct {
	trail     *trail
	estimator Estimator
	next      int // position to read next
	edits     map[string]*format.ContextEdit
	items     []item
	// weightless is set if the tokens of further items are not needed.
	weightless bool
}

// An item holds the properties of an entry that the search for a cut needs.
type item struct {
	pos    int
	tokens int64

	compaction   bool // an older compaction, which adds nothing to the context
	visible      bool // adds a message to the context
	summarizable bool // adds a message that can be summarized, unlike a system message
	cut          bool // the context may start with it
	turn         bool // starts a turn
	usage        int64

	hidden bool                // would be visible if an edit did not hide it
	answer bool                // is a response
	edit   *format.ContextEdit // set if the entry is an edit

	calls   []string // ids of the calls in it
	results []string // ids of the calls whose results are in it
}

func (t *trail) tail(e Estimator) *tail {
	return &tail{trail: t, estimator: e, next: t.path.Len() - 1, edits: map[string]*format.ContextEdit{}}
}

// at returns the k-th item, counted from the end, or nil if there are fewer.
func (t *tail) at(k int) (*item, error) {
	for k >= len(t.items) {
		pos := t.next
		if pos == t.trail.compacted {
			pos--
		}
		if pos < t.trail.first {
			return nil, nil
		}
		t.next = pos - 1
		if pos < t.trail.compacted && t.trail.path.Role(pos) == format.RoleSystem {
			continue
		}
		it, err := t.look(pos)
		if err != nil {
			return nil, err
		}
		it.pos = pos
		t.items = append(t.items, it)
	}
	return &t.items[k], nil
}

// look reads as much of an entry as an item needs.
func (t *tail) look(pos int) (it item, err error) {
	path := t.trail.path
	switch path.Type(pos) {
	case format.TypeContextEdit:
		return it, t.takeEdit(&it, pos)
	case format.TypeCompaction:
		it.compaction = true
		return it, nil
	case format.TypeMessage:
		role := path.Role(pos)
		it.answer = role == format.RoleAssistant
		switch {
		case t.edits[path.ID(pos)] != nil:
			return it, t.lookEdited(&it, pos)
		case t.weightless && role != "":
			t.speak(&it, role)
			return it, nil
		}
		raw, err := path.Message(pos)
		if err == nil && raw != nil {
			t.add(&it, raw)
		}
		return it, err
	case format.TypeCustomMessage, format.TypeBranchSummary:
		return it, t.lookEdited(&it, pos)
	}
	return it, nil
}

func (t *tail) takeEdit(it *item, pos int) error {
	entry, err := t.trail.path.Entry(pos)
	if err != nil {
		return err
	}
	if e, ok := entry.(*format.ContextEdit); ok {
		it.edit = e
		if _, later := t.edits[e.TargetID]; !later && e.TargetID != "" {
			t.edits[e.TargetID] = e
		}
	}
	return nil
}

// lookEdited reads an entry as the context shows it.
func (t *tail) lookEdited(it *item, pos int) error {
	entry, err := t.trail.path.Entry(pos)
	if err != nil {
		return err
	}
	edit := t.edits[entry.Head().ID]
	raws, err := project(entry, edit)
	if err != nil {
		return err
	}
	for _, raw := range raws {
		t.add(it, raw)
	}
	if !it.visible && edit != nil {
		unedited, err := project(entry, nil)
		if err != nil {
			return err
		}
		it.hidden = len(unedited) > 0
	}
	return nil
}

func (t *tail) add(it *item, raw []byte) {
	m, _ := journal.ReadMessage(raw)
	role := format.Role(text(m.Role))
	t.speak(it, role)
	if !t.weightless {
		it.tokens += t.estimator.RawTokens(raw)
	}
	switch role {
	case format.RoleAssistant:
		it.usage = suppliedUsage(text(m.StopReason), m.Usage)
		for _, b := range journal.Blocks(m.Content) {
			if text(b.Type) == "toolCall" {
				it.calls = append(it.calls, text(b.ID))
			}
		}
	case format.RoleToolResult:
		if id := text(m.ToolCallID); id != "" {
			it.results = append(it.results, id)
		}
	}
}

// speak sets the properties that depend only on the role of a message.
func (t *tail) speak(it *item, role format.Role) {
	it.visible = true
	it.summarizable = it.summarizable || role != format.RoleSystem
	switch role {
	case format.RoleAssistant:
		it.cut = true
	case format.RoleUser, format.RoleBashExecution, format.RoleCustom, format.RoleHookMessage,
		format.RoleBranchSummary, format.RoleCompactionSummary:
		it.cut, it.turn = true, true
	}
}
