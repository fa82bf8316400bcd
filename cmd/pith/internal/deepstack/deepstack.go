// Package deepstack makes the stack of the first goroutine large in one step when a
// program starts, for whoever imports it.
//
// Packages that compile patterns when they are loaded go deep: without it the stack
// is doubled and copied five times on the way, in every command. It imports nothing, so
// that it is loaded before them.
package deepstack

func init() { grow(false) }

// grow has a frame for which there must be room before it runs. It is not used.
//
//go:noinline
func grow(use bool) (sum byte) {
	if !use {
		return 0
	}
	var low, high [128 << 10]byte // one variable of both sizes would not be on the stack
	for i := range low {
		low[i] += high[sum]
		high[i] += low[sum]
		sum += high[i]
	}
	return sum
}
