// Package kimi reads the sessions of Kimi Code: a directory for each, with a JSONL
// file of operations for each of its agents.
package kimi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// Program is Kimi Code.
type Program struct{}

func (Program) Name() string  { return "kimi" }
func (Program) Title() string { return "Kimi Code" }

func (Program) Roots(e sources.Environment) []string {
	return e.Root("KIMI_CODE_HOME", ".kimi-code", "sessions")
}

// mainAgent is the agent that the user talks to.
const mainAgent = "main"

// Sessions implements [sources.Program]. The agents that the main one started are
// sessions of their own.
func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	wires, err := filepath.Glob(filepath.Join(escaped(root), "*", "*", "agents", "*", "wire.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []sources.Session
	var failed []error
	for _, path := range wires {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			failed = append(failed, err)
			continue
		}
		agent, dir := filepath.Base(filepath.Dir(path)), filepath.Dir(filepath.Dir(filepath.Dir(path)))
		s := sources.FileSession(filepath.Base(dir), path, info)
		if agent != mainAgent {
			s.Parent = s.ID
			s.ID += "." + agent
		}
		if state, err := os.Stat(filepath.Join(dir, "state.json")); err == nil {
			s.Stamp.Mark = state.ModTime().UTC().Format(time.RFC3339Nano)
		}
		out = append(out, s)
	}
	return out, errors.Join(failed...)
}

// escaped turns a path into a pattern that matches only that path.
func escaped(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	state := sources.Object("{}")
	if data, err := sources.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(s.Path))), "state.json")); err == nil {
		state = sources.ObjectOf(data)
	}
	t := &translator{w: w, when: time.UnixMilli(state.Int("createdAt")), tools: map[string]string{}}
	if state.Int("createdAt") == 0 {
		t.when = s.Modified
	}
	w.Header(sources.Header{ID: s.ID, Time: t.when, Cwd: state.Text("cwd"), Original: s.Path, Parent: w.ParentPath(s.Parent), Spawned: s.Parent != ""})
	err := sources.Objects(ctx, s.Path, func(offset int64, o sources.Object) { t.operation(fmt.Sprintf("%s@%d", s.ID, offset), o) })
	if err != nil {
		return err
	}
	t.flush("aborted")
	if title := state.Text("title"); title != "" && state.Bool("isCustomTitle") {
		w.Name("title "+title, t.parent, t.when, title)
	}
	return nil
}

// A translator writes operations in their order.
type translator struct {
	w       *sources.Writer
	when    time.Time
	parent  string
	model   string // of the next response
	key     string // of the step
	step    *format.Assistant
	results []*format.ToolResult
	tools   map[string]string
}

func (t *translator) operation(key string, o sources.Object) {
	if at := o.Int("time"); at > 0 {
		t.when = time.UnixMilli(at)
	}
	switch kind := o.Text("type"); kind {
	case "context.append_message":
		t.flush("aborted")
		t.message(key, o.Object("message"))
	case "context.append_loop_event":
		t.event(key, o.Object("event"))
	case "llm.request":
		t.model = o.Text("model")
	case "agent.message.appended", "usage.record", "turn.prompt", "token_counting.measured", "token_counting.turn_recorded": // they repeat other operations
	default:
		t.flush("aborted")
		if group, _, _ := strings.Cut(kind, "."); !slices.Contains(groups, group) {
			t.parent = t.w.Unknown(key, t.parent, t.when, kind, o)
			return
		}
		t.parent = t.w.Keep(key, t.parent, t.when, kind, o)
	}
}

// groups are the groups of operations that are known: the names of their kinds
// start with them.
var groups = []string{"metadata", "runtime", "profile", "permission", "turn", "context", "agent", "plugin", "llm", "usage", "token_counting", "prompt", "tools", "plan", "config", "goal", "task", "cron", sources.LongKind}

