//go:build !linux || race

package cli_test

// measured is for tests of memory, which run on Linux without the race detector.
func measured() {}
