package subagent

import (
	"cmp"
	"strings"
)

// mostRequests is the maximum number of tasks of one call. A count in a call
// can be any number.
const mostRequests = 1000

// requests lists the tasks in the arguments of a call, flat and in the order in
// which the children are numbered: one task, a list of tasks, or the steps of a
// chain, each of which may be a list itself.
func requests(args object) []Request {
	l := requestList{agent: args.text("agent")}
	switch {
	case args.isList("chain"):
		for step, o := range args.objects("chain") {
			l.step(step, o)
		}
	case args.isList("tasks"):
		for _, o := range args.objects("tasks") {
			l.add(0, o)
		}
	case args.text("action") != "":
	case l.agent != "" || args.firstText("task", "prompt") != "":
		l.add(0, args)
	}
	return l.all
}

type requestList struct {
	agent string // for tasks that name no agent
	all   []Request
}

func (l *requestList) step(step int, o object) {
	for _, name := range []string{"parallel", "tasks"} {
		if o.isList(name) {
			for _, task := range o.objects(name) {
				l.add(step, task)
			}
			return
		}
	}
	if each := o.object("parallel"); each != nil { // one for each item of an earlier output
		o = each
	}
	l.add(step, o)
}

func (l *requestList) add(step int, o object) {
	r := Request{Agent: cmp.Or(o.text("agent"), l.agent), Task: o.firstText("task", "assignment", "prompt", "description"), Model: o.text("model"), Step: step}
	for range max(o.count("count"), 1) {
		if len(l.all) == mostRequests {
			return
		}
		l.all = append(l.all, r)
	}
}

// modeOf returns the mode of a call by its arguments.
func modeOf(args object) Mode {
	switch {
	case args.text("action") != "":
		return Management
	case args.isList("chain"):
		return Chain
	case args.isList("tasks"):
		return Parallel
	case args.has("workflowScript") || args.has("workflow"):
		return Workflow
	case args.has("agent") || args.has("task"):
		return Single
	}
	return ""
}

// isTemplate reports whether the task of a request is known only once it runs.
func isTemplate(task string) bool {
	return strings.Contains(task, "{previous}") || strings.Contains(task, "{task}") || strings.Contains(task, "{item") ||
		strings.Contains(task, "{outputs.") || strings.Contains(task, "{chain_dir}")
}

// assign gives runs without a task the one that the call requested. A run and a
// request are matched by their number, if their agents agree; otherwise the
// next request for that agent is used.
func assign(runs []Run, asked []Request) {
	used := make([]bool, len(asked))
	match := func(r *Run) int {
		if r.Index >= 0 && r.Index < len(asked) && !used[r.Index] && sameAgent(r.Agent, asked[r.Index].Agent) {
			return r.Index
		}
		if len(runs) == 1 && len(asked) == 1 && sameAgent(r.Agent, asked[0].Agent) {
			return 0
		}
		for i := range asked {
			if !used[i] && r.Agent != "" && r.Agent == asked[i].Agent {
				return i
			}
		}
		return -1
	}
	for i := range runs {
		r := &runs[i]
		at := match(r)
		if at < 0 {
			continue
		}
		used[at] = true
		r.Agent = cmp.Or(r.Agent, asked[at].Agent)
		if r.TaskFrom == "" && tellsTask(asked[at].Task) {
			r.Task, r.TaskFrom = asked[at].Task, TaskFromCall
		}
	}
}

func sameAgent(a, b string) bool { return a == b || a == "" || b == "" }

// planned returns runs of which only the request is known.
func planned(asked []Request, status Status) []Run {
	runs := make([]Run, 0, len(asked))
	for i, q := range asked {
		r := Run{Index: i, Agent: q.Agent, Model: q.Model, Status: status}
		if tellsTask(q.Task) {
			r.Task, r.TaskFrom = q.Task, TaskFromCall
		}
		runs = append(runs, r)
	}
	return runs
}
