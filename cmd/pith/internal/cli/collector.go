package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstHeap is the heap size, in percent of the runtime's own 4 MB, at which
// the first garbage collection runs.
const firstHeap = 400

// collectLate lets a short command that needs a few megabytes run without
// garbage collection, which is a fifth of the cost of a list. From the first
// collection on everything is as usual, so that a long-running command, or one
// that needs much memory, takes no more memory than without this.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return // the user decided
	}
	usual := debug.SetGCPercent(firstHeap)
	runtime.AddCleanup(new([16]byte), func(usual int) {
		if now := debug.SetGCPercent(usual); now != firstHeap {
			debug.SetGCPercent(now) // a command has chosen
		}
	}, usual)
}
