package llm

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
)

// MendArguments lets tests read arguments as a stream's end does.
var MendArguments = mendArguments

// Transient reports whether an error text speaks of something that passes by
// itself.
func Transient(text string) bool { return classOf(0, text, "") == Retryable }

// LimitedBody reads a body of which n bytes may come.
func LimitedBody(r io.Reader, n int64) io.Reader {
	return &watchedBody{io.NopCloser(r), func() {}, n}
}

// SetNow gives a registry another clock.
func SetNow(r *Registry, now func() time.Time) { r.now = now }

// ReadStream reads a stream as the client of a protocol does.
func ReadStream(api, stream string, observe func(Event)) (*format.Assistant, error) {
	return ReadBody(api, strings.NewReader(stream), observe)
}

// ReadBody is ReadStream for what a connection gives.
func ReadBody(api string, body io.Reader, observe func(Event)) (*format.Assistant, error) {
	m := Model{API: api, Provider: "p", ID: "m"}
	a := newAnswer(m, Options{Now: time.Now}, observe)
	var err error
	if api == APIAnthropic {
		in := &anthropicReader{answer: a, model: m, byIndex: map[int64]*part{}}
		err = in.read(newEvents(body))
	} else {
		in := &openAIReader{answer: a, model: m, finishes: true, byIndex: map[int64]*part{}, byID: map[string]*part{}}
		err = in.read(newEvents(body))
	}
	if err != nil {
		ctx := context.Background()
		return a.fail(ctx, ctx, err, scrubber{})
	}
	return a.finish(), nil
}
