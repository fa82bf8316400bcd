package subagent

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/prices"
)

// mostNesting is the depth to which runs inside the details of one result are
// read.
const mostNesting = 16

// resultRun reads one element of the results of a call, of any program.
func resultRun(position int, r object) Run {
	run := plainRun(position, r)
	run.Children = nestedRuns(r, mostNesting)
	return run
}

// plainRun is like resultRun without nested runs.
func plainRun(position int, r object) Run {
	run := Run{
		Index: position, RunID: r.firstText("runId", "id", "taskId"), Agent: r.text("agent"), Key: r.text("workflowKey"),
		Context: r.text("context"), Status: statusOf(r), Model: modelOf(r), Thinking: r.text("thinking"),
		Usage: resultSpent(r), Skills: r.texts("skills"),
		Output: r.firstText("finalOutput", "envelope", "output"), messages: r.raws("messages"),
	}
	if r.has("index") {
		run.Index = r.count("index")
	}
	if !run.Usage.IsZero() {
		run.UsageFrom = UsageFromResult
	}
	if run.Status != OK {
		run.Reason = cmp.Or(r.firstText("error", "errorMessage", "cause", "abortReason", "detachedReason"), r.object("error").text("message"))
	}
	run.Output = cmp.Or(run.Output, r.object("envelope").firstText("text", "output", "result"))
	if task := r.firstText("task", "assignment", "description"); tellsTask(task) {
		run.Task, run.TaskFrom = task, TaskFromResult
	}
	run.Usage = prices.Estimate(run.Model, time.Time{}, run.Usage)
	run.measure(r)
	run.namePaths(r)
	return run
}

// measure reads the duration and the counts of a run.
func (run *Run) measure(r object) {
	progress, summary, stats := r.object("progress"), r.object("progressSummary"), r.object("stats")
	run.Duration = cmp.Or(r.milliseconds("durationMs"), summary.milliseconds("durationMs"), progress.milliseconds("durationMs"),
		stats.milliseconds("durationMs"), between(r))
	run.ToolCalls = cmp.Or(summary.count("toolCount"), progress.count("toolCount"), stats.count("toolCount", "toolCalls"), r.count("toolCount"))
	if run.ToolCalls == 0 {
		for range r.list("toolCalls") {
			run.ToolCalls++
		}
	}
	run.Turns = cmp.Or(r.object("usage").count("turns"), stats.count("turns", "turnCount"), r.count("turnCount", "requests", "turns"))
}

// between returns the time from startedAt to endedAt.
func between(r object) time.Duration {
	from, to := r.amount("startedAt"), r.amount("endedAt")
	if from == 0 || to <= from || to-from > int64(longest/time.Millisecond) {
		return 0
	}
	return time.Duration(to-from) * time.Millisecond
}

// modelOf returns the model that responded, which is the last in a list of
// attempted ones.
func modelOf(r object) string {
	if m := r.firstText("model", "resolvedModel", "modelOverride"); m != "" {
		return m
	}
	if tried := r.texts("attemptedModels"); len(tried) > 0 {
		return tried[len(tried)-1]
	}
	return ""
}

// namePaths collects the files that a result names.
func (run *Run) namePaths(r object) {
	run.addPath(PathSession, r.firstText("sessionFile", "sessionPath"))
	if child := r.text("path"); strings.HasSuffix(child, ".jsonl") { // Atomic
		run.addPath(PathSession, child)
	}
	run.addPath(PathTranscript, r.text("transcriptPath"))
	run.nameFiles(r.object("artifactPaths"))
	run.addPath(PathOutput, r.firstText("outputPath", "savedOutputPath"))
	run.addPath(PathOutput, r.object("outputReference").text("path"))
	run.addPath(PathPatch, r.text("patchPath"))
	run.addPath(PathAsync, r.text("asyncDir"))
}

func (run *Run) nameFiles(files object) {
	run.addPath(PathTranscript, files.text("transcriptPath"))
	run.addPath(PathEvents, files.text("jsonlPath"))
	run.addPath(PathInput, files.text("inputPath"))
	run.addPath(PathOutput, files.text("outputPath"))
	run.addPath(PathMetadata, files.text("metadataPath"))
}

// nameArtifacts gives runs the files that the result lists for all of them: an
// object for each run, in order, or paths whose names contain the agent.
func (inv *Invocation) nameArtifacts(artifacts object) {
	for i, o := range artifacts.objects("files") {
		for j := range inv.Runs {
			if inv.Runs[j].Index == i {
				inv.Runs[j].nameFiles(o)
			}
		}
	}
	for _, path := range artifacts.texts("files") {
		for j := range inv.Runs {
			run := &inv.Runs[j]
			kind, base := artifactKind(path)
			agent := "_" + safeAgent(run.Agent)
			if kind != "" && run.Agent != "" && (strings.HasSuffix(base, agent+"_"+strconv.Itoa(run.Index)) || len(inv.Runs) == 1 && strings.HasSuffix(base, agent)) {
				run.addPath(kind, path)
			}
		}
	}
}

