package pi

import (
	"os"
	"testing"
)

// Require returns an installation of release v. If that fails, the test is
// skipped with the reason; with CI=true, where a skipped test would go
// unnoticed, it fails.
func Require(t testing.TB, v Version) Installation {
	t.Helper()
	in, err := Install(t.Context(), v, t.Logf)
	missing(t, "pi "+string(v), err)
	return in
}

// missing ends a test if its requirement is not available.
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
