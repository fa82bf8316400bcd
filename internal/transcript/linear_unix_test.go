//go:build unix

package transcript_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/transcript"
)

// worked is how long this process has worked, which does not count what others do.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// The cost of a repair is linear in the calls of a response, in those of a
// context and in results far after their calls: a context that is fifty times
// as long costs about fifty times as much.
func TestRepairIsLinear(t *testing.T) {
	const small, times = 600, 50
	shapes := map[string]func(ids []string) []transcript.Message{
		"one answer": func(ids []string) []transcript.Message { return messages(calling("toolUse", ids...)) },
		"one answer, results": func(ids []string) []transcript.Message {
			all := []string{calling("toolUse", ids...)}
			for i := range ids {
				all = append(all, result(ids[len(ids)-1-i]))
			}
			return messages(all...)
		},
		"late results": func(ids []string) []transcript.Message {
			var calls, results []string
			for _, id := range ids {
				calls, results = append(calls, calling("toolUse", id)), append(results, result(id))
			}
			return messages(append(calls, results...)...)
		},
		"one id": func(ids []string) []transcript.Message {
			var all []string
			for range ids {
				all = append(all, calling("toolUse", "call"), result("call"))
			}
			return messages(all...)
		},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			cost := func(n, times int) time.Duration {
				ids := make([]string, n)
				for i := range ids {
					ids[i] = fmt.Sprint("call_", i)
				}
				msgs := shape(ids)
				runtime.GC()
				before := worked(t)
				for range times {
					transcript.Repair(msgs)
				}
				return worked(t) - before
			}
			few, many := cost(small, times), cost(small*times, 1)
			if many > 6*few+100*time.Millisecond {
				t.Errorf("%d calls took %v, %d times %d calls %v", small*times, many, times, small, few)
			}
		})
	}
}
