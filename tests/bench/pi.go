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

// piTask does the work of a trial in a new process of pi.
type piTask func(context.Context, *pi.Host) (reading, error)

// beside returns the trial of pith and every release of pi. Older releases run
// once.
func (b *bench) beside(piRuns int, pith func(context.Context) (reading, error), peer piTask) trial {
	t := b.besideNewest(piRuns, pith, peer)
	for _, in := range b.pis[min(1, len(b.pis)):] {
		t = append(t, b.against(in, 1, peer))
	}
	return t
}

// besideNewest returns the trial of pith and the newest release of pi, for work
// that takes older ones a minute.
func (b *bench) besideNewest(piRuns int, pith func(context.Context) (reading, error), peer piTask) trial {
	t := trial{{"pith", b.runs, pith}}
	for _, in := range b.pis[:min(1, len(b.pis))] {
		t = append(t, b.against(in, piRuns, peer))
	}
	return t
}

func (b *bench) against(in pi.Installation, runs int, peer piTask) contender {
	return contender{"pi " + string(in.Version), runs, func(ctx context.Context) (r reading, err error) {
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
	}}
}
