package main

import (
	"fmt"
	"math"
)

// A unit is what the amounts of a row count.
type unit string

const (
	secondsUnit unit = "seconds"
	bytesUnit   unit = "bytes"
	countUnit   unit = "count"
	rateUnit    unit = "bytes a second"
)

// text writes an amount for people: three digits and a prefix that fits. MB is
// a million bytes.
func (u unit) text(amount float64) string {
	switch u {
	case bytesUnit:
		return digits(amount/1e6) + " MB"
	case countUnit:
		return digits(amount)
	case rateUnit:
		return digits(amount/1e6) + " MB/s"
	}
	switch {
	case amount >= 1:
		return digits(amount) + " s"
	case amount >= 1e-3:
		return digits(amount*1e3) + " ms"
	}
	return digits(amount*1e6) + " µs"
}

// ratioText writes how many times as much one amount is as another.
func ratioText(ratio float64) string { return digits(ratio) + "x" }

// digits writes a number with three digits, never with an exponent.
func digits(x float64) string {
	exponent := 0
	if x > 0 {
		exponent = int(math.Floor(math.Log10(x) + roundsUp))
	}
	return fmt.Sprintf("%.*f", min(2, max(0, 2-exponent)), x)
}

// roundsUp moves numbers such as 9.996, which are written with the digits of
// the next power of ten, above that power.
const roundsUp = 0.0002
