package llmtest

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// An Answer is what the server sends for one request. The zero Answer is an
// answer without content. Methods return a changed copy.
type Answer struct {
	Blocks []Block
	Usage  Usage
	// Stop is why the answer ends: stop, length, toolUse, or a reason in the
	// protocol's own words. "" is toolUse when there are calls, and stop otherwise.
	Stop string
	// Model and ID are what the provider says about itself; "" means the model that
	// was asked for and a number.
	Model, ID string
	// Status and Body refuse the request, when Status is set and not 200.
	Status int
	Body   string
	// Header is added to the response.
	Header http.Header
	// Raw is sent instead of the stream, when it is not empty.
	Raw string
	// Fault is sent as an error inside the stream, after the blocks.
	Fault string

	ending ending
	at     int
	signal <-chan struct{}
}

// ending is what happens at a byte of the response.
type ending uint8

const (
	whole ending = iota
	cut
	stall
	hold
)

// A Block is a part of an answer: text, a thought or a call.
type Block struct {
	Text string

	Thinking  string
	Signature string
	Redacted  string // the encrypted thought

	CallID    string
	Tool      string
	Arguments string // as it is streamed; need not be JSON

	kind kind
}

type kind uint8

const (
	text kind = iota
	thinking
	redacted
	call
)

// Usage counts tokens. Input does not contain what the cache gave or took; the
// server adds it up where a protocol wants that. Zero counts are sent as zero;
// None sends no usage at all.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64
	None                                            bool
}

// Text is an answer of one text.
func Text(s string) Answer { return Answer{}.Text(s) }

// Call is an answer that calls a tool.
func Call(id, tool, arguments string) Answer { return Answer{}.Call(id, tool, arguments) }

// Thinking is an answer that begins with a thought.
func Thinking(thought, signature string) Answer { return Answer{}.Thinking(thought, signature) }

// Status refuses a request.
func Status(code int, body string) Answer { return Answer{Status: code, Body: body} }

// Throttled refuses a request and asks to come back after some seconds.
func Throttled(seconds int) Answer {
	a := Status(http.StatusTooManyRequests, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)
	return a.With("Retry-After", strconv.Itoa(seconds))
}

// Garbage is a stream of something else.
func Garbage(raw string) Answer { return Answer{Raw: raw} }

// Text adds a text.
func (a Answer) Text(s string) Answer { return a.block(Block{kind: text, Text: s}) }

// Thinking adds a thought.
func (a Answer) Thinking(thought, signature string) Answer {
	return a.block(Block{kind: thinking, Thinking: thought, Signature: signature})
}

// Redacted adds an encrypted thought. Chat Completions has none; it is left out
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

// Stopped sets why the answer ends.
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

// CutAt breaks the connection after n bytes of the stream. The response has no
// proper end then, even when all of its bytes were sent.
func (a Answer) CutAt(n int) Answer {
	a.ending, a.at = cut, n
	return a
}

// StallAt sends nothing more after n bytes, until the client goes away or the
// server is closed.
func (a Answer) StallAt(n int) Answer {
	a.ending, a.at = stall, n
	return a
}

// HoldAt waits after n bytes until the channel is closed, and then goes on.
func (a Answer) HoldAt(n int, until <-chan struct{}) Answer {
	a.ending, a.at, a.signal = hold, n, until
	return a
}

func (a Answer) stop() string {
	if a.Stop != "" {
		return a.Stop
	}
	for _, b := range a.Blocks {
		if b.kind == call {
			return "toolUse"
		}
	}
	return "stop"
}

// pieces cuts a text in the middle, so that every block is streamed in parts.
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