// artifactKind returns the kind of an artifact file, and its path without the
// ending that shows it.
func artifactKind(path string) (kind PathKind, base string) {
	for _, e := range []struct {
		ending string
		kind   PathKind
	}{
		{"_transcript.jsonl", PathTranscript}, {".jsonl", PathEvents}, {"_input.md", PathInput},
		{"_output.md", PathOutput}, {"_meta.json", PathMetadata},
	} {
		if base, ok := strings.CutSuffix(path, e.ending); ok {
			return e.kind, base
		}
	}
	return "", path
}

// nestedRuns returns the runs that a run, or a step of one, started itself.
func nestedRuns(r object, levels int) []Run {
	if levels == 0 {
		return nil
	}
	var runs []Run
	for i, child := range r.objects("children") {
		runs = append(runs, nestedRun(i, child, levels-1))
	}
	return runs
}

// nestedRun reads the summary of a nested run. One with several steps has these
// as its children.
func nestedRun(position int, o object, levels int) Run {
	run := plainRun(position, o)
	if agents := o.texts("agents"); run.Agent == "" && len(agents) == 1 {
		run.Agent = agents[0]
	}
	run.Children = nestedRuns(o, levels)
	if levels == 0 {
		return run
	}
	var steps []Run
	for i, step := range o.objects("steps") {
		s := plainRun(i, step)
		s.Children = nestedRuns(step, levels-1)
		steps = append(steps, s)
	}
	if len(steps) == 1 && sameAgent(run.Agent, steps[0].Agent) {
		run.adopt(steps[0])
		return run
	}
	run.Children = append(steps, run.Children...)
	return run
}

// adopt fills the missing facts of a run from its only step.
func (run *Run) adopt(step Run) {
	run.Agent = cmp.Or(run.Agent, step.Agent)
	run.Model, run.Thinking = cmp.Or(run.Model, step.Model), cmp.Or(run.Thinking, step.Thinking)
	run.Reason = cmp.Or(run.Reason, step.Reason)
	run.Duration = cmp.Or(run.Duration, step.Duration)
	run.ToolCalls, run.Turns = cmp.Or(run.ToolCalls, step.ToolCalls), cmp.Or(run.Turns, step.Turns)
	if run.Usage.IsZero() {
		run.Usage, run.UsageFrom = step.Usage, step.UsageFrom
	}
	if run.Status == Unknown {
		run.Status = step.Status
	}
	for _, p := range step.Paths {
		run.addPath(p.Kind, p.Path)
	}
	run.Children = append(run.Children, step.Children...)
}

// graphRuns returns the runs of a workflow's graph and its list of children
// that have no result: they wait, were never started, or are running.
func graphRuns(details object, known []Run) []Run {
	byIndex, byKey := map[int]bool{}, map[string]bool{}
	for i := range known {
		byIndex[known[i].Index] = true
		byKey[known[i].Key] = true
		byKey[known[i].RunID] = true
	}
	var runs []Run
	for _, child := range details.object("workflowChildren").objects("children") {
		run := resultRun(len(known)+len(runs), child)
		run.Key = child.text("childId")
		if byKey[run.Key] || run.RunID != "" && byKey[run.RunID] {
			continue
		}
		byKey[run.Key] = true
		runs = append(runs, run)
	}
	if len(runs) > 0 {
		return runs
	}
	return nodeRuns(details.object("workflowGraph"), byIndex)
}

// nodeRuns returns the nodes of a graph that represent one agent each and whose
// number is unused. It does not recurse, because a file may nest the graph to
// any depth.
func nodeRuns(graph object, taken map[int]bool) []Run {
	type level struct {
		node  object
		depth int
	}
	var todo []level
	push := func(o object, name string, depth int) {
		if depth > mostNesting {
			return
		}
		var list []level
		for _, node := range o.objects(name) {
			list = append(list, level{node, depth})
		}
		for i := len(list) - 1; i >= 0; i-- {
			todo = append(todo, list[i])
		}
	}
	push(graph, "nodes", 0)
	var runs []Run
	for len(todo) > 0 && len(runs) < mostElements {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		push(at.node, "children", at.depth+1)
		index, ok := at.node.integer("flatIndex")
		if !ok || index < 0 || index > mostElements || at.node.text("agent") == "" || taken[int(index)] {
			continue
		}
		taken[int(index)] = true
		run := Run{
			Index: int(index), Agent: at.node.text("agent"), Key: at.node.text("label"),
			Status: statusOf(at.node), Reason: at.node.text("error"),
		}
		runs = append(runs, run)
	}
	return runs
}
