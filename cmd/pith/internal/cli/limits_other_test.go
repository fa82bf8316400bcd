//go:build !linux

package cli_test

// measured is for tests of memory, which run on Linux alone.
func measured() {}
