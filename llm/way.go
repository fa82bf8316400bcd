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
	ctx   context.Context
	close func()
	gate  *gate
	key   string
	hide  scrubber
}

// open asks for the secrets and sets up the watch over silence. The error of a
// secret that is not to be had is [Final]: asking again would not help.
func (o Options) open(ctx context.Context) (*way, error) {
	key, err := o.Key.reveal()
	if err != nil {
		return nil, &keyError{err}
	}
	custom := http.Header{}
	secrets := []string{key}
	for name, secret := range o.Headers {
		value, err := secret.reveal()
		if err != nil {
			return nil, &keyError{err}
		}
		custom.Set(name, value)
		secrets = append(secrets, value)
	}
	client := o.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	w := &way{key: key, hide: newScrubber(secrets...)}
	w.gate = &gate{client: client, header: http.Header{"User-Agent": {userAgent}}, custom: custom}
	w.ctx, w.gate.alive, w.close = watch(ctx, o.response(), o.idle())
	return w, nil
}

// A keyError is a secret that could not be had.
type keyError struct{ err error }

func (e *keyError) Error() string { return e.err.Error() }
