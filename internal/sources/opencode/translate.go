package opencode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	db, err := sources.OpenSQLite(ctx, s.Path, tables...)
	if err != nil {
		return err
	}
	defer db.Close()
	t := &translator{w: w, entries: map[string]string{}}
	var title, directory, version, revert string
	var created int64
	err = db.QueryRowContext(ctx, `SELECT `+text("title")+`, `+text("directory")+`, `+text("version")+`, `+text("revert")+`, `+number("time_created")+` FROM session WHERE id = ?`, s.ID).
		Scan(&title, &directory, &version, &revert, &created)
	if err != nil {
		return err
	}
	t.when = time.UnixMilli(created)
	w.Header(sources.Header{ID: s.ID, Time: t.when, Cwd: directory, Original: s.Path, Version: version, Parent: w.ParentPath(s.Parent), Spawned: s.Parent != ""})
	messages, err := query(ctx, db, `SELECT `+text("id")+`, '', `+data+` FROM message WHERE session_id = ? ORDER BY id`, s.ID)
	if err != nil {
		return err
	}
	defer messages.rows.Close()
	parts, err := query(ctx, db, `SELECT `+text("id")+`, `+text("message_id")+`, `+data+` FROM part WHERE session_id = ? ORDER BY message_id, id`, s.ID)
	if err != nil {
		return err
	}
	defer parts.rows.Close()
	reverted := sources.ObjectOf([]byte(revert)).Text("messageID")
	leaf, left := "", false
	for ; messages.next != nil; messages.advance() {
		m := messages.next
		for ; parts.next != nil && parts.next.message < m.id; parts.advance() {
			t.keep(*parts.next) // of a message that is gone
		}
		var own []row
		for ; parts.next != nil && parts.next.message == m.id; parts.advance() {
			own = append(own, *parts.next)
		}
		if m.id == reverted {
			leaf, left = t.parent, true // the rest is hidden until it is deleted
		}
		t.message(m, own)
	}
	for ; parts.next != nil; parts.advance() {
		t.keep(*parts.next)
	}
	if err := cmp.Or(messages.err, parts.err); err != nil {
		return err
	}
	if title != "" {
		t.parent = w.Name("title "+title, t.parent, t.when, title)
	}
	if left && leaf != "" {
		w.Leaf(leaf, t.when)
	}
	return nil
}

// A translator writes the messages of a session.
type translator struct {
	w       *sources.Writer
	parent  string
	when    time.Time
	entries map[string]string // first entry of each message
	compact *row              // a user message that requests a compaction
	tail    string            // the first message that the compaction keeps
}

func (t *translator) message(m *row, parts []row) {
	if !isObject(m.data) {
		t.keep(*m)
		t.keep(parts...)
		return
	}
	if ms, ok := jsonl.Int(sources.Object(m.data).Object("time").Raw("created")); ok {
		t.when = time.UnixMilli(ms)
	}
	switch jsonl.LookupString(m.data, "role") {
	case "user":
		t.user(m, parts)
	case "assistant":
		t.assistant(m, parts)
	default:
		t.parent = t.w.Unknown(m.id, t.parent, t.when, jsonl.LookupString(m.data, "role"), m.data)
		t.keep(parts...)
	}
}

func isObject(data []byte) bool { return jsonl.KindOf(data) == '{' && jsonl.Valid(data) }

func (t *translator) user(m *row, parts []row) {
	var blocks []format.Block
	for i := range parts {
		p := parts[i].data
		if !isObject(p) {
			t.keep(parts[i])
			continue
		}
		switch jsonl.LookupString(p, "type") {
		case "text":
			if sources.Object(p).Bool("ignored") {
				t.keep(parts[i])
			} else {
				blocks = append(blocks, &format.TextBlock{Text: jsonl.LookupString(p, "text")})
			}
		case "file":
			if image, ok := imageOf(p); ok {
				blocks = append(blocks, image)
			} else {
				blocks = append(blocks, &format.TextBlock{Text: fmt.Sprintf("[file %s]", cmp.Or(jsonl.LookupString(p, "filename"), jsonl.LookupString(p, "url")))})
			}
		case "compaction":
			t.compact, t.tail = m, jsonl.LookupString(p, "tail_start_id")
		default:
			t.keep(parts[i])
		}
	}
	if len(blocks) == 0 {
		return
	}
	t.parent = t.w.Message(m.id, t.parent, t.when, &format.User{Content: format.BlockContent(blocks...), Timestamp: t.when.UnixMilli()})
	t.entries[m.id] = t.parent
}

// partKinds are the kinds of parts that are known.
var partKinds = []string{"text", "file", "compaction", "reasoning", "tool", "step-start", "step-finish", "snapshot", "patch", "agent", "retry", "subtask"}

// keep writes rows without a counterpart. One that is not JSON becomes a string.
func (t *translator) keep(rows ...row) {
	for _, p := range rows {
		kind, record := "damaged", p.data
		if isObject(record) {
			kind = jsonl.LookupString(record, "type")
			if !slices.Contains(partKinds, kind) {
				t.parent = t.w.Unknown(p.id, t.parent, t.when, kind, record)
				continue
			}
		} else {
			record = jsonl.AppendString(nil, string(record))
		}
		t.parent = t.w.Keep(p.id, t.parent, t.when, kind, record)
	}
}

var stops = map[string]string{"stop": "stop", "tool-calls": "toolUse", "length": "length", "error": "error", "content-filter": "error"}

