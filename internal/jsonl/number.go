package jsonl

import (
	"math"
	"strconv"
	"strings"
)

// skipNumber moves over a number. See skip.go for the result. A byte that
// cannot start a number, and so no value at all, is a fault.
func skipNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	if i < len(b) && b[i] == '0' {
		if i++; i < len(b) && b[i]-'0' <= 9 {
			return ^i
		}
	} else if i = skipDigits(b, i); i == first {
		return ^i
	}
	if i < len(b) && b[i] == '.' {
		first = i + 1
		if i = skipDigits(b, first); i == first {
			return ^i
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		return skipExponent(b, i+1)
	}
	return i
}

// skipExponent moves over the part of a number after its e.
func skipExponent(b []byte, i int) int {
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	first := i
	if i = skipDigits(b, first); i == first {
		return ^i
	}
	return i
}

// skipDigits moves over digits, if there are any.
func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// Int returns the value of a number literal that is an integer and fits into 64
// bits. 1e3 and 12.0 are integers; nothing is rounded.
func Int(raw []byte) (int64, bool) {
	raw = trimSpace(raw)
	if len(raw) == 0 || skipNumber(raw, 0) != len(raw) {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	return intOfDecimal(string(raw))
}

// intOfDecimal is like Int for a literal with a fraction or an exponent. It
// moves the decimal point in the digits, because a float64 would lose digits.
func intOfDecimal(s string) (int64, bool) {
	s, negative := strings.CutPrefix(s, "-")
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return 0, true
	}
	zeros := -len(fraction) // number of zeros to write after digits
	if exponent != "" {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > 1<<30 || e < -1<<30 {
			return 0, false
		}
		zeros += e
	}
	significant := strings.TrimRight(digits, "0")
	zeros += len(digits) - len(significant)
	if zeros < 0 || len(significant)+zeros > 19 {
		return 0, false
	}
	text := significant + strings.Repeat("0", zeros)
	if negative {
		text = "-" + text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// Float returns the value of a number literal as JavaScript reads it: the
// nearest float64, which is infinite for a literal beyond the range.
func Float(raw []byte) (float64, bool) {
	raw = trimSpace(raw)
	if len(raw) == 0 || skipNumber(raw, 0) != len(raw) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil || math.IsInf(f, 0)
}

// Truncated returns a JSON number without its fraction. ok is false for any other
// value, and for a number far outside int64.
func Truncated(raw []byte) (_ int64, ok bool) {
	if n, ok := Int(raw); ok {
		return n, true
	}
	f, ok := Float(raw)
	if !ok || f > 1<<62 || f < -1<<62 {
		return 0, false
	}
	return int64(f), true
}

// AppendFloat appends f as JSON.stringify writes a number: the shortest digits
// that represent f, 1e+21 and 1e-7 at the ends, 0 for -0, and null for values
// that JSON does not have.
func AppendFloat(dst []byte, f float64) []byte {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == 0:
		return append(dst, '0')
	case 1e-6 <= size && size < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of exponent, JavaScript one.
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
