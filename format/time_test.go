package format_test

import (
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
)

// The expectations were taken from JavaScript's Date; "" is an invalid date.
func TestParseTime(t *testing.T) {
	tests := map[string]string{
		"2026":                                "2026-01-01T00:00:00.000Z",
		"2026-02":                             "2026-02-01T00:00:00.000Z",
		"2026-02-03":                          "2026-02-03T00:00:00.000Z",
		"2026-02-03Z":                         "2026-02-03T00:00:00.000Z",
		"2026-02-03T22:52Z":                   "2026-02-03T22:52:00.000Z",
		"2026-02-03T22:52+01:00":              "2026-02-03T21:52:00.000Z",
		"2026-02-03T22:52:06Z":                "2026-02-03T22:52:06.000Z",
		"2026-02-03T22:52:06.4Z":              "2026-02-03T22:52:06.400Z",
		"2026-02-03T22:52:06.41Z":             "2026-02-03T22:52:06.410Z",
		"2026-02-03T22:52:06.4109Z":           "2026-02-03T22:52:06.410Z",
		"2026-02-03T22:52:06.410999999+00:00": "2026-02-03T22:52:06.410Z",
		"2026-02-03T22:52:06+01:00":           "2026-02-03T21:52:06.000Z",
		"2026-02-03T22:52:06+0100":            "2026-02-03T21:52:06.000Z",
		"2026-02-03T22:52:06-23:59":           "2026-02-04T22:51:06.000Z",
		"2026-02-03t22:52:06z":                "2026-02-03T22:52:06.000Z",
		"2026-02T10:00Z":                      "2026-02-01T10:00:00.000Z",
		"2026T10:00Z":                         "2026-01-01T10:00:00.000Z",
		"2026-02-30T00:00:00Z":                "2026-03-02T00:00:00.000Z",
		"2026-04-31":                          "2026-05-01T00:00:00.000Z",
		"2026-02-03T24:00:00Z":                "2026-02-04T00:00:00.000Z",
		"+002026-02-03T22:52:06Z":             "2026-02-03T22:52:06.000Z",
		"-000001-01-01T00:00:00Z":             "-000001-01-01T00:00:00.000Z",
		"+275760-09-13T00:00:00Z":             "+275760-09-13T00:00:00.000Z",

		"-271821-04-20T00:00:00Z":     "-271821-04-20T00:00:00.000Z",
		"-271821-04-19T23:59:59.999Z": "",
		"+275760-09-13T00:00:00.001Z": "",
		"-000000-01-01T00:00:00Z":     "",
		"2026-02-32":                  "",
		"2026-13-01":                  "",
		"2026-00-10":                  "",
		"2026-01-00":                  "",
		"2026-02-03T24:00:01Z":        "",
		"2026-02-03T25:00:00Z":        "",
		"2026-02-03T23:60:00Z":        "",
		"2026-02-03T23:59:60Z":        "",
		"2026-02-03T22:52:06+01":      "",
		"2026-02-03T22:52:06+24:00":   "",
		"2026-02-03T22:52:06.Z":       "",
		"2026-02-03T22:52:06,410Z":    "",
		"2026-02-03T22Z":              "",
		" 2026-02-03T22:52:06Z":       "",
		"2026-02-03T22:52:06Z ":       "",
		"2026-02-03T22:52:06.410ZZ":   "",
		"2026-02-03T22-52-06-410Z":    "",
		"2026-02-03T":                 "",
		"":                            "",
		"Invalid Date":                "",
	}
	for in, want := range tests {
		got, ok := format.ParseTime(in)
		if ok != (want != "") || ok && format.FormatTime(got) != want {
			t.Errorf("ParseTime(%q) = %v, %v, want %q", in, got, ok, want)
		}
	}
}

func TestParseTimeLocal(t *testing.T) {
	for _, in := range []string{"2026-02-03T22:52:06", "2026-02-03 22:52:06", "2026-02-03T22:52:06.0"} {
		got, ok := format.ParseTime(in)
		if want := time.Date(2026, 2, 3, 22, 52, 6, 0, time.Local); !ok || !got.Equal(want) {
			t.Errorf("ParseTime(%q) = %v, %v, want the local time %v", in, got, ok, want)
		}
	}
}

func TestFormatTime(t *testing.T) {
	tests := map[string]time.Time{
		"2026-02-03T22:52:06.410Z":    time.Date(2026, 2, 3, 23, 52, 6, 410_999_999, time.FixedZone("", 3600)),
		"1969-12-31T23:59:59.999Z":    time.UnixMilli(-1),
		"-000001-01-01T00:00:00.000Z": time.UnixMilli(-62198755200000),
		"0000-01-01T00:00:00.000Z":    time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		"9999-12-31T23:59:59.999Z":    time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		"+010000-01-01T00:00:00.000Z": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		"+275760-09-13T00:00:00.000Z": time.UnixMilli(8.64e15),
	}
	for want, in := range tests {
		if got := format.FormatTime(in); got != want {
			t.Errorf("FormatTime(%v) = %q, want %q", in, got, want)
		}
	}
}

// A message says when it was written as far as JavaScript's dates reach.
func TestMessageTime(t *testing.T) {
	for ms, want := range map[int64]bool{0: false, 1: true, -1: true, 8.64e15: true, 8.64e15 + 1: false, -8.64e15: true, -8.64e15 - 1: false} {
		at, ok := (&format.User{Timestamp: ms}).Time()
		if ok != want || ok && at.UnixMilli() != ms {
			t.Errorf("the time of %d is %v, %t; want %t", ms, at, ok, want)
		}
	}
}
