//go:build !linux

package running

// In returns 0: this system does not show the working directories of processes.
func In(_, _ []string) int { return 0 }
