package cli_test

import (
	"io"
	"testing"

	"github.com/pith-sessions/pith/internal/cli"
	"github.com/pith-sessions/pith/internal/corpus"
)

// BenchmarkShow reads the large session of 100 MB: opening it is part of it.
func BenchmarkShow(b *testing.B) {
	file, err := corpus.CachedLarge(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	env := cli.System()
	env.Stdout, env.Stderr = io.Discard, io.Discard
	for name, flags := range map[string][]string{
		"whole": nil, "last=20": {"--last", "20"}, "budget=4000": {"--budget", "4000"}, "toc": {"--view", "toc"},
		"search": {"--search", "nowhere to be found"}, "costs": {"--view", "costs"}, "full": {"--view", "full"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(corpus.LargeBytes)
			for b.Loop() {
				if code := cli.Run(b.Context(), env, append([]string{"show", file}, flags...)); code != 0 {
					b.Fatalf("pith show %q = %d", flags, code)
				}
			}
		})
	}
}
