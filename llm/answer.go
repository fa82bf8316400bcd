package llm

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// The stop reasons that sessions record.
const (
	stopStop    = "stop"
	stopLength  = "length"
	stopToolUse = "toolUse"
	stopError   = "error"
	stopAborted = "aborted"
)

// abortedText is what pi records for an answer that was cancelled.
const abortedText = "Request was aborted"

// An answer is a message that is coming in. It tells the observer about each
// piece and holds at any moment what has come.
type answer struct {
	message format.Assistant
	parts   []*part
	observe func(Event)
	started bool
}

// A part is one block of an answer.
type part struct {
	index     int
	kind      EventKind // TextStart, ThinkingStart or ToolCallStart
	text      strings.Builder
	signature string
	redacted  bool
	id, name  string
	ended     bool
}

func newAnswer(m Model, o Options, observe func(Event)) *answer {
	if observe == nil {
		observe = func(Event) {}
	}
	return &answer{
		message: format.Assistant{API: m.API, Provider: m.Provider, Model: m.ID, Timestamp: o.now().UnixMilli()},
		observe: observe,
	}
}

func (a *answer) start() {
	if !a.started {
		a.started = true
		a.observe(Event{Kind: Start})
	}
}

// begin adds a block.
func (a *answer) begin(kind EventKind, id, name string) *part {
	a.start()
	p := &part{index: len(a.parts), kind: kind, id: id, name: name}
	a.parts = append(a.parts, p)
	a.observe(Event{Kind: kind, Index: p.index, ToolName: name})
	return p
}

// add appends a piece to a block. The kinds of a block follow each other: start,
// delta, end.
func (a *answer) add(p *part, piece string) {
	if piece == "" || p.ended {
		return
	}
	p.text.WriteString(piece)
	a.observe(Event{Kind: p.kind + 1, Index: p.index, Delta: piece, ToolName: p.name})
}

// end closes a block. A call must have a JSON object for its arguments; cut says
// that the provider ended the answer for its length, which may be in the middle
// of them.
func (a *answer) end(p *part, cut bool) error {
	if p.ended {
		return nil
	}
	p.ended = true
	block, whole := p.block()
	if !whole && !cut {
		return &argumentsError{p.name}
	}
	a.observe(Event{Kind: p.kind + 2, Index: p.index, Block: block, ToolName: p.name})
	return nil
}

// block is the block as far as it has come. whole is false for a call whose
// arguments are not a JSON object; what can be read of them is kept.
func (p *part) block() (_ format.Block, whole bool) {
	switch p.kind {
	case TextStart:
		return &format.TextBlock{Text: p.text.String()}, true
	case ThinkingStart:
		return &format.ThinkingBlock{Thinking: p.text.String(), ThinkingSignature: p.signature, Redacted: p.redacted}, true
	}
	arguments, whole := mendArguments(p.text.String())
	return &format.ToolCallBlock{ID: p.id, Name: p.name, Arguments: json.RawMessage(arguments)}, whole
}

// finish is the message with what has come.
func (a *answer) finish() *format.Assistant {
	blocks := make([]format.Block, 0, len(a.parts))
	for _, p := range a.parts {
		block, _ := p.block()
		blocks = append(blocks, block)
	}
	a.message.Content = format.BlockContent(blocks...)
	return &a.message
}

// fail ends an answer that did not come to its end. asked is the context of the
// caller, watched the one that also ends when the provider is silent.
func (a *answer) fail(asked, watched context.Context, err error, hide scrubber) (*format.Assistant, error) {
	m := a.finish()
	if ctxErr := asked.Err(); ctxErr != nil {
		m.StopReason, m.ErrorMessage = stopAborted, abortedText
		return m, ctxErr
	}
	e := classify(watched, err, m.Provider, hide)
	m.StopReason, m.ErrorMessage = stopError, e.Error()
	return m, e
}

// endAll closes the blocks that are open, in their order.
func (a *answer) endAll() error {
	cut := a.message.StopReason == stopLength
	var first error
	for _, p := range a.parts {
		if err := a.end(p, cut); err != nil && first == nil {
			first = err
		}
	}
	return first
}
