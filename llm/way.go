package llm

import (
	"context"
	"net/http"
)

// userAgent names the program to providers.
const userAgent = "pith"

// A way is what one request needs on its way out: its context, its gate, and the
// secrets that must not come back in an error.
type way struct {
	ctx     context.Context
	close   func()
	gate    *gate
	key     string
	headers map[string]string // those of the user
	hide    scrubber
}

// open asks for the secrets and sets up the watch over silence. The error of a
// secret that is not to be had is [Final]: asking again would not help.
func (o Options) open(ctx context.Context) (*way, error) {
	key, err := o.Key.reveal()
	if err != nil {
		return nil, &keyError{err}
	}
	w := &way{key: key, headers: make(map[string]string, len(o.Headers))}
	secrets := []string{key}
	for name, secret := range o.Headers {
		value, err := secret.reveal()
		if err != nil {
			return nil, &keyError{err}
		}
		w.headers[name] = value
		secrets = append(secrets, value)
	}
	client := o.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	w.hide = newScrubber(secrets...)
	w.gate = &gate{client: client, header: http.Header{"User-Agent": {userAgent}}}
	w.ctx, w.gate.alive, w.close = watch(ctx, o.response(), o.idle())
	return w, nil
}

// set adds headers of the client.
func (w *way) set(headers map[string]string) {
	for name, value := range headers {
		w.gate.header.Set(name, value)
	}
}

// custom adds the user's headers, which go before all others.
func (w *way) custom() { w.set(w.headers) }

// A keyError is a secret that could not be had.
type keyError struct{ err error }

func (e *keyError) Error() string { return e.err.Error() }
