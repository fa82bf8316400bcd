package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

// atifVersion is the version of the Agent Trajectory Interchange Format that is
// written.
const atifVersion = "ATIF-v1.7"

// A trajectory is a conversation in ATIF: steps numbered from 1. Fields that
// only agent steps may have are omitted from other steps, and every observation
// names a call of its own step.
type trajectory struct {
	Schema    string        `json:"schema_version"`
	SessionID string        `json:"session_id"`
	ID        string        `json:"trajectory_id"`
	Agent     atifAgent     `json:"agent"`
	Steps     []atifStep    `json:"steps"`
	Notes     string        `json:"notes,omitempty"`
	Final     *atifTotals   `json:"final_metrics,omitempty"`
	Subagents []*trajectory `json:"subagent_trajectories,omitempty"`
}

type atifAgent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Model   string `json:"model_name,omitempty"`
}

type atifStep struct {
	ID          int              `json:"step_id"`
	Time        string           `json:"timestamp,omitempty"`
	Source      string           `json:"source"`
	Model       string           `json:"model_name,omitempty"`
	Message     string           `json:"message"`
	Reasoning   string           `json:"reasoning_content,omitempty"`
	Calls       []atifCall       `json:"tool_calls,omitempty"`
	Observation *atifObservation `json:"observation,omitempty"`
	Metrics     *atifMetrics     `json:"metrics,omitempty"`
	Extra       map[string]any   `json:"extra,omitempty"`
}

type atifCall struct {
	ID        string          `json:"tool_call_id"`
	Name      string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"`
}

type atifObservation struct {
	Results []atifResult `json:"results"`
}

type atifResult struct {
	Call      string    `json:"source_call_id"`
	Content   string    `json:"content"`
	Subagents []atifRef `json:"subagent_trajectory_ref,omitempty"`
}

type atifRef struct {
	ID string `json:"trajectory_id"`
}

type atifMetrics struct {
	Prompt     int64    `json:"prompt_tokens"`
	Completion int64    `json:"completion_tokens"`
	Cached     int64    `json:"cached_tokens"`
	Cost       *float64 `json:"cost_usd,omitempty"`
}

type atifTotals struct {
	Prompt     int64    `json:"total_prompt_tokens"`
	Completion int64    `json:"total_completion_tokens"`
	Cached     int64    `json:"total_cached_tokens"`
	Cost       *float64 `json:"total_cost_usd,omitempty"`
	Steps      int      `json:"total_steps"`
}

// readRuns returns the subagent runs on the path, by the calls that started
// them.
func readRuns(ctx context.Context, s *pith.Session, leaf string) (map[string][]subagent.Run, error) {
	report, err := subagent.Read(ctx, s, subagent.Options{Leaf: leaf})
	if err != nil {
		return nil, err
	}
	return byCall(report.Invocations), nil
}

func byCall(calls []subagent.Invocation) map[string][]subagent.Run {
	runs := map[string][]subagent.Run{}
	for _, call := range calls {
		runs[call.ToolCallID] = append(runs[call.ToolCallID], call.Runs...)
	}
	return runs
}

// atif writes the context at the leaf: compactions are resolved as the model
// saw them.
func (p *Plan) atif(ctx context.Context, w io.Writer) (r Report, err error) {
	leaf := ""
	if n := len(p.path); n > 0 {
		leaf = p.view.At(p.path[n-1]).ID
	}
	c, err := p.view.Context(leaf)
	if err != nil {
		return r, err
	}
	t := p.trajectory(p.id)
	b := atifBuilder{plan: p, t: t, runs: p.runs}
	for m, err := range c.Messages() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return r, err
		}
		if err := b.add(ctx, m.Raw); err != nil {
			return r, err
		}
	}
	b.finish()
	out := bufio.NewWriterSize(w, 64<<10)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(t); err != nil {
		return r, err
	}
	return Report{Entries: len(t.Steps)}, out.Flush()
}

func (p *Plan) trajectory(id string) *trajectory {
	return &trajectory{
		Schema: atifVersion, SessionID: p.id, ID: id, Steps: []atifStep{}, Notes: p.title,
		Agent: atifAgent{Name: cmp.Or(p.agent, "pi"), Version: cmp.Or(p.agentVersion, "unknown")},
	}
}

// An atifBuilder adds messages to a trajectory.
type atifBuilder struct {
	plan  *Plan
	t     *trajectory
	runs  map[string][]subagent.Run
	calls map[string]int // step index of each call
	depth int
}

// mostNested is how deep nested subagents are followed.
const mostNested = 8

func (b *atifBuilder) add(ctx context.Context, raw []byte) error {
	m, err := format.DecodeMessage(b.plan.cleaned(raw))
	if err != nil {
		return nil // reported by the findings of the file
	}
	items := inspect.Items(&format.MessageEntry{Message: m})
	if m.Role() == format.RoleToolResult {
		return b.result(ctx, &items[0])
	}
	step := atifStep{ID: len(b.t.Steps) + 1, Source: "user"}
	if at, ok := m.Time(); ok {
		step.Time = at.UTC().Format(time.RFC3339Nano)
	}
	b.fill(&step, items)
	switch m := m.(type) {
	case *format.User, *format.BashExecution:
	case *format.System:
		step.Source, step.Message = "system", m.Content.Joined() // without its tools
	case *format.Assistant:
		step.Source, step.Model, step.Metrics = "agent", m.Model, metricsOf(&m.Usage)
		b.t.Agent.Model = cmp.Or(m.Model, b.t.Agent.Model)
	default:
		step.Source, step.Extra = "system", map[string]any{"role": string(m.Role())}
	}
	b.t.Steps = append(b.t.Steps, step)
	return nil
}

