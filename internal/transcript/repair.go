package transcript

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Repair makes a context acceptable to any provider. The messages are in pi's
// form, as [Plan.Messages] yields them. Every difference to msgs is reported,
// in the order of msgs. Messages that need no change keep their bytes and their
// order, and share their memory with msgs, which is not modified. A context
// without problems is returned unchanged. The cost is linear in the bytes of
// msgs.
func Repair(msgs []Message) ([]Message, []Change) {
	r := repair{items: make([]item, len(msgs))}
	for i, m := range msgs {
		r.items[i] = newItem(m)
	}
	r.pair()
	r.rename()
	slots := r.arrange()
	r.findMoved(slots)
	out := make([]Message, len(slots))
	for i, s := range slots {
		out[i] = r.render(s)
	}
	if len(out) == 0 {
		out = nil
	}
	return out, r.changes()
}

type repair struct{ items []item }

// A fate is what happens to a message.
type fate uint8

const (
	kept fate = iota
	dropped
	answers // a result that is put after its call
	demoted // a result that becomes a user message
)

// An item is one message of the repaired context.
type item struct {
	Message // with text that can be sent
	view
	calls    []call
	fate     fate
	why      ChangeKind // reason for dropping
	replaced bool       // text was replaced
	moved    bool
	answered *call  // for a result
	time     []byte // the timestamp member, for generated results
}

// A call is one tool call of a response.
type call struct {
	block  int        // index in the response's blocks
	why    ChangeKind // reason for dropping; 0 if it stays
	newID  string     // "" if it keeps its own
	result int        // index of the item with its result, or -1
}

func newItem(m Message) item {
	raw, replaced := sendable(m.Raw)
	it := item{Message: Message{m.Pos, raw}, view: look(raw), replaced: replaced}
	switch {
	case !it.known():
		it.drop(DroppedUnknown)
	case it.excluded:
		it.drop(DroppedExcluded)
	case it.role == format.RoleAssistant:
		it.judgeAnswer()
	}
	return it
}

func (it *item) drop(why ChangeKind) { it.fate, it.why = dropped, why }

// judgeAnswer decides which calls of an assistant message stay, and whether the
// message does.
func (it *item) judgeAnswer() {
	var seen map[string]bool
	left := false // a call stays
	for i := range it.blocks {
		b := &it.blocks[i]
		if b.kind != blockCall {
			continue
		}
		c := call{block: i, result: -1}
		switch {
		case it.failed():
			c.why = DroppedFailed
		case it.truncated():
			c.why = DroppedTruncatedCall
		case seen[b.id]:
			c.why = DroppedRepeatedCall
		case !b.complete():
			c.why = DroppedIncompleteCall
		default:
			left = true
			if seen == nil {
				seen = make(map[string]bool)
			}
			seen[b.id] = true
		}
		it.calls = append(it.calls, c)
	}
	switch {
	case it.failed():
		it.drop(DroppedFailed)
	case !left && !it.spoken:
		it.drop(DroppedEmpty)
	}
}

// pair finds the call of every result: the last one with its id before it.
func (r *repair) pair() {
	last := make(map[string]*call)
	for i := range r.items {
		it := &r.items[i]
		for n := range it.calls {
			// A repeated call is dropped, but the results belong to the one
			// that stays.
			if c := &it.calls[n]; c.why != DroppedRepeatedCall {
				last[it.blocks[c.block].id] = c
			}
		}
		if it.role != format.RoleToolResult {
			continue
		}
		c := last[it.callID]
		switch {
		case c == nil || it.callID == "":
			it.fate = demoted
		case c.why != 0:
			it.drop(DroppedResult)
		case c.result >= 0:
			it.drop(DroppedDuplicateResult)
		default:
			it.fate, it.answered = answers, c
			c.result = i
		}
	}
}

// A slot is a place in the repaired context: an item, or, if item is -1, the
// generated result of a call of owner.
type slot struct {
	item  int
	owner int
	call  *call
}

// arrange puts every result directly after its call, in the order of the calls.
func (r *repair) arrange() []slot {
	slots := make([]slot, 0, len(r.items))
	for i := range r.items {
		it := &r.items[i]
		if it.fate != kept && it.fate != demoted {
			continue
		}
		slots = append(slots, slot{item: i})
		for n := range it.calls {
			if c := &it.calls[n]; c.why == 0 {
				slots = append(slots, slot{c.result, i, c})
			}
		}
	}
	return slots
}

