package subagent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"iter"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/prices"
)

// Find lists the invocations on the path to an entry, in the order of their
// calls; for "", before the first entry, there are none. Files next to the
// session are not read: see Read.
func Find(s *pith.Session, leaf string) ([]Invocation, error) {
	lines, err := onPath(s, leaf)
	if err != nil {
		return nil, err
	}
	return FindIn(lines)
}

// FindAll lists the invocations on all branches, in file order.
func FindAll(s *pith.Session) ([]Invocation, error) { return FindIn(s.View().Reader().Lines()) }

// FindIn lists the invocations in some lines of a session, which must be in
// order.
func FindIn(lines iter.Seq2[pith.Line, error]) ([]Invocation, error) {
	f, err := scan(lines)
	if err != nil {
		return nil, err
	}
	return f.finish(), nil
}

// onPath returns the entries on the path to a leaf.
func onPath(s *pith.Session, leaf string) (iter.Seq2[pith.Line, error], error) {
	v := s.View()
	if leaf == "" { // before the first entry
		return v.Reader().LinesAt(nil), nil
	}
	path, err := v.Path(leaf)
	return v.Reader().LinesAt(path), err
}

// customResult is the type of the message in which pi-subagents stores the runs
// of a user's command. The first one of a request records its start.
const customResult = "subagent-slash-result"

// IsTool reports whether a tool runs subagents or waits for them, by its name.
// Other tools may do so too, which their details show.
func IsTool(name string) bool {
	return name == "subagent" || name == "task" || isWait(name)
}

// A finder collects the invocations of a session and the session's own
// spending.
type finder struct {
	all      []Invocation
	byCall   map[string]int // id of a call to its latest invocation
	byTicket map[string]int // id of a command's request to its invocation
	foreign  map[int]bool   // invocations of a tool that only has the same name
	waits    []wait
	jobs     []job

	// The rest are facts about the session as a whole.

	own     format.Spent
	entries int
	facts
}

