package pi

import (
	"os"
	"testing"
)

// Require returns an installation of release v. Where it cannot be had, the
// test is skipped with the reason; with CI=true in the environment, where a
// skipped test would go unnoticed, it fails.
func Require(t testing.TB, v Version) Installation {
	t.Helper()
	in, err := Install(t.Context(), v, t.Logf)
	missing(t, "pi "+string(v), err)
	return in
}

// missing ends a test if what it needs cannot be had.
func missing(t testing.TB, what string, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s cannot be run: %v", what, err)
	default:
		t.Skipf("skipped, because %s cannot be run here: %v", what, err)
	}
}

// StartFor runs an installed pi for the length of a test, in a temporary
// folder.
func StartFor(t testing.TB, in Installation) *Host {
	t.Helper()
	h, err := Start(t.Context(), in, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}
