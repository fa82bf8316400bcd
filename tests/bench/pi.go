package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/pith-sessions/pith/tests/interop/pi"
)

// installPi installs the releases of pi, the newest first.
func (b *bench) installPi(ctx context.Context) error {
	versions := pi.Versions()
	slices.Reverse(versions)
	if b.quick {
		versions = versions[:1]
	}
	for _, v := range versions {
		in, err := pi.Install(ctx, v, b.logf)
		if err != nil {
			return fmt.Errorf("pi %s: %w (-skip-pi measures pith alone)", v, err)
		}
		b.pis = append(b.pis, in)
	}
	return nil
}

// beside returns the trial of pith and every release of pi. Each run of pi is a
// new process.
func (b *bench) beside(piRuns int, pith func(context.Context) (reading, error), peer func(context.Context, *pi.Host) (reading, error)) trial {
	t := trial{{"pith", b.runs, pith}}
	for _, in := range b.pis {
		t = append(t, contender{"pi " + string(in.Version), piRuns, func(ctx context.Context) (r reading, err error) {
			home, err := os.MkdirTemp(b.work, "pi-")
			if err != nil {
				return r, err
			}
			defer os.RemoveAll(home)
			h, err := pi.Start(ctx, in, home)
			if err != nil {
				return r, err
			}
			defer h.Close()
			return peer(ctx, h)
		}})
	}
	return t
}
