//go:build !unix

package plainuser

import "testing"

// Needed skips the test: there are no modes here.
func Needed(t *testing.T) bool {
	t.Helper()
	t.Skip("files have no modes here")
	return true
}
