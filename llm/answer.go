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

// abortedText is the error that pi records for a cancelled response.
const abortedText = "Request was aborted"

// An answer is a response that is being received. It reports each piece to the
// observer and holds everything received so far.
type answer struct {
	message format.Assistant
	parts   []*part
	observe func(Event)
	started bool
}

// A part is one block of a response.
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
		message: format.Assistant{API: m.API, Provider: m.Provider, Model: m.ID, Timestamp: o.Now().UnixMilli()},
		observe: observe,
	}
}

func (a *answer) start() {
	if !a.started {
		a.started = true
		a.observe(Event{Kind: Start})
	}
}

func (a *answer) begin(kind EventKind, id, name string) *part {
	a.start()
	p := &part{index: len(a.parts), kind: kind, id: id, name: name}
	a.parts = append(a.parts, p)
	a.observe(Event{Kind: kind, Index: p.index, ToolName: name})
	return p
}

// add appends a piece to a block. The event kinds of a block are consecutive:
// start, delta, end.
func (a *answer) add(p *part, piece string) {
	if piece == "" || p.ended {
		return
	}
	p.text.WriteString(piece)
	a.observe(Event{Kind: p.kind + 1, Index: p.index, Delta: piece, ToolName: p.name})
}

// end closes a block. The arguments of a call must be a JSON object, unless cut
// reports that the provider ended the response for its length, possibly in the
// middle of them.
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

// block returns the block received so far. whole is false for a call whose
// arguments are not a JSON object; the readable part of them is kept.
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

// finish returns the message received so far.
func (a *answer) finish() *format.Assistant {
	blocks := make([]format.Block, 0, len(a.parts))
	for _, p := range a.parts {
		block, _ := p.block()
		blocks = append(blocks, block)
	}
	a.message.Content = format.BlockContent(blocks...)
	return &a.message
}

// fail ends an incomplete response. asked is the caller's context; watched is
// also cancelled if the provider is silent.
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

// endAll closes the open blocks, in order.
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
