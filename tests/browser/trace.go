package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// A Task is uninterrupted work of a page's thread. Its time is processor time,
// which does not depend on other load.
type Task struct {
	Took  time.Duration
	Parts map[string]time.Duration // by the browser's names; parts may be nested
}

// traceEvent is the part of a trace event that is read here. Times are in
// microseconds.
type traceEvent struct {
	Name     string
	Phase    string `json:"ph"`
	Pid, Tid int
	At       float64 `json:"ts"`
	Long     float64 `json:"dur"`
	Took     float64 `json:"tdur"` // processor time
	Args     struct{ Name string }
}

// Tasks returns the tasks of the page's thread while do runs, the longest
// first.
func (p *Page) Tasks(do func()) []Task {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	complete := chromedp.Events(ctx, tracing.TracingComplete)
	if _, err := chromedp.Call(ctx, tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReturnAsStream,
		TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline", "disabled-by-default-devtools.timeline"}}}); err != nil {
		p.t.Fatal(err)
	}
	do()
	if _, err := chromedp.Call(ctx, tracing.End, cdp.Empty{}); err != nil {
		p.t.Fatal(err)
	}
	for end, err := range complete {
		if err != nil {
			p.t.Fatal(err)
		}
		var trace struct{ TraceEvents []traceEvent }
		if err := json.Unmarshal(p.stream(ctx, end.Stream), &trace); err != nil {
			p.t.Fatal(err)
		}
		return tasksOf(trace.TraceEvents)
	}
	return nil
}

// stream reads a stream of the browser to its end.
func (p *Page) stream(ctx context.Context, handle io.StreamHandle) (data []byte) {
	for {
		got, err := chromedp.Call(ctx, io.Read, io.ReadParams{Handle: handle})
		if err != nil {
			p.t.Fatal(err)
		}
		if data = append(data, got.Data...); got.EOF {
			return data
		}
	}
}

func tasksOf(events []traceEvent) (tasks []Task) {
	type thread struct{ pid, tid int }
	pages := map[thread]bool{}
	for _, e := range events {
		if e.Phase == "M" && e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			pages[thread{e.Pid, e.Tid}] = true
		}
	}
	events = slices.DeleteFunc(events, func(e traceEvent) bool { return e.Phase != "X" || !pages[thread{e.Pid, e.Tid}] })
	slices.SortStableFunc(events, func(a, b traceEvent) int {
		return cmp.Or(cmp.Compare(a.Pid, b.Pid), cmp.Compare(a.Tid, b.Tid), cmp.Compare(a.At, b.At), cmp.Compare(b.Long, a.Long))
	})
	of := func(e traceEvent) time.Duration { return time.Duration(e.Took * float64(time.Microsecond)) }
	until, on := 0.0, thread{}
	for _, e := range events {
		if at := (thread{e.Pid, e.Tid}); at != on || e.At >= until {
			until, on = e.At+e.Long, at
			tasks = append(tasks, Task{of(e), map[string]time.Duration{}})
		}
		tasks[len(tasks)-1].Parts[e.Name] += of(e)
	}
	slices.SortFunc(tasks, func(a, b Task) int { return cmp.Compare(b.Took, a.Took) })
	return tasks
}
