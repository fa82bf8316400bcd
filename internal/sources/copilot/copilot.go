// Package copilot reads the sessions of Copilot CLI: a directory for each, with a
// JSONL file of events in one chain.
package copilot

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// Program is Copilot CLI.
type Program struct{}

func (Program) Name() string  { return "copilot" }
func (Program) Title() string { return "Copilot CLI" }

func (Program) Roots(e sources.Environment) []string {
	return e.Root("COPILOT_HOME", ".copilot", "session-state")
}

func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var out []sources.Session
	var failed []error
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(root, e.Name(), "events.jsonl")
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			if err != nil && !errors.Is(err, os.ErrNotExist) && e.IsDir() {
				failed = append(failed, err)
			}
			continue
		}
		s := sources.FileSession(e.Name(), path, info)
		if named, err := os.Stat(filepath.Join(root, e.Name(), "workspace.yaml")); err == nil {
			s.Stamp.Mark = named.ModTime().UTC().Format(time.RFC3339Nano)
		}
		out = append(out, s)
	}
	return out, errors.Join(failed...)
}

// A workspace is the content of a session's workspace.yaml.
type workspace struct {
	Cwd   string `yaml:"cwd"`
	Name  string `yaml:"name"`
	Named bool   `yaml:"user_named"`
}

func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	var place workspace
	if data, err := sources.ReadFile(filepath.Join(filepath.Dir(s.Path), "workspace.yaml")); err == nil {
		_ = yaml.Unmarshal(data, &place) // the events have what matters
	}
	t := &translator{w: w, session: s, place: place, tools: map[string]string{}}
	if err := sources.Objects(ctx, s.Path, func(_ int64, e sources.Object) { t.event(e) }); err != nil {
		return err
	}
	if !t.started {
		w.Header(sources.Header{ID: s.ID, Time: s.Modified, Cwd: place.Cwd, Original: s.Path})
	}
	if place.Named && place.Name != "" {
		w.Name("name "+place.Name, t.parent, t.when, place.Name)
	}
	return nil
}

// A translator writes events in their order.
type translator struct {
	w       *sources.Writer
	session sources.Session
	place   workspace
	started bool
	when    time.Time
	parent  string
	usage   format.Usage // of the response that follows
	tools   map[string]string
}

func (t *translator) event(e sources.Object) {
	if at, ok := format.ParseTime(e.Text("timestamp")); ok {
		t.when = at
	}
	data, kind, id := e.Object("data"), e.Text("type"), e.Text("id")
	if !t.started {
		t.started = true
		if t.when.IsZero() {
			t.when = t.session.Modified
		}
		t.w.Header(sources.Header{
			ID: t.session.ID, Time: t.when, Cwd: cmp.Or(data.Object("context").Text("cwd"), t.place.Cwd), Original: t.session.Path, Version: data.Text("copilotVersion"),
		})
	}
	ms := t.when.UnixMilli()
	switch kind {
	case "user.message":
		blocks := []format.Block{&format.TextBlock{Text: data.Text("content")}}
		for _, raw := range data.List("attachments") {
			if a := sources.ObjectOf(raw); a.Text("type") == "blob" {
				blocks = append(blocks, &format.ImageBlock{Data: a.Text("data"), MimeType: a.Text("mimeType")})
			}
		}
		t.parent = t.w.Message(id, t.parent, t.when, &format.User{Content: format.BlockContent(blocks...), Timestamp: ms})
	case "session.usage_record":
		u := data.Object("usage")
		cached, written := u.Int("cacheReadTokens"), u.Int("cacheWriteTokens")
		t.usage = sources.Unpriced(format.Usage{Input: max(u.Int("inputTokens")-cached-written, 0), Output: u.Int("outputTokens"), CacheRead: cached, CacheWrite: written, Reasoning: u.Int("reasoningTokens")})
	case "assistant.message":
		t.response(id, data)
	case "tool.execution_complete":
		t.result(id, data)
	case "assistant.turn_start", "assistant.turn_end", "tool.execution_start": // they repeat messages
	default:
		if group, _, _ := strings.Cut(kind, "."); !slices.Contains(groups, group) {
			t.parent = t.w.Unknown(id, t.parent, t.when, kind, e)
			return
		}
		t.parent = t.w.Keep(id, t.parent, t.when, kind, e)
	}
}

// groups are the groups of events that are known: the names of their kinds start
// with them.
var groups = []string{"session", "user", "assistant", "tool", "system", "hook", "subagent", "skill", "permission", "external_tool", "command", "mcp", "abort", sources.LongKind}

func (t *translator) response(id string, data sources.Object) {
	out := &format.Assistant{
		API: "openai-completions", Provider: "github-copilot", Model: data.Text("model"), StopReason: "stop",
		ResponseID: data.Text("apiCallId"), Usage: t.usage, Timestamp: t.when.UnixMilli(),
	}
	t.usage = format.Usage{}
	if text := data.Text("reasoningText"); text != "" {
		out.Content.Blocks = append(out.Content.Blocks, &format.ThinkingBlock{Thinking: text})
	}
	if text := data.Text("content"); text != "" {
		out.Content.Blocks = append(out.Content.Blocks, &format.TextBlock{Text: text})
	}
	for _, raw := range data.List("toolRequests") {
		call := sources.ObjectOf(raw)
		b := &format.ToolCallBlock{ID: call.Text("toolCallId"), Name: call.Text("name"), Arguments: call.RawObject("arguments")}
		if b.Arguments == nil {
			b.Arguments = sources.Arguments(call.Text("arguments"))
		}
		t.tools[b.ID] = b.Name
		out.Content.Blocks, out.StopReason = append(out.Content.Blocks, b), "toolUse"
	}
	t.parent = t.w.Response(id, t.parent, t.when, out)
}

func (t *translator) result(id string, data sources.Object) {
	call := data.Text("toolCallId")
	text := cmp.Or(data.Object("result").Text("content"), data.Object("error").Text("message"))
	r := &format.ToolResult{
		ToolCallID: call, ToolName: t.tools[call], IsError: !data.Bool("success"), Timestamp: t.when.UnixMilli(),
		Content: format.BlockContent(&format.TextBlock{Text: text}),
	}
	if code := data.Object("shellExecution").Int("exitCode"); code != 0 {
		r.IsError = true
	}
	t.parent = t.w.Message(id, t.parent, t.when, r)
}
