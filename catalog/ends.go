package catalog

import (
	"context"
	"io"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/lines"
)

// ends are the entries that nothing follows, and how the path to each ended.
// They are kept so that appended lines can be added to them without a look at
// the lines before: an entry whose parent is no end begins a branch, whatever
// that parent is.
type ends struct {
	any    bool // there is an entry
	last   []byte
	state  state            // at last
	others map[string]state // all ends but last
	stand  state            // where the session stands, on which names and labels have no say
	at     []byte           // the last entry that is neither
}

func (e *ends) reset() { *e = ends{last: e.last[:0], at: e.at[:0]} }

// add takes the next entry, which changes the state of its path if decides is
// set, and does not say where the session stands if it is a note. An entry without an id, which old versions wrote, follows the one before.
func (e *ends) add(id, parent []byte, decided state, decides, note bool) {
	if len(id) == 0 {
		parent = e.last
	}
	at := e.state
	if e.any && string(parent) != string(e.last) {
		at = e.leave(parent)
	}
	if decides {
		at = decided
	}
	e.any, e.state = true, at
	if !note {
		e.stand = at
	}
	if len(id) > 0 {
		e.last = append(e.last[:0], id...)
	}
	if !note {
		e.at = append(e.at[:0], e.last...)
	}
}

// leave goes on at another parent than the last entry. It returns the state
// there.
func (e *ends) leave(parent []byte) state {
	if e.others == nil {
		e.others = map[string]state{}
	}
	e.others[string(e.last)] = e.state
	if len(parent) == 0 {
		return stateEmpty
	}
	if at, ok := e.others[string(parent)]; ok {
		delete(e.others, string(parent))
		return at
	}
	return stateUnknown
}

// count is the number of ends.
func (e *ends) count() int {
	if !e.any {
		return 0
	}
	return len(e.others) + 1
}

// A pathNode is what following a path needs of an entry.
type pathNode struct {
	parent  string
	state   state
	decides bool
}

// stateAt reads a whole log again to follow the path to an entry. It is needed
// when the last entry says nothing about the conversation and hangs on an entry
// in the middle, as a mark of the position does.
func stateAt(ctx context.Context, in io.Reader, id string) (state, error) {
	nodes := map[string]pathNode{}
	var spans [len(entryKeys)]jsonl.Span
	take := func(line []byte, _ int64) error {
		if shape, _ := entryScanner.Scan(line, spans[:]); shape != jsonl.Object {
			return nil
		}
		own, _ := envelope.Text(spans[keyID].Of(line))
		parent, _ := envelope.Text(spans[keyParent].Of(line))
		typ, _ := envelope.Text(spans[keyType].Of(line))
		at, decides := stateOfLine(typ, spans[keyMessage].Of(line))
		nodes[string(own)] = pathNode{string(parent), at, decides}
		return nil
	}
	var reader lines.Reader
	if _, err := reader.Each(ctx, in, 0, take); err != nil {
		return stateUnknown, err
	}
	for range len(nodes) { // a circle ends too
		node, ok := nodes[id]
		if !ok {
			break
		}
		if node.decides {
			return node.state, nil
		}
		id = node.parent
	}
	return stateEmpty, nil
}
