package llmtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
)

// An Answer is the server's response to one request. The zero Answer has no
// content. Methods return a modified copy.
type Answer struct {
	Blocks []Block
	Usage  Usage
	// Stop is the stop reason: stop, length, toolUse, or a reason of the
	// protocol. "" means toolUse if there are calls, and stop otherwise.
	Stop string
	// Model and ID are reported by the provider; "" means the requested model
	// and a number.
	Model, ID string
	// Status and Body refuse the request if Status is set and not 200.
	Status int
	Body   string
	// Header is added to the response.
	Header http.Header
	// Raw, if not empty, is sent instead of the stream.
	Raw string
	// Fault is sent as an error inside the stream, after the blocks.
	Fault string

	ending ending
	at     int
	signal <-chan struct{}
}

// ending is the event at a byte of the response.
type ending uint8

const (
	whole ending = iota
	cut
	stall
	hold
)

// A Block is a part of an answer: text, thinking or a call.
type Block struct {
	Text string

	Thinking  string
	Signature string
	Redacted  string // encrypted thinking

	CallID    string
	Tool      string
	Arguments string // as streamed; need not be JSON

	kind kind
}

type kind uint8

const (
	text kind = iota
	thinking
	redacted
	call
)

// Usage counts tokens. Input excludes cache reads and writes; the server adds
// them if a protocol requires it. Zero counts are sent as zero; None sends no
// usage.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64
	None                                            bool
}

// Text returns an answer with one text.
func Text(s string) Answer { return Answer{}.Text(s) }

// Call returns an answer that calls a tool.
func Call(id, tool, arguments string) Answer { return Answer{}.Call(id, tool, arguments) }

// Thinking returns an answer that starts with thinking.
func Thinking(thought, signature string) Answer { return Answer{}.Thinking(thought, signature) }

// Status returns an answer that refuses a request.
func Status(code int, body string) Answer { return Answer{Status: code, Body: body} }

// Throttled returns an answer that refuses a request with a Retry-After in
// seconds.
func Throttled(seconds int) Answer {
	a := Status(http.StatusTooManyRequests, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)
	return a.With("Retry-After", strconv.Itoa(seconds))
}

// Garbage returns an answer that sends raw instead of events.
func Garbage(raw string) Answer { return Answer{Raw: raw} }

// Text adds a text.
func (a Answer) Text(s string) Answer { return a.block(Block{kind: text, Text: s}) }

// Thinking adds thinking.
func (a Answer) Thinking(thought, signature string) Answer {
	return a.block(Block{kind: thinking, Thinking: thought, Signature: signature})
}

// Redacted adds encrypted thinking. Chat Completions has none, so it is omitted
// there.
func (a Answer) Redacted(data string) Answer { return a.block(Block{kind: redacted, Redacted: data}) }

// Call adds a call.
func (a Answer) Call(id, tool, arguments string) Answer {
	return a.block(Block{kind: call, CallID: id, Tool: tool, Arguments: arguments})
}

func (a Answer) block(b Block) Answer {
	a.Blocks = append(a.Blocks[:len(a.Blocks):len(a.Blocks)], b)
	return a
}

// Tokens sets the counts of input and output.
func (a Answer) Tokens(input, output int64) Answer {
	a.Usage.Input, a.Usage.Output = input, output
	return a
}

// Cache sets the counts of the cache.
func (a Answer) Cache(read, write int64) Answer {
	a.Usage.CacheRead, a.Usage.CacheWrite = read, write
	return a
}

// Stopped sets the stop reason.
func (a Answer) Stopped(reason string) Answer {
	a.Stop = reason
	return a
}

// With adds a header.
func (a Answer) With(name, value string) Answer {
	header := http.Header{}
	for n, v := range a.Header {
		header[n] = v
	}
	header.Add(name, value)
	a.Header = header
	return a
}

// Failing ends the stream with an error event of that body.
func (a Answer) Failing(body string) Answer {
	a.Fault = body
	return a
}

// CutAt breaks the connection after n bytes of the stream. The response then
// has no proper end, even if all of its bytes were sent.
func (a Answer) CutAt(n int) Answer {
	a.ending, a.at = cut, n
	return a
}

// StallAt sends nothing more after n bytes, until the client disconnects or the
// server is closed.
func (a Answer) StallAt(n int) Answer {
	a.ending, a.at = stall, n
	return a
}

// HoldAt waits after n bytes until the channel is closed, and then continues.
func (a Answer) HoldAt(n int, until <-chan struct{}) Answer {
	a.ending, a.at, a.signal = hold, n, until
	return a
}

func (a Answer) stop() string {
	if a.Stop != "" {
		return a.Stop
	}
	if slices.ContainsFunc(a.Blocks, func(b Block) bool { return b.kind == call }) {
		return "toolUse"
	}
	return "stop"
}

// pieces splits a text in the middle, so that every block is streamed in parts.
func pieces(s string) []string {
	runes := []rune(s)
	if len(runes) < 2 {
		return []string{s}
	}
	half := len(runes) / 2
	return []string{string(runes[:half]), string(runes[half:])}
}

func marshal(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // the server's own values are always JSON
	}
	return string(out)
}
