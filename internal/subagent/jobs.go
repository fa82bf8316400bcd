package subagent

import (
	"bytes"
	"cmp"
	"regexp"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// oh-my-pi runs subagents next to the conversation. The result of the task tool
// lists them as progress; their end is in the result of a later call of its hub
// tool, or in a message that the program adds by itself.

// deliveredType is the type of that message.
const deliveredType = "async-result"

// A job is a report about a run next to the conversation.
type job struct {
	id       string
	status   Status
	output   string
	model    string
	duration time.Duration
	at       time.Time
}

// hub handles a result of the hub tool: a list of jobs with their states.
func (f *finder) hub(at time.Time, details object) {
	for _, o := range details.objects("jobs") {
		f.jobs = append(f.jobs, job{
			id: o.firstText("id", "jobId"), status: words[o.text("status")], output: o.firstText("resultText", "errorText"),
			model: o.text("resolvedModel"), duration: o.milliseconds("durationMs"), at: at,
		})
	}
}

// taskResult matches the text by which the program reports the end of a run to
// a model.
var taskResult = regexp.MustCompile(`<task-result id="([^"]*)"[^>]*? status="([^"]*)"`)

// delivered handles a message about jobs that ended.
func (f *finder) delivered(line pith.Line) {
	raw, _ := jsonl.Lookup(line.Raw, "details")
	details := decode(bytes.Clone(raw))
	content, _ := jsonl.Lookup(line.Raw, "content")
	text := format.DecodeContent(bytes.Clone(content)).PlainText()
	statuses := map[string]Status{}
	for _, m := range taskResult.FindAllStringSubmatch(text, -1) {
		statuses[m[1]] = words[m[2]]
	}
	for _, o := range details.objects("jobs") {
		id := o.firstText("jobId", "id")
		status, known := statuses[id]
		if !known {
			status = OK
		}
		f.jobs = append(f.jobs, job{id: id, status: status, output: text, duration: o.milliseconds("durationMs"), at: entryTime(line.Raw)})
	}
}

// begunRuns returns the runs of which a result records only the start.
func begunRuns(details object) []Run {
	var runs []Run
	for i, p := range details.objects("progress") {
		if p.text("id") == "" {
			continue
		}
		run := plainRun(i, p)
		run.Status = asyncStatus(details)
		run.Usage, run.UsageFrom = format.Spent{}, ""
		if task := p.text("assignment"); tellsTask(task) {
			run.Task, run.TaskFrom = task, TaskFromResult
		}
		runs = append(runs, run)
	}
	return runs
}

// settleJobs applies later reports to the runs that started next to the
// conversation. A name may be reused: the report applies to the latest run of
// that name that has not ended.
func (f *finder) settleJobs() {
	for _, j := range f.jobs {
		for i := len(f.all) - 1; i >= 0 && j.id != ""; i-- {
			inv := &f.all[i]
			if inv.Tool == "task" && (j.at.IsZero() || !inv.Begun.After(j.at)) && inv.settleJob(j) {
				break
			}
		}
	}
}

func (inv *Invocation) settleJob(j job) bool {
	for i := range inv.Runs {
		run := &inv.Runs[i]
		if run.RunID != j.id || !run.Status.open() {
			continue
		}
		run.adopt(Run{Model: j.model, Duration: j.duration})
		if j.status == "" || j.status.open() {
			return true
		}
		run.Status, run.Duration = j.status, max(run.Duration, j.duration)
		run.Output = cmp.Or(run.Output, j.output)
		inv.Status = worst(inv.Runs)
		if j.at.After(inv.Ended) {
			inv.Ended = j.at
		}
		return true
	}
	return false
}