// findMoved marks the results that were overtaken by an item that was before
// them.
func (r *repair) findMoved(slots []slot) {
	first := len(r.items) // smallest item of the slots after
	for i := len(slots) - 1; i >= 0; i-- {
		n := slots[i].item
		if n < 0 {
			continue
		}
		r.items[n].moved = first < n
		first = min(first, n)
	}
}

// changes lists the changes, in the order of the messages.
func (r *repair) changes() []Change {
	var out []Change
	for i := range r.items {
		it := &r.items[i]
		out = it.callChanges(out)
		own := Change{Pos: it.Pos, CallID: it.callID, Tool: it.tool}
		add := func(kind ChangeKind, detail string) {
			own.Kind, own.Detail = kind, detail
			out = append(out, own)
		}
		if it.fate == dropped {
			add(it.why, it.reason())
			continue
		}
		if it.replaced {
			add(ReplacedText, "")
		}
		if it.fate == demoted {
			add(DemotedResult, "")
		}
		if it.moved {
			add(MovedResult, "")
		}
		if it.fate == answers && it.answered.newID != "" {
			add(RenamedCall, it.answered.newID)
		}
	}
	return out
}

// callChanges lists the changes of the calls of a response. Those of a failed
// one are dropped with it and not listed separately.
func (it *item) callChanges(out []Change) []Change {
	for n := range it.calls {
		c, b := &it.calls[n], &it.blocks[it.calls[n].block]
		own := Change{Kind: c.why, Pos: it.Pos, CallID: b.id, Tool: b.name}
		if c.why != 0 && c.why != DroppedFailed {
			out = append(out, own)
		}
		if c.newID != "" {
			own.Kind, own.Detail = RenamedCall, c.newID
			out = append(out, own)
		}
		if c.why == 0 && c.result < 0 {
			own.Kind, own.Detail = AddedResult, ""
			out = append(out, own)
		}
	}
	return out
}

// reason returns the detail for a dropped message.
func (it *item) reason() string {
	switch it.why {
	case DroppedUnknown, DroppedExcluded:
		return string(it.role)
	case DroppedFailed:
		return it.stop
	}
	return ""
}

// rename gives calls ids of their own. Some models number their calls from the
// start in every response, while some providers require ids that are unique in
// the whole conversation. The first call with an id keeps it.
func (r *repair) rename() {
	taken := make(map[string]bool)
	unique := true
	for id := range r.liveCalls {
		unique = unique && !taken[id]
		taken[id] = true
	}
	if unique {
		return
	}
	next := make(map[string]int) // the number for the next call with an id
	for id, c := range r.liveCalls {
		if next[id]++; next[id] == 1 {
			continue
		}
		c.newID = numbered(id, next[id])
		for taken[c.newID] {
			next[id]++
			c.newID = numbered(id, next[id])
		}
		taken[c.newID] = true
	}
}

// numbered adds a number to an id. Ids of some providers have a second part
// after a bar; the first part must be unique.
func numbered(id string, n int) string {
	call, rest, found := strings.Cut(id, "|")
	call += "_" + strconv.Itoa(n)
	if found {
		return call + "|" + rest
	}
	return call
}

// liveCalls yields the calls that stay, with the ids in the session.
func (r *repair) liveCalls(yield func(string, *call) bool) {
	for i := range r.items {
		it := &r.items[i]
		if it.fate != kept {
			continue
		}
		for n := range it.calls {
			if c := &it.calls[n]; c.why == 0 && !yield(it.blocks[c.block].id, c) {
				return
			}
		}
	}
}

// sendable returns raw with every character that cannot be sent replaced by
// U+FFFD: the escape of an unpaired surrogate, which UTF-8 cannot express, and
// bytes that are not UTF-8 (pitfall 19). Other bytes stay. If there is nothing
// to replace, the result is raw itself.
func sendable(raw []byte) ([]byte, bool) {
	out := jsonl.Decoded(joinedHalves(raw))
	return out, len(out) > 0 && &out[0] != &raw[0]
}

// joinedHalves replaces unpaired surrogates. A replacement has the same length
// as the original.
func joinedHalves(raw []byte) []byte {
	if !jsonl.HasLoneHalf(raw) {
		return raw
	}
	out := bytes.Clone(raw)
	for i := jsonl.NextLoneHalf(raw, 0); i >= 0; i = jsonl.NextLoneHalf(raw, i+6) {
		copy(out[i+2:], "fffd")
	}
	return out
}