// scan reads entries. Results of other tools, which are most of a large file,
// are not decoded.
func scan(lines iter.Seq2[pith.Line, error]) (*finder, error) {
	f := &finder{byCall: map[string]int{}, byTicket: map[string]int{}, foreign: map[int]bool{}}
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		f.entries++
		switch {
		case line.Role == format.RoleToolResult:
			f.result(line)
		case line.Type == format.TypeCustomMessage:
			f.custom(line)
		default:
			if err := f.other(line); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// result handles a tool result. The spending of a subagent is not that of the
// session.
func (f *finder) result(line pith.Line) {
	raw, _ := jsonl.Lookup(line.Raw, "message")
	message := decode(raw)
	name := message.text("toolName")
	details := message.object("details")
	_, known := f.byCall[message.text("toolCallId")]
	ours := IsTool(name) || known || details.isList("completions") || details.text("mode") != "" && details.isList("results")
	if name == "hub" && details.isList("jobs") {
		f.hub(entryTime(line.Raw), decode(bytes.Clone(raw)).object("details"))
	}
	if !ours {
		f.own = f.own.Plus(format.DecodeSpent(message["usage"]))
		return
	}
	kept := decode(bytes.Clone(raw)) // the line is valid only until the next one
	f.answer(line.ID, entryTime(line.Raw), kept)
}

// other handles an entry that is not a tool result.
func (f *finder) other(line pith.Line) error {
	e, err := format.DecodeEntry(line.Raw)
	if err != nil {
		return err
	}
	spent, _ := prices.Entry(e)
	f.own = f.own.Plus(spent)
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return nil
	}
	at := entryTime(line.Raw)
	f.add(m.Message, at)
	if m, ok := m.Message.(*format.Assistant); ok {
		f.model = format.ModelName(m.Provider, m.Model)
		for _, b := range m.Content.Blocks {
			if call, ok := b.(*format.ToolCallBlock); ok && IsTool(call.Name) {
				f.call(line.ID, at, call)
			}
		}
	}
	return nil
}

// call handles a call. Providers may reuse an id, so the latest one counts.
func (f *finder) call(entry string, at time.Time, c *format.ToolCallBlock) {
	args := decode(c.Arguments)
	f.byCall[c.ID] = len(f.all)
	f.all = append(f.all, Invocation{
		ToolCallID: c.ID, Tool: c.Name, CallEntry: entry, Begun: at,
		Mode: modeOf(args), Requested: requests(args), Status: NoResult,
	})
	if isWait(c.Name) {
		f.all[len(f.all)-1].Mode = Management
	}
}

// answer handles a result of a subagent. A result without its call, as on a
// path that a compaction of another program cut, becomes an invocation of its
// own; a second result of one call is ignored.
func (f *finder) answer(entry string, at time.Time, message object) {
	id := message.text("toolCallId")
	i, known := f.byCall[id]
	if known && f.all[i].ResultEntry != "" {
		return
	}
	if !known {
		i = len(f.all)
		f.byCall[id] = i
		f.all = append(f.all, Invocation{ToolCallID: id, Tool: message.text("toolName"), Status: NoResult})
	}
	inv := &f.all[i]
	inv.ResultEntry, inv.Ended = entry, at
	details := message.object("details")
	if inv.Tool == "task" && !details.isList("results") && !details.isList("progress") && !details.has("async") {
		f.foreign[i] = true
		f.own = f.own.Plus(format.DecodeSpent(message["usage"]))
		return
	}
	inv.read(details, message)
	for _, c := range details.objects("completions") {
		f.waits = append(f.waits, wait{i, c})
	}
}

// custom handles the runs of a user's command.
func (f *finder) custom(line pith.Line) {
	switch jsonl.LookupString(line.Raw, "customType") {
	case customResult:
	case deliveredType:
		f.delivered(line)
		return
	default:
		return
	}
	raw, _ := jsonl.Lookup(line.Raw, "details")
	slash := decode(bytes.Clone(raw))
	result := slash.object("result")
	details := result.object("details")
	if !details.isList("results") {
		return
	}
	ticket := slash.text("requestId")
	i, known := f.byTicket[ticket]
	if !known || ticket == "" {
		i = len(f.all)
		f.byTicket[ticket] = i
		f.all = append(f.all, Invocation{Tool: customResult, Begun: entryTime(line.Raw)})
	}
	inv := &f.all[i]
	inv.ResultEntry, inv.Ended = line.ID, entryTime(line.Raw)
	inv.Runs = nil
	inv.read(details, result)
}

// read fills an invocation from the details of its result and the message
// around them.
func (inv *Invocation) read(details, message object) {
	if m := Mode(details.text("mode")); m != "" {
		inv.Mode = m
	}
	inv.Context = details.text("context")
	inv.RunID, inv.AsyncID = details.text("runId"), cmp.Or(details.text("asyncId"), details.object("async").text("jobId"))
	inv.AsyncDir = details.text("asyncDir")
	inv.ArtifactsDir = details.object("artifacts").text("dir")
	inv.Reported = reported(details, message)
	for i, r := range details.objects("results") {
		inv.Runs = append(inv.Runs, resultRun(i, r))
	}
	if inv.Mode == "" && len(inv.Runs) > 0 {
		inv.Mode = Single
		if len(inv.Runs) > 1 {
			inv.Mode = Parallel
		}
	}
	inv.Runs = append(inv.Runs, graphRuns(details, inv.Runs)...)
	if len(inv.Runs) == 0 && inv.Tool == "task" && details.has("async") {
		inv.Runs = begunRuns(details)
	} else {
		inv.applyProgress(details)
	}
	failed := message.is("isError")
	if failed {
		inv.Error = format.DecodeContent(message["content"]).PlainText()
	}
	switch {
	case len(inv.Runs) > 0:
	case inv.AsyncID != "" && inv.Mode != Management:
		inv.Runs = planned(inv.Requested, asyncStatus(details))
	case failed && inv.Mode != Management:
		inv.Runs = planned(inv.Requested, Failed)
	}
	assign(inv.Runs, inv.Requested)
	inv.nameArtifacts(details.object("artifacts"))
	if inv.Tool == "task" { // the model chooses the names, for people to read
		for i := range inv.Runs {
			inv.Runs[i].Key = cmp.Or(inv.Runs[i].Key, inv.Runs[i].RunID)
		}
	}
	inv.settle(details, failed)
}

// asyncStatus returns the state of a background run at its start.
func asyncStatus(details object) Status {
	if s, known := words[details.object("async").text("state")]; known && s != Running {
		return s
	}
	return Background
}

// applyProgress fills facts that are missing in the results from the progress
// list.
func (inv *Invocation) applyProgress(details object) {
	for i, p := range details.objects("progress") {
		index := i
		if p.has("index") {
			index = p.count("index")
		}
		for j := range inv.Runs {
			if run := &inv.Runs[j]; run.Index == index {
				run.adopt(Run{
					Agent: p.text("agent"), Status: statusOf(p), Duration: p.milliseconds("durationMs"),
					ToolCalls: p.count("toolCount"), Model: p.text("model"), Thinking: p.text("thinking"),
				})
			}
		}
	}
}

// settle sets the status of the whole call.
func (inv *Invocation) settle(details object, failed bool) {
	switch status := statusOf(details); {
	case status != Unknown && (status.Bad() || len(inv.Runs) == 0):
		inv.Status = status
	case len(inv.Runs) > 0:
		inv.Status = worst(inv.Runs)
	case failed:
		inv.Status = Failed
	default:
		inv.Status = OK
	}
}

// reported returns the total spending of all runs in a result. All these
// members have the same value.
func reported(details, message object) format.Spent {
	for _, o := range []object{details.object("totalChildUsage"), message.object("usage"), details.object("usage"), details.object("totalCost")} {
		if s := spentOf(o); !s.IsZero() {
			return s
		}
	}
	return format.Spent{}
}

// finish returns the invocations, without the calls of a tool that turned out
// to be something else.
func (f *finder) finish() []Invocation {
	f.deliver()
	f.settleJobs()
	var out []Invocation
	for i := range f.all {
		inv := &f.all[i]
		if f.foreign[i] {
			continue
		}
		if inv.ResultEntry == "" && len(inv.Runs) == 0 && inv.Mode != Management {
			inv.Runs = planned(inv.Requested, NoResult)
		}
		out = append(out, *inv)
	}
	return out
}

func entryTime(line json.RawMessage) time.Time {
	t, _ := format.ParseTime(jsonl.LookupString(line, "timestamp"))
	return t
}
