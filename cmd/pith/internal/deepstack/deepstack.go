// Package deepstack grows the stack of the first goroutine in one step when a
// program that imports it starts.
//
// Packages that compile patterns at initialization recurse deeply: without it
// the stack would be doubled and copied five times, in every command. It has no
// imports, so that it is initialized before them.
package deepstack

func init() { grow(false) }

// grow has a frame for which there must be room before it runs. It is not used.
//
//go:noinline
func grow(use bool) (sum byte) {
	if !use {
		return 0
	}
	var low, high [128 << 10]byte // a single variable of both sizes would not be on the stack
	for i := range low {
		low[i] += high[sum]
		high[i] += low[sum]
		sum += high[i]
	}
	return sum
}
