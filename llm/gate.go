package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Errors that the gate itself reports.
var (
	errStalled  = errors.New("timed out: the provider sent nothing for too long")
	errTooLong  = errors.New("the response is too large")
	errRedirect = errors.New("the provider redirects to another address; if that is right, set it as baseUrl")
)

// maxStream limits how much of a response is read, in bytes of the protocol,
// which are many times those of the text. No model writes this much.
const maxStream = 512 << 20

// maxErrorBody limits how much of a refusal is read.
const maxErrorBody = 64 << 10

// A gate sends one request. Both protocols use it, so that refusals, redirects,
// silence and keys are handled alike: it adds the key to the request, turns a
// response that is not a stream into a *refusal, and cancels a request that
// stays silent.
type gate struct {
	client *http.Client
	header http.Header // including the key
	custom http.Header // the user's headers, which take precedence
	alive  func()      // reports to the watch that bytes have arrived
}

// An object is a JSON object of a request. Its members are encoded in the order
// of their names, so that equal requests have equal bytes.
type object map[string]any

// post sends a request and returns the response stream. address is the
// provider's base URL, path the resource.
func (g *gate) post(ctx context.Context, address, path string, body object) (io.ReadCloser, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("invalid provider address; check baseUrl of the model")
	}
	if base.Path != "" && !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	at, err := base.Parse(path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(body); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), &text)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	res, err := g.do(req)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

func (g *gate) do(req *http.Request) (*http.Response, error) {
	maps.Copy(req.Header, g.header)
	maps.Copy(req.Header, g.custom)
	client := *g.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	g.alive()
	res.Body = &watchedBody{res.Body, g.alive, maxStream}
	if why := noStream(res); why != "" {
		defer res.Body.Close()
		// On a read error, show the part that was read.
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		return nil, &refusal{status: res.StatusCode, header: res.Header, body: string(body), why: why}
	}
	return res, nil
}

// noStream returns why a response is not an event stream, or "" if it may be
// one. Servers label their streams in several ways, so it rejects only types
// that certainly are something else.
func noStream(res *http.Response) string {
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return "an error"
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err == nil && (kind == "text/html" || kind == "application/json") {
		return fmt.Sprintf("%s instead of a stream", kind)
	}
	return ""
}

type watchedBody struct {
	io.ReadCloser
	alive func()
	left  int64 // bytes that may still arrive
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if n > 0 {
		b.alive()
	}
	return n, err
}

// watch returns a context that is cancelled when ctx is, or with the cause
// errStalled if alive is not called within first, and after that within idle.
// The caller must call stop.
func watch(ctx context.Context, first, idle time.Duration) (_ context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(first, func() { cancel(errStalled) })
	return ctx, func() { timer.Reset(idle) }, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// A refusal is a response that is not a stream.
type refusal struct {
	status int
	header http.Header
	body   string
	why    string
}

// Error returns the text in the form in which pi records it, so that pi
// recognizes an overflow in a session recorded by this package, and the
// reverse.
func (r *refusal) Error() string {
	if r.status >= 200 && r.status <= 299 {
		return fmt.Sprintf("the provider sent %s: %s", r.why, shortened(r.body))
	}
	if r.body == "" {
		return fmt.Sprintf("%d status code (no body)", r.status)
	}
	return fmt.Sprintf("%d: %s", r.status, shortened(r.body))
}