func (t *translator) assistant(m *row, parts []row) {
	out := &format.Assistant{
		API: "openai-completions", Provider: jsonl.LookupString(m.data, "providerID"), Model: jsonl.LookupString(m.data, "modelID"),
		StopReason: cmp.Or(stops[jsonl.LookupString(m.data, "finish")], "stop"), Timestamp: t.when.UnixMilli(),
	}
	if out.Provider == "anthropic" {
		out.API = "anthropic-messages"
	}
	t.failure(m, out)
	t.usage(m, out)
	var results []*format.ToolResult
	var rest []row
	for i := range parts {
		p := parts[i].data
		if !isObject(p) {
			rest = append(rest, parts[i])
			continue
		}
		switch jsonl.LookupString(p, "type") {
		case "text":
			out.Content.Blocks = append(out.Content.Blocks, &format.TextBlock{Text: jsonl.LookupString(p, "text")})
		case "reasoning":
			out.Content.Blocks = append(out.Content.Blocks, &format.ThinkingBlock{Thinking: jsonl.LookupString(p, "text")})
		case "tool":
			call, result := t.tool(p)
			out.Content.Blocks = append(out.Content.Blocks, call)
			if result != nil {
				results = append(results, result)
			}
		case "step-start", "step-finish": // they repeat counts of the message
		default:
			rest = append(rest, parts[i])
		}
	}
	if t.compact != nil && sources.Object(m.data).Bool("summary") && len(results) == 0 && out.ErrorMessage == "" && out.StopReason == "stop" {
		t.compaction(m, out)
		t.keep(rest...)
		return
	}
	t.compact = nil
	t.parent = t.w.Response(m.id, t.parent, t.when, out)
	t.entries[m.id] = t.parent
	for _, r := range results {
		t.parent = t.w.Message(m.id+"/"+r.ToolCallID, t.parent, t.when, r)
	}
	t.keep(rest...)
}

func (t *translator) failure(m *row, out *format.Assistant) {
	failure := sources.Object(sources.Object(m.data).RawObject("error"))
	if failure == nil {
		return
	}
	out.StopReason, out.ErrorMessage = "error", cmp.Or(failure.Object("data").Text("message"), failure.Text("name"))
	if failure.Text("name") == "MessageAbortedError" {
		out.StopReason, out.ErrorMessage = "aborted", ""
	}
}

// usage reads the counts of the message. A fork has the same messages under
// other IDs, so a response is identified by its times and tokens.
func (t *translator) usage(m *row, out *format.Assistant) {
	data := sources.Object(m.data)
	tokens := sources.Object(data.RawObject("tokens"))
	if tokens == nil {
		return
	}
	cache := tokens.Object("cache")
	u := format.Usage{Input: tokens.Int("input"), Reasoning: tokens.Int("reasoning"), CacheRead: cache.Int("read"), CacheWrite: cache.Int("write")}
	u.Output = format.Plus(tokens.Int("output"), u.Reasoning)
	u.TotalTokens = format.Plus(format.Plus(u.Input, u.Output), format.Plus(u.CacheRead, u.CacheWrite))
	u.Cost.Total, _ = jsonl.Float(data.Raw("cost"))
	if u.Cost.Total == 0 { // OpenCode writes 0 if it knows no price
		u = sources.Unpriced(u)
	}
	out.Usage = u
	if times := sources.Object(data.RawObject("time")); times != nil && u.TotalTokens > 0 {
		out.ResponseID = fmt.Sprintf("opencode-%d-%d-%d", times.Int("created"), times.Int("completed"), u.TotalTokens)
	}
}

// tool translates a part that contains a call and its result. A running call
// has no result.
func (t *translator) tool(p []byte) (*format.ToolCallBlock, *format.ToolResult) {
	state := sources.Object(p).Object("state")
	call := &format.ToolCallBlock{ID: jsonl.LookupString(p, "callID"), Name: jsonl.LookupString(p, "tool"), Arguments: state.RawObject("input")}
	r := &format.ToolResult{ToolCallID: call.ID, ToolName: call.Name, Timestamp: t.when.UnixMilli()}
	text := state.Text("output")
	switch state.Text("status") {
	case "completed":
	case "error":
		text, r.IsError = state.Text("error"), true
	default:
		return call, nil
	}
	r.Content = format.BlockContent(&format.TextBlock{Text: text})
	if metadata := sources.Object(state.RawObject("metadata")); metadata != nil {
		r.Details = []byte(metadata)
		if id := metadata.Text("sessionId"); id != "" && call.Name == "task" {
			input := sources.ObjectOf(call.Arguments)
			r.Details = t.w.Details(sources.Run{Session: id, Agent: input.Text("subagent_type"), Task: input.Text("prompt")}, metadata)
		}
		if code, ok := jsonl.Int(metadata.Raw("exit")); ok && code != 0 {
			r.IsError = true
		}
	}
	for _, a := range state.List("attachments") {
		if image, ok := imageOf(a); ok {
			r.Content.Blocks = append(r.Content.Blocks, image)
		}
	}
	return call, r
}

func imageOf(p []byte) (*format.ImageBlock, bool) {
	image := sources.ImageOf(jsonl.LookupString(p, "url"))
	return image, image != nil && strings.HasPrefix(image.MimeType, "image/")
}

// compaction writes a message that is a summary.
func (t *translator) compaction(m *row, out *format.Assistant) {
	e := &format.Compaction{Summary: out.Content.Joined(), FirstKeptEntryID: t.entries[t.tail], Usage: &out.Usage}
	t.parent, t.compact = t.w.Add(m.id, t.parent, t.when, e, m.id), nil
	t.entries[m.id] = t.parent
}
