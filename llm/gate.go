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

// What the gate itself has against a response.
var (
	errStalled  = errors.New("timed out: the provider sent nothing for too long")
	errTooLong  = errors.New("the provider sent more than an answer can be")
	errRedirect = errors.New("the provider redirects to another address; set that address as baseUrl if it is right")
)

// maxStream bounds what is read of an answer, in bytes of the protocol, which are
// many times those of the text. No model writes as much.
const maxStream = 512 << 20

// maxErrorBody bounds what is read of a refusal.
const maxErrorBody = 64 << 10

// A gate is the way of one request out of the process. Both protocols go through it
// and have one answer to refusals, redirects, silence and keys: it puts the key into
// the request, it turns what is no stream into a *refusal, and it ends a request that
// stays silent.
type gate struct {
	client *http.Client
	header http.Header // with the key
	custom http.Header // the user's, which go before all others
	alive  func()      // tells the watch that bytes have come
}

// An object is a JSON object of a request. Its members are written in the order of
// their names, so that equal requests are equal bytes.
type object map[string]any

// post sends a request and returns the stream that answers it. address is that of
// the provider, path what it is asked for.
func (g *gate) post(ctx context.Context, address, path string, body object) (io.ReadCloser, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of the provider cannot be read; see baseUrl of the model")
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
		// What was read before an error is the best there is to show.
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		return nil, &refusal{status: res.StatusCode, header: res.Header, body: string(body), why: why}
	}
	return res, nil
}

// noStream says why a response is no stream of events; "" when it may be one.
// Servers name their streams in several ways, so only what is surely something
// else is refused.
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
	left  int64 // how much may still come
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

// watch gives a context that ends when ctx does, or with errStalled as its cause
// when alive is not called for the time of first, and after that for the time of
// idle. stop must be called.
func watch(ctx context.Context, first, idle time.Duration) (_ context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(first, func() { cancel(errStalled) })
	return ctx, func() { timer.Reset(idle) }, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// A refusal is a response that is no answer.
type refusal struct {
	status int
	header http.Header
	body   string
	why    string
}

// Error is in the form in which pi records it, so that pi recognises an overflow
// in a session that this package answered, and the reverse.
func (r *refusal) Error() string {
	if r.status >= 200 && r.status <= 299 {
		return fmt.Sprintf("the provider sent %s: %s", r.why, shortened(r.body))
	}
	if r.body == "" {
		return fmt.Sprintf("%d status code (no body)", r.status)
	}
	return fmt.Sprintf("%d: %s", r.status, shortened(r.body))
}
