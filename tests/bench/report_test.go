package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUnitText(t *testing.T) {
	tests := []struct {
		u      unit
		amount float64
		want   string
	}{
		{secondsUnit, 0.0312, "31.2 ms"}, {secondsUnit, 1.236, "1.24 s"}, {secondsUnit, 14.27e-6, "14.3 µs"}, {secondsUnit, 0.5e-6, "0.50 µs"},
		{secondsUnit, 99.97, "100 s"}, {secondsUnit, 9.996, "10.0 s"}, {bytesUnit, 385e6, "385 MB"}, {bytesUnit, 2.0964e9, "2096 MB"},
		{countUnit, 0.021, "0.02"}, {countUnit, 0, "0.00"}, {countUnit, 100, "100"}, {countUnit, 10, "10.0"},
	}
	for _, tt := range tests {
		if got := tt.u.text(tt.amount); got != tt.want {
			t.Errorf("%s.text(%v) = %q, want %q", tt.u, tt.amount, got, tt.want)
		}
	}
}

func TestNewFigure(t *testing.T) {
	ms := time.Millisecond
	f, ok := newFigure("pith", []value{{4, 3 * ms}, {1, ms}, {9, 2 * ms}}, nil)
	if !ok || f.Median != 4 || f.Min != 1 || f.Max != 9 || f.CPU != 0.002 || f.Runs != 3 {
		t.Errorf("newFigure = %+v, %v; want median 4 of 1 to 9 and 2 ms of CPU", f, ok)
	}
	if f, _ := newFigure("pith", []value{{4, 0}, {1, 0}}, nil); f.Median != 2.5 {
		t.Errorf("newFigure of 4 and 1 has median %v, want 2.5", f.Median)
	}
	if _, ok := newFigure("pi", nil, nil); ok {
		t.Error("newFigure of nothing is a figure; want none")
	}
	if f, ok := newFigure("pi", nil, errors.New("too long")); !ok || f.Failed != "too long" {
		t.Errorf("newFigure of a failure = %+v, %v; want one that says why", f, ok)
	}
}

// aTable has one row "k" in which pith needs 10 and one "small" with 2.
func aTable(others ...float64) figureTable {
	t := figureTable{}
	t.add("small", figure{By: pithName, Median: 3, Min: 2})
	t.add("k", figure{By: pithName, Median: 10, Min: 8})
	for i, amount := range others {
		t.add("k", figure{By: string(rune('a' + i)), Median: amount})
	}
	return t
}

func TestGoals(t *testing.T) {
	tests := map[string]struct {
		g    goal
		t    figureTable
		want string
	}{
		"no goal":          {goal{}, aTable(300), ""},
		"met":              {atLeast(10), aTable(300), "≥ 10x: met"},
		"by all":           {atLeast(10), aTable(300, 99), "≥ 10x: missed"},
		"alone":            {atLeast(10), aTable(), "≥ 10x: not measured"},
		"aim not met":      {atLeastAiming(25, 50), aTable(300), "≥ 25x, aim 50x: met"},
		"aim met":          {atLeastAiming(25, 50), aTable(500, 900), "≥ 25x, aim 50x: met, and the aim"},
		"limit":            {atMost(10, bytesUnit), aTable(), "≤ 0.00 MB: met"},
		"over the limit":   {atMost(9, bytesUnit), aTable(), "≤ 0.00 MB: missed"},
		"least":            {noLess(10, rateUnit), aTable(), "≥ 0.00 MB/s: met"},
		"less than that":   {noLess(11, rateUnit), aTable(), "≥ 0.00 MB/s: missed"},
		"linear":           {linearFrom("small", 2), aTable(), "linear: met (4.00x for 2x the input)"},
		"faster than that": {linearFrom("small", 1.5), aTable(), "linear: missed (4.00x for 1.5x the input)"},
		"no smaller row":   {linearFrom("none", 2), aTable(), "linear: not measured"},
	}
	for name, tt := range tests {
		r := measuredRow{Key: "k"}
		tt.g.judge(tt.t, &r)
		if got := goalText(r); got != tt.want {
			t.Errorf("%s: goal of the row = %q, want %q", name, got, tt.want)
		}
	}
}

func aReport() *report {
	row := measuredRow{Key: "open", Title: "open alone", Unit: secondsUnit, Goal: "≥ 25x", Verdict: met, Figures: []figure{
		{By: pithName, Runs: 1, Median: 0.04, Min: 0.03, Max: 0.05, CPU: 0.07},
		{By: "pi 0.87.1", Runs: 1, Median: 1.2, Min: 1.1, Max: 1.3, CPU: 1.4},
		{By: "pi 0.73.1", Failed: "a string\ntoo <long>"},
	}}
	row.addRatios()
	return &report{
		Machine: machine{System: "linux/amd64", CPU: "A CPU", Cores: 2, Go: "go1.26", LoadBefore: "0.10", LoadAfter: "0.20"},
		Started: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Seconds: 61, Runs: 5, PiRuns: 3,
		Sections: []measured{{Name: "open", Title: "A session", Note: "A note.", Rows: []measuredRow{row, row}}},
	}
}

func printed(t *testing.T, print func(io.Writer, *report) error) string {
	t.Helper()
	var b strings.Builder
	if err := print(&b, aReport()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPrintText(t *testing.T) {
	const want = `
A session
  what        by          median      min      max  pi/pith      CPU  CPU pi/pith  goal
  open alone  pith       40.0 ms  30.0 ms  50.0 ms           70.0 ms               ≥ 25x: met
              pi 0.87.1   1.20 s   1.10 s   1.30 s    30.0x   1.40 s        20.0x
              pi 0.73.1   failed
`
	if got := printed(t, printText); !strings.Contains(got, want) {
		t.Errorf("printText wrote\n%s\nwant in it\n%s", got, want)
	}
	if got := printed(t, printText); strings.Count(got, "pi 0.73.1 failed: a string too <long>\n") != 1 {
		t.Errorf("printText wrote\n%s\nwant the reason of the failure in it, once", got)
	}
}

func TestPrintMarkdown(t *testing.T) {
	const want = `
| what | by | median | min | max | pi/pith | CPU | CPU pi/pith | goal |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| open alone | pith | 40.0 ms | 30.0 ms | 50.0 ms |  | 70.0 ms |  | ≥ 25x: met |
`
	got := printed(t, printMarkdown)
	for _, part := range []string{want, "- A CPU, 2 cores\n", "### A session\n", "too &lt;long>"} {
		if !strings.Contains(got, part) {
			t.Errorf("printMarkdown wrote\n%s\nwant in it\n%s", got, part)
		}
	}
}

func TestPrintJSON(t *testing.T) {
	var r report
	if err := json.Unmarshal([]byte(printed(t, printJSON)), &r); err != nil {
		t.Fatal(err)
	}
	if f := r.Sections[0].Rows[0].Figures[1]; f.By != "pi 0.87.1" || f.Median != 1.2 || f.Ratio != 30 {
		t.Errorf("printJSON lost something: figure %+v; want that of pi 0.87.1", f)
	}
}

func TestReprint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(path, []byte(printed(t, printJSON)), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := reprint(options{from: path, print: printText}, &b); err != nil || b.String() != printed(t, printText) {
		t.Errorf("reprint = %v and wrote\n%s\nwant\n%s", err, b.String(), printed(t, printText))
	}
	if err := reprint(options{from: "report_test.go", print: printText}, &b); err == nil {
		t.Error("reprint of a file that is no report = nil; want an error")
	}
}
