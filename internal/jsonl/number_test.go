package jsonl_test

import (
	"math"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestInt(t *testing.T) {
	tests := []struct {
		raw  string
		want int64
		ok   bool
	}{
		{"0", 0, true},
		{"-0", 0, true},
		{" 42 ", 42, true},
		{"1763681630791", 1763681630791, true},
		{"9007199254740993", 9007199254740993, true}, // no float64 in between
		{"9223372036854775807", math.MaxInt64, true},
		{"-9223372036854775808", math.MinInt64, true},
		{"9223372036854775808", 0, false},
		{"1e3", 1000, true},
		{"1E+3", 1000, true},
		{"-1.5e1", -15, true},
		{"12.0", 12, true},
		{"1200e-2", 12, true},
		{"0.00", 0, true},
		{"0e99999999999999999999", 0, true},
		{"9223372036854775807.0", math.MaxInt64, true},
		{"9.223372036854775807e18", math.MaxInt64, true},
		{"9.223372036854775808e18", 0, false},
		{"1e19", 0, false},
		{"1e99999999999999999999", 0, false},
		{"1e-99999999999999999999", 0, false},
		{"1.5", 0, false},
		{"15e-1", 0, false},
		{"", 0, false},
		{"x", 0, false},
		{"+1", 0, false},
		{"01", 0, false},
		{"1 2", 0, false},
		{`"1"`, 0, false},
		{"null", 0, false},
	}
	for _, tt := range tests {
		if got, ok := jsonl.Int([]byte(tt.raw)); got != tt.want || ok != tt.ok {
			t.Errorf("Int(%q) = %d, %t; want %d, %t", tt.raw, got, ok, tt.want, tt.ok)
		}
	}
}

func TestFloat(t *testing.T) {
	tests := []struct {
		raw  string
		want float64
		ok   bool
	}{
		{"0", 0, true},
		{"1.5", 1.5, true},
		{" -1e-7 ", -1e-7, true},
		{"0.1", 0.1, true},
		{"1e400", math.Inf(1), true},
		{"-1e400", math.Inf(-1), true},
		{"1e-400", 0, true},
		{"Infinity", 0, false},
		{"nan", 0, false},
		{"0x1p4", 0, false},
		{"1_0", 0, false},
		{"", 0, false},
	}
	for _, tt := range tests {
		if got, ok := jsonl.Float([]byte(tt.raw)); got != tt.want || ok != tt.ok {
			t.Errorf("Float(%q) = %v, %t; want %v, %t", tt.raw, got, ok, tt.want, tt.ok)
		}
	}
}

// The right column is what JSON.stringify gives for the number.
func TestAppendFloat(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{1, "1"},
		{-1.5, "-1.5"},
		{0.1, "0.1"},
		{0.30000000000000004, "0.30000000000000004"},
		{1.0 / 3, "0.3333333333333333"},
		{100, "100"},
		{123456789012345680000, "123456789012345680000"},
		{999999999999999900000, "999999999999999900000"},
		{1e21, "1e+21"},
		{-1e21, "-1e+21"},
		{1.5e300, "1.5e+300"},
		{0.000001, "0.000001"},
		{0.0000012, "0.0000012"},
		{1e-7, "1e-7"},
		{1.5e-9, "1.5e-9"},
		{-1.25e-10, "-1.25e-10"},
		{1e-100, "1e-100"},
		{5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{9007199254740993, "9007199254740992"},
		{1763681630791, "1763681630791"},
		{math.NaN(), "null"},
		{math.Inf(1), "null"},
		{math.Inf(-1), "null"},
	}
	for _, tt := range tests {
		if got := string(jsonl.AppendFloat([]byte("x"), tt.f)); got != "x"+tt.want {
			t.Errorf("AppendFloat(%v) = %s; want %s", tt.f, got[1:], tt.want)
		}
	}
}