// fill adds the items of a message to its step.
func (b *atifBuilder) fill(step *atifStep, items []inspect.Item) {
	var texts, pictures, thoughts []string
	for i := range items {
		switch it := &items[i]; {
		case it.Kind == inspect.Thinking:
			if it.Text != "" {
				thoughts = append(thoughts, string(it.Text))
			}
		case it.Tool != nil:
			if b.calls == nil {
				b.calls = map[string]int{}
			}
			b.calls[string(it.Tool.CallID)] = len(b.t.Steps)
			args := it.Tool.Arguments
			if !json.Valid(args) {
				args = json.RawMessage(`{}`)
			}
			step.Calls = append(step.Calls, atifCall{string(it.Tool.CallID), string(it.Name), args})
		case it.Kind == inspect.Failure:
			step.Extra = map[string]any{"error": string(it.Text)}
		case it.Image != nil:
			pictures = append(pictures, picture(it.Image))
		default:
			texts = append(texts, string(it.Text))
		}
		if bash := items[i].Bash; bash != nil {
			step.Extra = map[string]any{"command": string(bash.Command)}
		}
	}
	step.Message = withPictures(strings.Join(texts, ""), pictures)
	step.Reasoning = strings.Join(thoughts, "\n\n")
}

func picture(i *inspect.Image) string { return "[" + i.String() + "]" }

// withPictures returns a text with a note for each image on a line of its own.
func withPictures(text string, pictures []string) string {
	if text != "" {
		pictures = append([]string{text}, pictures...)
	}
	return strings.Join(pictures, "\n")
}

// metricsOf returns the usage of a response, or nil if it has none.
func metricsOf(u *format.Usage) *atifMetrics {
	if u.TotalTokens == 0 && u.Input == 0 && u.Output == 0 {
		return nil
	}
	m := &atifMetrics{Prompt: format.Plus(u.Input, format.Plus(u.CacheRead, u.CacheWrite)), Completion: u.Output, Cached: u.CacheRead}
	if u.Cost.Total > 0 {
		m.Cost = &u.Cost.Total
	}
	return m
}

// result adds a tool result to the step of its call. A result whose call is not
// in the context becomes a separate step.
func (b *atifBuilder) result(ctx context.Context, it *inspect.Item) error {
	var pictures []string
	for i := range it.Tool.Result.Images {
		pictures = append(pictures, picture(&it.Tool.Result.Images[i]))
	}
	call, content := string(it.Tool.CallID), withPictures(string(it.Tool.Result.Text), pictures)
	i, ok := b.calls[call]
	if !ok {
		b.t.Steps = append(b.t.Steps, atifStep{ID: len(b.t.Steps) + 1, Source: "system", Message: content, Extra: map[string]any{"tool": string(it.Name)}})
		return nil
	}
	step := &b.t.Steps[i]
	if step.Observation == nil {
		step.Observation = &atifObservation{}
	}
	result := atifResult{Call: call, Content: content}
	for n, run := range b.runs[call] {
		if run.Source.Kind == "" || b.depth >= mostNested {
			continue
		}
		child, err := b.subagent(ctx, &run, fmt.Sprintf("%s/%s/%d", b.t.ID, call, n))
		if err != nil {
			return err
		}
		b.t.Subagents = append(b.t.Subagents, child)
		result.Subagents = append(result.Subagents, atifRef{child.ID})
	}
	step.Observation.Results = append(step.Observation.Results, result)
	return nil
}

// subagent returns the trajectory of a run.
func (b *atifBuilder) subagent(ctx context.Context, run *subagent.Run, id string) (*trajectory, error) {
	t := b.plan.trajectory(id)
	t.Notes, t.Agent.Name = b.plan.name(run.Task), cmp.Or(b.plan.name(run.Agent), t.Agent.Name)
	child := atifBuilder{plan: b.plan, t: t, depth: b.depth + 1, runs: byCall(run.Calls)}
	for m, err := range run.Source.Messages(ctx) {
		if cause := ctx.Err(); cause != nil {
			return nil, cause
		}
		if err != nil {
			break // keep the readable part
		}
		if err := child.add(ctx, m.Raw()); err != nil {
			return nil, err
		}
	}
	child.finish()
	return t, nil
}

// finish adds the totals. It adds a total cost only if every response has one.
func (b *atifBuilder) finish() {
	total := &atifTotals{Steps: len(b.t.Steps)}
	cost, priced, responses := 0.0, 0, 0
	for i := range b.t.Steps {
		m := b.t.Steps[i].Metrics
		if m == nil {
			continue
		}
		responses++
		total.Prompt, total.Completion, total.Cached = format.Plus(total.Prompt, m.Prompt), format.Plus(total.Completion, m.Completion), format.Plus(total.Cached, m.Cached)
		if m.Cost != nil {
			cost += *m.Cost
			priced++
		}
	}
	if responses > 0 && priced == responses {
		total.Cost = &cost
	}
	b.t.Final = total
}

// cleaned returns a redacted message.
func (p *Plan) cleaned(raw []byte) []byte {
	if p.redact == nil {
		return raw
	}
	out, _ := p.redact.Line(raw)
	return out
}
