package cli_test

import (
	"io"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/tests/corpus"
)

// BenchmarkShow reads the large session of 100 MB, as views and as a tree: opening
// it is part of it.
func BenchmarkShow(b *testing.B) {
	file, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	env := console.System()
	env.Stdout, env.Stderr = io.Discard, io.Discard
	for name, args := range map[string][]string{
		"whole": {"show"}, "last=20": {"show", "--turns", "-20"}, "budget=4000": {"show", "--budget", "4000"}, "toc": {"show", "--view", "toc"},
		"search": {"show", "--search", "nowhere to be found"}, "costs": {"show", "--view", "costs"}, "full": {"show", "--view", "full"},
		"tree": {"tree"}, "tree=all": {"tree", "--filter", "all"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(corpus.LargeBytes)
			for b.Loop() {
				if code := cli.Run(b.Context(), env, append(args, file)); code != 0 {
					b.Fatalf("pith %q = %d", args, code)
				}
			}
		})
	}
}
