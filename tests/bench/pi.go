package main

import (
	"context"
	"os"

	"github.com/pith-sessions/pith/tests/interop/pi"
)

// piTask does the work of a trial in a new process of pi.
type piTask func(context.Context, *pi.Host) (reading, error)

// besidePi returns the trial of pith and pi.
func (b *bench) besidePi(piRuns int, pith func(context.Context) (reading, error), peer piTask) trial {
	t := trial{{"pith", b.runs, pith}}
	if b.skipPeers {
		return t
	}
	return append(t, contender{"pi " + string(b.pi.Version), piRuns, func(ctx context.Context) (r reading, err error) {
		home, err := os.MkdirTemp(b.work, "pi-")
		if err != nil {
			return r, err
		}
		defer os.RemoveAll(home)
		h, err := pi.Start(ctx, b.pi, home)
		if err != nil {
			return r, err
		}
		defer h.Close()
		return peer(ctx, h)
	}})
}
