package llm

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Errors that end a stream.
var (
	errCut       = errors.New("the stream ended before the response was complete")
	errMalformed = errors.New("the stream contains an invalid event")
)

// A streamError is an error that the provider reports inside a stream.
type streamError struct{ body string }

func (e *streamError) Error() string { return shortened(e.body) }

// newStreamError substitutes a text for an empty body. Without any, nothing
// indicates that the same request would fail again.
func newStreamError(body string) error {
	if strings.TrimSpace(body) == "" {
		body = "server error: the provider reported an error without a message"
	}
	return &streamError{body}
}

// A brokenOff is a response that the provider stopped early, with the reason.
type brokenOff struct{ reason string }

func (e *brokenOff) Error() string { return e.reason }

// An argumentsError is a tool call whose arguments are not a JSON object.
type argumentsError struct{ tool string }

func (e *argumentsError) Error() string {
	return "the model called the tool " + strconv.Quote(e.tool) + " with arguments that are not a JSON object"
}

// maxErrorText limits how much of a provider's error is stored in a session.
const maxErrorText = 4000

func shortened(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= maxErrorText {
		return s
	}
	return strings.ToValidUTF8(s[:maxErrorText], "") + "… (cut)"
}

// classify converts the error that ended a request to an *Error. ctx is the
// watched context. The result wraps nothing that contains the request, and with
// it the key.
func classify(ctx context.Context, err error, provider string, hide scrubber) *Error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return &Error{Class: Retryable, Err: errStalled}
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		// Secrets are removed from the whole body, because truncating first
		// could leave a part of one.
		shown := *r
		shown.body = hide.text(r.body)
		return shown.classify(provider)
	}
	var s *streamError
	if errors.As(err, &s) { // remove secrets before truncating
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
		out.Class = classOf(0, stop.reason, provider)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		out.Class = Final
	default:
		out.Class = networkClass(err)
	}
	return out
}

// describe returns the text of an error without the address that a *url.Error
// quotes, because addresses can contain keys.
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

// networkClass returns Retryable for network errors, and Final for a request
// that could not be made.
func networkClass(err error) Class {
	var u *url.Error
	switch {
	case errors.As(err, &u), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		if u != nil && strings.Contains(u.Err.Error(), "unsupported protocol scheme") {
			return Final
		}
		return Retryable
	}
	return classOf(0, err.Error(), "")
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

// classOf decides by the status, which is 0 if unknown, and by the text. A
// throttling status is not an overflow, whatever the text says (pitfall 116).
// Overload, rate limits and network errors are temporary; an exhausted account
// and an overflow are not.
func classOf(status int, text, provider string) Class {
	switch {
	case exhausted.MatchString(text):
		return Final
	case status != http.StatusTooManyRequests && overflows(text, provider):
		return Overflow
	case status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooManyRequests, status >= 500:
		return Retryable
	case status < 300 && transient.MatchString(text):
		return Retryable
	}
	return Final
}

// The texts by which pi distinguishes temporary errors from permanent ones.
var (
	exhausted = regexp.MustCompile(`(?i)GoUsageLimitError|FreeUsageLimitError|Monthly usage limit reached|available balance|` +
		`insufficient_quota|out of budget|quota exceeded|billing`)
	transient = regexp.MustCompile(`(?i)overloaded|currently experiencing high demand|rate.?limit|too many requests|` +
		`\b(?:429|500|502|503|504|520|524|529)\b|service.?unavailable|server.?error|internal.?error|api_error|provider.?returned.?error|` +
		`exceeded request buffer limit while retrying upstream|network.?error|connection.?(?:error|refused|lost|reset)|` +
		`other side closed|fetch failed|upstream.?connect|reset before headers|socket hang up|socket connection was closed|` +
		`timed? out|timeout|terminated|websocket.?(?:closed|error)|ended without|stream ended before|` +
		`http2 request did not get a response|retry delay|you can retry your request|try your request again|` +
		`please retry your request|ResourceExhausted`)
)

// statusIn returns the HTTP status in an error inside a stream, or 0.
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

// retryAfter returns how long a provider asks to wait: in milliseconds, in
// seconds or until a date.
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

// wait returns n units, without overflow and never negative.
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

// A Class indicates how to handle an error.
type Class uint8

const (
	// Final means that the same request would fail again.
	Final Class = iota
	// Retryable means that the same request may succeed later.
	Retryable
	// Overflow means that the conversation is too long for the model; a shorter
	// one may succeed.
	Overflow
)

// An Error is the reason why a model did not respond. It never contains a key.
type Error struct {
	Class  Class
	Status int // HTTP status; 0 without a response
	// RetryAfter is how long the provider asks to wait; 0 if it does not.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ClassOf returns the class of an error, or Final if it is not an *[Error].
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Final
}
