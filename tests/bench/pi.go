package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/tests/interop/pi"
)

// installPi makes the releases of pi ready, the newest first.
func (b *bench) installPi(ctx context.Context) ([]piFacts, error) {
	versions := pi.Versions()
	slices.Reverse(versions)
	if b.o.quick {
		versions = versions[:1]
	}
	var facts []piFacts
	for _, v := range versions {
		in, err := pi.Install(ctx, v, b.logf)
		if err != nil {
			return nil, fmt.Errorf("pi %s: %w (-skip-pi measures pith alone)", v, err)
		}
		b.pis = append(b.pis, in)
		node := ""
		err = b.withHost(ctx, in, func(h *pi.Host) (err error) {
			node, err = nodeOf(ctx, h)
			return err
		})
		if err != nil {
			return nil, err
		}
		facts = append(facts, piFacts{Version: string(v), Node: node})
	}
	return facts, nil
}

func nodeOf(ctx context.Context, h *pi.Host) (version string, err error) {
	err = h.Call(ctx, &version, "node")
	return version, err
}

// withHost lets a pi of its own do something.
func (b *bench) withHost(ctx context.Context, in pi.Installation, do func(*pi.Host) error) error {
	home, err := os.MkdirTemp(b.work, "pi-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	h, err := pi.Start(ctx, in, home)
	if err != nil {
		return err
	}
	defer h.Close()
	return do(h)
}

// contenders are pith and every release of pi, each with so many runs.
func (b *bench) contenders(piRuns int, pith func(context.Context) (reading, error), pi func(context.Context, *pi.Host) (reading, error)) []contender {
	return append([]contender{b.pithContender(pith)}, b.piContenders(piRuns, pi)...)
}

// pithContender runs children of this program.
func (b *bench) pithContender(run func(context.Context) (reading, error)) contender {
	return contender{pithName, b.o.runs, run}
}

// piContenders runs every release of pi, each time in a fresh process.
func (b *bench) piContenders(runs int, run func(context.Context, *pi.Host) (reading, error)) []contender {
	var out []contender
	for _, in := range b.pis {
		out = append(out, contender{"pi " + string(in.Version), runs, func(ctx context.Context) (r reading, err error) {
			err = b.withHost(ctx, in, func(h *pi.Host) error {
				r, err = run(ctx, h)
				return err
			})
			return r, err
		}})
	}
	return out
}

// cpuOf is the CPU time that pi spends while do runs; zero when unknown.
func cpuOf(ctx context.Context, h *pi.Host, do func() error) (time.Duration, error) {
	// Until it has answered once, pi may still be loading.
	if _, err := nodeOf(ctx, h); err != nil {
		return 0, err
	}
	before, known := processCPU(h.Pid())
	if err := do(); err != nil {
		return 0, err
	}
	after, stillKnown := processCPU(h.Pid())
	if !known || !stillKnown {
		return 0, nil
	}
	return after - before, nil
}

// piPeak is the memory of a fresh pi at its highest, Node included.
func piPeak(mb float64) value { return value{amount: mb * (1 << 20)} }

func millis(ms float64) float64 { return ms / 1e3 }
