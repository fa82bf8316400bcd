package subagent

import (
	"cmp"
	"slices"

	"github.com/pith-sessions/pith/format"
)

// A wait is the report of a wait tool about a run that ended in the background.
type wait struct {
	invocation int // of the wait itself
	completion object
}

func isWait(tool string) bool { return tool == "bg_wait" || tool == "subagent_wait" }

// deliver passes the results of background runs to the calls that started them.
// One whose start is not in the session stays with the wait. Two waits may
// report the same end; it counts once.
func (f *finder) deliver() {
	started := map[string]int{}
	for i := range f.all {
		for _, id := range []string{f.all[i].AsyncID, f.all[i].RunID} {
			if _, taken := started[id]; id != "" && !taken {
				started[id] = i
			}
		}
	}
	done := map[string]bool{}
	for _, w := range f.waits {
		id := w.completion.text("runId")
		if id != "" && done[id] {
			continue
		}
		done[id] = true
		runs := completedRuns(w.completion)
		i, known := started[id]
		if !known || id == "" {
			inv := &f.all[w.invocation]
			inv.Runs = append(inv.Runs, runs...)
			inv.Status = worst(inv.Runs)
			continue
		}
		inv := &f.all[i]
		inv.Runs = merge(inv.Runs, runs)
		inv.Status = worst(inv.Runs)
		assign(inv.Runs, inv.Requested)
		if end := f.all[w.invocation].Ended; !end.IsZero() {
			inv.Ended = end
		}
	}
	for _, w := range f.waits {
		// The cost of a wait is that of the runs it mentions.
		f.all[w.invocation].Reported = format.Spent{}
	}
}

func completedRuns(c object) []Run {
	status := statusOf(c)
	var runs []Run
	for i, r := range c.objects("results") {
		run := resultRun(i, r)
		if run.Status == Unknown {
			run.Status = status
		}
		run.Agent = cmp.Or(run.Agent, c.text("agent"))
		runs = append(runs, run)
	}
	runs = append(runs, graphRuns(c, runs)...)
	if len(runs) == 0 {
		run := resultRun(0, c)
		run.RunID = ""
		runs = append(runs, run)
	}
	for i := range runs {
		runs[i].RunID = cmp.Or(runs[i].RunID, c.text("runId"))
	}
	return runs
}

// merge replaces runs that were only known to have started by their results.
func merge(started, ended []Run) []Run {
	for _, run := range ended {
		at := slices.IndexFunc(started, func(r Run) bool { return r.Status.open() && r.Index == run.Index && sameAgent(r.Agent, run.Agent) })
		if at < 0 {
			if !slices.ContainsFunc(started, func(r Run) bool { return r.Index == run.Index && r.Agent == run.Agent }) {
				started = append(started, run)
			}
			continue
		}
		old := started[at]
		started[at] = run
		if run.TaskFrom == "" {
			started[at].Task, started[at].TaskFrom = old.Task, old.TaskFrom
		}
		started[at].adopt(Run{Agent: old.Agent, Model: old.Model, Thinking: old.Thinking, Paths: old.Paths, Status: old.Status})
	}
	return started
}