func (t *translator) message(key string, m sources.Object) {
	var blocks []format.Block
	for _, raw := range m.List("content") {
		blocks = append(blocks, block(sources.ObjectOf(raw)))
	}
	content := format.BlockContent(blocks...)
	if kind := m.Object("origin").Text("kind"); m.Text("role") != "user" || kind != "" && kind != "user" {
		t.parent = t.w.Add(key, t.parent, t.when, &format.CustomMessage{CustomType: "kimi/" + cmp.Or(kind, "program"), Content: content}, m.Text("id"))
		return
	}
	t.parent = t.w.Message(cmp.Or(m.Text("id"), key), t.parent, t.when, &format.User{Content: content, Timestamp: t.when.UnixMilli()})
}

func block(b sources.Object) format.Block {
	switch b.Text("type") {
	case "text":
		return &format.TextBlock{Text: b.Text("text")}
	case "think":
		return &format.ThinkingBlock{Thinking: b.Text("think"), ThinkingSignature: b.Text("encrypted")}
	case "image_url":
		if mime, data, ok := strings.Cut(strings.TrimPrefix(b.Object("imageUrl").Text("url"), "data:"), ";base64,"); ok {
			return &format.ImageBlock{Data: data, MimeType: mime}
		}
	}
	return &format.UnknownBlock{Raw: []byte(b)}
}

func (t *translator) event(key string, e sources.Object) {
	switch kind := e.Text("type"); kind {
	case "step.begin":
		t.flush("aborted")
		t.begin(cmp.Or(e.Text("uuid"), key))
	case "content.part":
		t.begin(cmp.Or(e.Text("stepUuid"), key))
		t.step.Content.Blocks = append(t.step.Content.Blocks, block(e.Object("part")))
	case "tool.call":
		t.begin(cmp.Or(e.Text("stepUuid"), key))
		b := &format.ToolCallBlock{ID: e.Text("toolCallId"), Name: e.Text("name"), Arguments: e.RawObject("args")}
		t.tools[b.ID] = b.Name
		t.step.Content.Blocks = append(t.step.Content.Blocks, b)
	case "tool.result":
		r, call := e.Object("result"), e.Text("toolCallId")
		result := &format.ToolResult{
			ToolCallID: call, ToolName: t.tools[call], IsError: r.Bool("isError"), DurationMs: r.Int("durationMs"), Timestamp: t.when.UnixMilli(),
			Content: format.BlockContent(&format.TextBlock{Text: r.Text("output")}),
		}
		if t.step == nil { // its response was written already, or is lost
			t.parent = t.w.Message(key, t.parent, t.when, result)
			return
		}
		t.results = append(t.results, result)
	case "step.end":
		if t.step == nil {
			return
		}
		u := e.Object("usage")
		t.step.Usage = sources.Unpriced(format.Usage{Input: u.Int("inputOther"), Output: u.Int("output"), CacheRead: u.Int("inputCacheRead"), CacheWrite: u.Int("inputCacheCreation")})
		stop := "stop"
		if e.Text("finishReason") == "tool_use" {
			stop = "toolUse"
		}
		t.flush(stop)
	default:
		t.flush("aborted")
		t.parent = t.w.Keep(key, t.parent, t.when, cmp.Or(kind, "event"), e)
	}
}

// begin starts a response, unless one was started.
func (t *translator) begin(key string) {
	if t.step == nil {
		t.key = key
		t.step = &format.Assistant{API: "openai-completions", Provider: "kimi", ResponseID: "kimi-" + key, Timestamp: t.when.UnixMilli()}
		t.step.Usage.Raw = []byte(`{}`)
	}
}

// flush writes the collected response, and the results of its calls.
func (t *translator) flush(stop string) {
	m := t.step
	if m == nil {
		return
	}
	t.step = nil
	m.Model, m.StopReason = t.model, stop
	if len(m.Content.Blocks) > 0 || stop != "aborted" {
		t.parent = t.w.Response(t.key, t.parent, t.when, m)
	}
	for _, r := range t.results {
		t.parent = t.w.Message(t.key+"/"+r.ToolCallID, t.parent, t.when, r)
	}
	t.results = nil
}
