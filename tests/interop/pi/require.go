package pi

import (
	"testing"

	"github.com/pith-sessions/pith/tests/tools"
)

// Require returns an installation of release v, or skips the test.
func Require(t testing.TB, v Version) Installation {
	t.Helper()
	in, err := Install(t.Context(), v, t.Logf)
	tools.Need(t, "pi "+string(v), err)
	return in
}

// StartFor runs an installed pi until the test ends, in a temporary directory.
func StartFor(t testing.TB, in Installation) *Host {
	t.Helper()
	h, err := Start(t.Context(), in, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}
