package compact

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A tail walks the entries of a context from the last one backwards and reads no
// further than it is asked to. Every edit stands behind the entry that it changes,
// so the edits of an entry are known when it is reached.
//
// The compaction that the context begins with is not part of the walk, and
// neither are system messages that it keeps, because it carries their state itself.
type tail struct {
	trail     *trail
	estimator Estimator
	next      int // the position to read next
	edits     map[string]*format.ContextEdit
	items     []item
	// weightless is set when nobody asks for the tokens of further items.
	weightless bool
}

// An item is what the search for a cut knows of an entry.
type item struct {
	pos    int
	tokens int64

	compaction bool // an older one, which gives the context nothing
	visible    bool // gives the context a message
	told       bool // gives it one that can be summarised: system messages are not
	cut        bool // the context may begin with it
	turn       bool // begins a turn
	usage      int64

	hidden bool                // would be visible, if an edit did not hide it
	answer bool                // is an answer of the assistant
	edit   *format.ContextEdit // when it is an edit itself

	calls   []string // ids of the calls in it
	results []string // ids of the calls whose results are in it
}

func (t *trail) tail(e Estimator) *tail {
	return &tail{trail: t, estimator: e, next: len(t.ids) - 1, edits: map[string]*format.ContextEdit{}}
}

// at is the k-th item, counted from the end. It is nil when there are fewer.
func (t *tail) at(k int) (*item, error) {
	for k >= len(t.items) {
		pos := t.next
		if pos == t.trail.compacted {
			pos--
		}
		if pos < t.trail.kept && pos < t.trail.compacted || pos < 0 {
			return nil, nil
		}
		entry, err := t.trail.entry(pos)
		if err != nil {
			return nil, err
		}
		if entry.Head().Type == format.TypeResetBoundary {
			return nil, nil // the context starts anew behind it
		}
		t.next = pos - 1
		if pos < t.trail.compacted && isSystem(entry) {
			continue
		}
		if c, ok := entry.(*format.Compaction); ok && t.trail.compacted < 0 {
			t.trail.begin(pos, c)
			continue
		}
		it, err := t.look(entry)
		if err != nil {
			return nil, err
		}
		it.pos = pos
		t.items = append(t.items, it)
	}
	return &t.items[k], nil
}

func isSystem(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	return ok && m.Message.Role() == format.RoleSystem
}

func (t *tail) look(entry format.Entry) (item, error) {
	var it item
	switch e := entry.(type) {
	case *format.ContextEdit:
		it.edit = e
		if _, later := t.edits[e.TargetID]; !later && e.TargetID != "" {
			t.edits[e.TargetID] = e
		}
		return it, nil
	case *format.Compaction:
		it.compaction = true
		return it, nil
	case *format.MessageEntry:
		it.answer = e.Message.Role() == format.RoleAssistant
		if t.edits[e.ID] == nil {
			if jsonl.KindOf(e.Message.Raw()) == '{' {
				t.add(&it, e.Message)
			}
			return it, nil
		}
	case *format.CustomMessage, *format.BranchSummary:
	default:
		return it, nil
	}
	edit := t.edits[entry.Head().ID]
	raws, err := project(entry, edit)
	if err != nil {
		return it, err
	}
	for _, raw := range raws {
		m, err := format.DecodeMessage(raw)
		if err != nil {
			return it, err
		}
		t.add(&it, m)
	}
	if !it.visible && edit != nil {
		unedited, err := project(entry, nil)
		if err != nil {
			return it, err
		}
		it.hidden = len(unedited) > 0
	}
	return it, nil
}

// add takes one message of an item's entry.
func (t *tail) add(it *item, m format.Message) {
	it.visible = true
	if !t.weightless {
		it.tokens += t.estimator.Tokens(m)
	}
	it.told = it.told || m.Role() != format.RoleSystem
	switch m := m.(type) {
	case *format.Assistant:
		it.cut = true
		it.usage = suppliedUsage(m.StopReason, m.Usage.Raw)
		for _, b := range m.Content.Blocks {
			if call, ok := b.(*format.ToolCallBlock); ok {
				it.calls = append(it.calls, call.ID)
			}
		}
	case *format.ToolResult:
		if m.ToolCallID != "" {
			it.results = append(it.results, m.ToolCallID)
		}
	case *format.User, *format.BashExecution, *format.CustomRole, *format.BranchSummaryMessage, *format.CompactionSummaryMessage:
		it.cut, it.turn = true, true
	}
}
