package llm

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/lazyregexp"
)

// Errors that a stream can end in.
var (
	errCut       = errors.New("the stream ended before the answer did")
	errMalformed = errors.New("the stream holds what is no event")
)

// A streamError is an error that the provider reports inside a stream.
type streamError struct{ body string }

func (e *streamError) Error() string { return shortened(e.body) }

// newStreamError makes sure that there are words. Without any, nothing says that
// the same request would fail again.
func newStreamError(body string) error {
	if strings.TrimSpace(body) == "" {
		body = "server error: the provider reported an error without a word"
	}
	return &streamError{body}
}

// A brokenOff is an answer that the provider broke off and says why.
type brokenOff struct{ reason string }

func (e *brokenOff) Error() string { return e.reason }

// An argumentsError is a tool call whose arguments are no JSON object.
type argumentsError struct{ tool string }

func (e *argumentsError) Error() string {
	return "the model called the tool " + strconv.Quote(e.tool) + " with arguments that are not a JSON object"
}

// maxErrorText bounds what of a provider's words becomes part of a session.
const maxErrorText = 4000

func shortened(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxErrorText {
		return s
	}
	return strings.ToValidUTF8(s[:maxErrorText], "") + "… (cut)"
}

// classify makes an *Error of whatever ended a request. ctx is that of the watch.
// The result wraps nothing that holds the request, and with it the key.
func classify(ctx context.Context, err error, provider string, hide scrubber) *Error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return &Error{Class: Retryable, Err: errStalled}
	}
	var r *refusal
	if errors.As(err, &r) {
		return r.hiding(hide).classify(provider)
	}
	var s *streamError
	if errors.As(err, &s) { // hidden before it is shortened
		s = &streamError{hide.text(s.body)}
		err = s
	}
	out := &Error{Err: errors.New(hide.text(describe(err)))}
	var stop *brokenOff
	switch {
	case errors.Is(err, errRedirect), errors.Is(err, errTooLong), errors.As(err, new(*keyError)):
		out.Class = Final
	case errors.Is(err, errCut), errors.Is(err, errMalformed), errors.As(err, new(*argumentsError)):
		out.Class = Retryable
	case s != nil:
		out.Status = statusIn(s.body)
		out.Class = classOf(out.Status, s.body, provider)
	case errors.As(err, &stop):
		out.Class = classOfText(stop.reason, provider)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		out.Class = Final
	default:
		out.Class = networkClass(err)
	}
	return out
}

// describe is an error in words, without the address that a *url.Error quotes:
// addresses can hold keys.
func describe(err error) string {
	var u *url.Error
	if !errors.As(err, &u) {
		return err.Error()
	}
	host := ""
	if at, parseErr := url.Parse(u.URL); parseErr == nil {
		host = at.Host
	}
	if errors.Is(u.Err, io.EOF) || errors.Is(u.Err, io.ErrUnexpectedEOF) {
		return host + ": the connection was closed before the response"
	}
	return host + ": connection error: " + u.Err.Error()
}

// networkClass is Retryable for what happened on the wire, and Final for a
// request that could not be made at all.
func networkClass(err error) Class {
	var u *url.Error
	switch {
	case errors.As(err, &u), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		if u != nil && strings.Contains(u.Err.Error(), "unsupported protocol scheme") {
			return Final
		}
		return Retryable
	}
	return classOfText(err.Error(), "")
}

// hiding is the refusal without secrets. They are taken out of the whole body: of
// one that is cut through, a part would be left.
func (r *refusal) hiding(hide scrubber) *refusal {
	out := *r
	out.body = hide.text(r.body)
	return &out
}

func (r *refusal) classify(provider string) *Error {
	e := &Error{Status: r.status, RetryAfter: retryAfter(r.header), Err: errors.New(r.Error())}
	if r.status >= 200 && r.status <= 299 {
		e.Class = classOf(statusIn(r.body), r.body, provider)
		return e
	}
	e.Class = classOf(r.status, r.Error(), provider)
	if e.Class == Overflow {
		return e
	}
	switch r.header.Get("X-Should-Retry") {
	case "true":
		e.Class = Retryable
	case "false":
		e.Class = Final
	}
	return e
}

// classOf decides by the status and then by the words. A status that says
// throttled is no overflow, whatever the words are (pitfall 116), and an account
// without money stays so.
func classOf(status int, text, provider string) Class {
	switch {
	case exhausted().MatchString(text):
		return Final
	case status != http.StatusTooManyRequests && overflows(text, provider):
		return Overflow
	case status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooManyRequests, status >= 500:
		return Retryable
	case status >= 300:
		return Final
	}
	return classOfText(text, provider)
}

// classOfText decides by the words alone. What passes by itself is load, limits of
// rate and the network; an exhausted account and an overflow do not.
func classOfText(text, provider string) Class {
	switch {
	case exhausted().MatchString(text):
		return Final
	case overflows(text, provider):
		return Overflow
	case transient().MatchString(text):
		return Retryable
	}
	return Final
}

// The words by which pi knows what passes by itself, and what does not.
var (
	exhausted = lazyregexp.New(`(?i)GoUsageLimitError|FreeUsageLimitError|Monthly usage limit reached|available balance|` +
		`insufficient_quota|out of budget|quota exceeded|billing`)
	transient = lazyregexp.New(`(?i)overloaded|currently experiencing high demand|rate.?limit|too many requests|` +
		`\b(?:429|500|502|503|504|520|524|529)\b|service.?unavailable|server.?error|internal.?error|api_error|provider.?returned.?error|` +
		`exceeded request buffer limit while retrying upstream|network.?error|connection.?(?:error|refused|lost|reset)|` +
		`other side closed|fetch failed|upstream.?connect|reset before headers|socket hang up|socket connection was closed|` +
		`timed? out|timeout|terminated|websocket.?(?:closed|error)|ended without|stream ended before|` +
		`http2 request did not get a response|retry delay|you can retry your request|try your request again|` +
		`please retry your request|ResourceExhausted`)
)

// statusIn is the HTTP status that an error inside a stream gives as its code; 0
// when it gives none.
func statusIn(body string) int {
	var e struct {
		Code  json.RawMessage `json:"code"`
		Error struct {
			Code json.RawMessage `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(body), &e) != nil {
		return 0
	}
	for _, code := range []json.RawMessage{e.Error.Code, e.Code} {
		n, err := strconv.Atoi(strings.Trim(string(code), `"`))
		if err == nil && n >= 300 && n < 600 {
			return n
		}
	}
	return 0
}

// retryAfter reads how long a provider asks to wait: in milliseconds, in seconds
// or until a date.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return wait(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return wait(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// wait is n units, without overflow and never negative.
func wait(n float64, unit time.Duration) time.Duration {
	const most = 24 * time.Hour
	if !(n > 0) {
		return 0
	}
	if n > float64(most/unit) {
		return most
	}
	return time.Duration(n * float64(unit))
}

// A Class says what can be done about an error.
type Class uint8

const (
	// Final: the same request would fail again.
	Final Class = iota
	// Retryable: the same request may succeed later.
	Retryable
	// Overflow: the conversation is too long for the model; a shorter one may do.
	Overflow
)

// An Error says why a model did not answer. It never holds a key.
type Error struct {
	Class  Class
	Status int // of HTTP; 0 when there was no response
	// RetryAfter is how long the provider asks to wait; 0 when it does not say.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of an error; Final for one that is no *[Error].
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Final
}
