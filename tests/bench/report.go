package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// A report is everything that a run of the command found out. Its JSON form is
// what -json prints. Times are in seconds, memory in bytes.
type report struct {
	Machine  machine    `json:"machine"`
	Started  time.Time  `json:"started"`
	Seconds  float64    `json:"seconds"` // that the whole run took
	Runs     int        `json:"runs"`
	PiRuns   int        `json:"piRuns"`
	Pi       []piFacts  `json:"pi"`
	Sections []measured `json:"sections"`
}

// piFacts say which pi was measured.
type piFacts struct {
	Version string `json:"version"`
	Node    string `json:"node"`
}

// measured is a section with its figures.
type measured struct {
	Name  string        `json:"name"`
	Title string        `json:"title"`
	Note  string        `json:"note,omitempty"`
	Rows  []measuredRow `json:"rows"`
}

type measuredRow struct {
	Key      string   `json:"key"`
	Title    string   `json:"title"`
	Unit     unit     `json:"unit"`
	Goal     string   `json:"goal,omitempty"`
	Verdict  verdict  `json:"verdict,omitempty"`
	Measured string   `json:"measured,omitempty"` // what the verdict rests on
	Figures  []figure `json:"figures"`            // pith first
}

// A figure is what one program needed.
type figure struct {
	By       string    `json:"by"`
	Runs     int       `json:"runs"`
	Median   float64   `json:"median"`
	Min      float64   `json:"min"`
	Max      float64   `json:"max"`
	CPU      float64   `json:"cpuSeconds,omitempty"` // median; zero when unknown
	Ratio    float64   `json:"ratio,omitempty"`      // of the median to pith's
	CPURatio float64   `json:"cpuRatio,omitempty"`   // of the CPU time to pith's
	All      []float64 `json:"all,omitempty"`        // in the order of the runs
	Failed   string    `json:"failed,omitempty"`     // why there are no runs
}

// newFigure sums up the runs of a program; ok is false when it has nothing to
// say about a row.
func newFigure(by string, values []value, failed error) (f figure, ok bool) {
	f = figure{By: by, Runs: len(values)}
	if failed != nil {
		f.Failed = failed.Error()
		return f, true
	}
	if len(values) == 0 {
		return f, false
	}
	var cpu []float64
	for _, v := range values {
		f.All = append(f.All, v.amount)
		cpu = append(cpu, v.cpu.Seconds())
	}
	f.Median, f.Min, f.Max = median(f.All), slices.Min(f.All), slices.Max(f.All)
	f.CPU = median(cpu)
	return f, true
}

// median of an even number of values is the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// addRatios compares every other figure with pith's, which comes first.
func (r *measuredRow) addRatios() {
	if len(r.Figures) == 0 || r.Figures[0].By != pithName {
		return
	}
	own := r.Figures[0]
	for i := 1; i < len(r.Figures); i++ {
		f := &r.Figures[i]
		if own.Median > 0 {
			f.Ratio = f.Median / own.Median
		}
		if own.CPU > 0 {
			f.CPURatio = f.CPU / own.CPU
		}
	}
}

func printJSON(w io.Writer, r *report) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", data)
	return err
}

// reprint prints a report of an earlier run.
func reprint(o options, w io.Writer) error {
	data, err := os.ReadFile(o.from)
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("%s is no report that -json wrote: %w", o.from, err)
	}
	return o.print(w, &r)
}
