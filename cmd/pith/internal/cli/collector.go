package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstHeap is up to which size, in percent of the runtime's own 4 MB, the heap
// grows before garbage is collected for the first time.
const firstHeap = 400

// collectLate lets a command that takes a few megabytes, and then ends, do so
// without collecting garbage, which is a fifth of what a list costs. From the
// first collection on everything is as usual, so that what runs for long, or
// needs much, takes no more memory than without this.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return // somebody knows better
	}
	usual := debug.SetGCPercent(firstHeap)
	runtime.AddCleanup(new([16]byte), func(usual int) {
		if now := debug.SetGCPercent(usual); now != firstHeap {
			debug.SetGCPercent(now) // a command has chosen
		}
	}, usual)
}
