package claude

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	t, err := readTranscript(ctx, s.Path)
	if err != nil {
		return err
	}
	defer t.file.Close()
	tr := &translator{transcript: t, w: w, ids: make([]string, len(t.records)), tails: map[int]string{}, parts: map[int][]int{}, tools: map[string]string{}, kinds: map[string]string{}}
	tr.price = t.prices
	if s.Parent != "" {
		tr.price = parentPrices(ctx, s.Path)
	}
	for i := range t.records {
		if l := t.records[i].leader; l != i {
			tr.parts[l] = append(tr.parts[l], i)
		}
	}
	tr.header(s)
	for i := range t.records {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := tr.emit(i); err != nil {
			return err
		}
	}
	if l := t.leaf(s.Parent != ""); l >= 0 && tr.ids[l] != "" {
		w.Leaf(cmp.Or(tr.tails[l], tr.ids[l]), tr.when)
	}
	return nil
}

// A translator writes the entries of a transcript, parents first.
type translator struct {
	*transcript
	w     *sources.Writer
	ids   []string       // entry IDs of the written records, by index
	tails map[int]string // the last of the lines outside the tree that follow a record
	parts map[int][]int  // the further lines of a response, by its first one
	tools map[string]string
	when  time.Time // time of the last record that has one
	price prices
	title string
	id    string            // of the session
	kinds map[string]string // kinds of subagents by the calls that started them
}

func (t *translator) header(s sources.Session) {
	h := sources.Header{ID: s.ID, Cwd: t.cwd, Original: s.Path, Version: t.version, Parent: t.w.ParentPath(s.Parent), Spawned: s.Parent != "", Archived: s.Stamp.Mark == archived}
	t.id = s.ID
	for i := range t.records {
		if !t.records[i].time.IsZero() {
			h.Time = t.records[i].time
			break
		}
	}
	if h.Time.IsZero() {
		h.Time = s.Modified
	}
	t.when = h.Time
	t.w.Header(h)
	if s.Parent == "" {
		return
	}
	if meta, err := sources.ReadFile(strings.TrimSuffix(s.Path, format.FileSuffix) + ".meta.json"); err == nil && jsonl.Valid(meta) {
		t.w.Keep("meta", "", h.Time, "subagent", bytes.TrimSpace(meta))
		if d := jsonl.LookupString(meta, "description"); d != "" {
			t.w.Name("description", t.w.Last(), h.Time, d)
		}
	}
}

// emit writes a record, after the records above it that were not written yet.
func (t *translator) emit(i int) error {
	var todo []int
	for at := t.records[i].leader; at >= 0 && t.ids[at] == ""; at = t.above(at) {
		todo = append(todo, at)
	}
	for n := len(todo) - 1; n >= 0; n-- {
		at := todo[n]
		if t.ids[at] != "" {
			continue
		}
		above := t.above(at) // -1 before the first record of the tree
		parent := t.tails[above]
		if parent == "" && above >= 0 {
			parent = t.ids[above]
		}
		r := &t.records[at]
		if !r.time.IsZero() {
			t.when = r.time
		}
		id, err := t.entry(at, parent)
		if err != nil {
			return err
		}
		t.ids[at] = cmp.Or(id, parent, "-")
		if r.uuid == "" && id != "" {
			t.tails[above] = id // the conversation continues below it, as in pi
		}
	}
	return nil
}

// entry writes the entries of a record and returns the ID of the last one.
func (t *translator) entry(i int, parent string) (string, error) {
	r := &t.records[i]
	if parent == "-" {
		parent = ""
	}
	if r.boundary != nil && r.boundary.summary >= 0 {
		return t.compaction(i, parent)
	}
	if r.kind == "assistant" && r.uuid != "" {
		return t.response(i, parent)
	}
	line, err := t.body(i)
	if err != nil {
		return "", err
	}
	switch {
	case r.kind == "user" && r.uuid != "" && !r.hidden:
		if id := t.user(r, line, parent); id != "" {
			return id, nil
		}
	case r.kind == "system" && r.uuid != "" && r.subtype == "local_command":
		if text := jsonl.LookupString(line, "content"); text != "" { // Claude Code sends it as a user message
			body := format.BlockContent(&format.TextBlock{Text: text})
			return t.w.Add(r.uuid, parent, t.when, &format.CustomMessage{CustomType: "claude/program", Content: body, Display: true}, r.uuid), nil
		}
	case r.kind == "custom-title" || r.kind == "summary":
		name := cmp.Or(jsonl.LookupString(line, "customTitle"), jsonl.LookupString(line, "summary"))
		if name == t.title || r.kind == "summary" && (name == "" || t.title != "") {
			return "", nil
		}
		t.title = name
		return t.w.Name(t.key(i), parent, t.when, name), nil
	}
	if !kinds[r.kind] {
		return t.w.Unknown(t.key(i), parent, t.when, r.kind, line), nil
	}
	return t.w.Keep(t.key(i), parent, t.when, r.kind, line), nil
}

// key returns the name of a record: its UUID, or its position in the file.
func (t *translator) key(i int) string {
	r := &t.records[i]
	if r.uuid != "" {
		return r.uuid
	}
	return fmt.Sprintf("%s@%d", r.kind, r.offset)
}

// response writes the lines of one assistant message as one entry.
func (t *translator) response(i int, parent string) (string, error) {
	m := &format.Assistant{API: "anthropic-messages", Provider: "anthropic", Timestamp: t.when.UnixMilli(), ResponseID: t.records[i].message}
	parts := append([]int{i}, t.parts[i]...)
	for k, n := range parts {
		line, err := t.body(n)
		if err != nil {
			return "", err
		}
		message := t.records[n].body.Of(line)
		if k < len(parts)-1 {
			message = bytes.Clone(message) // the next line overwrites it
		}
		t.addPart(m, &t.records[n], message)
	}
	key := t.records[i].uuid
	if m.Model == synthetic {
		return t.w.Message(key, parent, t.when, m), nil
	}
	return t.w.Response(key, parent, t.when, m), nil
}

// synthetic is the model of messages that the program generated.
const synthetic = "<synthetic>"

var stopReasons = map[string]string{"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length", "refusal": "error"}

var messageKeys = jsonl.NewKeys("model", "stop_reason", "usage", "content")

// addPart adds a line of a response to it. Every line repeats the figures of the
// whole; the last one counts.
func (t *translator) addPart(m *format.Assistant, r *record, message []byte) {
	if message == nil {
		return
	}
	var spans [4]jsonl.Span
	messageKeys.Scan(message, spans[:])
	if model, _ := jsonl.String(spans[0].Of(message)); model != "" {
		m.Model = model
	}
	if stop, _ := jsonl.String(spans[1].Of(message)); stop != "" {
		m.StopReason = cmp.Or(stopReasons[stop], stop)
	}
	if usage := spans[2].Of(message); jsonl.KindOf(usage) == '{' {
		m.Usage = t.price.priced(m.Model, usageOf(usage))
	}
	content := spans[3].Of(message)
	switch jsonl.KindOf(content) {
	case '"':
		text, _ := jsonl.String(content)
		m.Content.Blocks = append(m.Content.Blocks, &format.TextBlock{Text: text})
	case '[':
		for b := range jsonl.Elements(content) {
			kind, text := blockOf(b)
			m.Content.Blocks = append(m.Content.Blocks, t.block(b, kind, text))
		}
	}
	switch {
	case r.failed:
		m.ErrorMessage, m.StopReason = decoded(m.Content).PlainText(), "error"
		m.Content.Blocks = nil
	case r.aborted:
		m.StopReason = "aborted"
	}
	m.StopReason = cmp.Or(m.StopReason, "stop")
}

// textBlock returns a block with a text, given as raw JSON. It copies the text
// without decoding it: texts are most of a session, and both formats encode
// them in the same way.
func textBlock(text []byte) format.Block {
	if jsonl.KindOf(text) != '"' || !utf8.Valid(text) {
		value, _ := jsonl.String(text)
		return &format.TextBlock{Text: value}
	}
	return &format.UnknownBlock{Raw: slices.Concat([]byte(textStart), text, []byte("}"))}
}

const textStart = `{"type":"text","text":`

// decoded returns content with decoded texts.
func decoded(c format.Content) format.Content {
	return format.DecodeContent(format.AppendContent(nil, c))
}

var blockKeys = jsonl.NewKeys("type", "text")

// blockOf reads the type and the raw text of a content block, which may be of any
// shape.
func blockOf(b []byte) (kind string, text []byte) {
	var spans [2]jsonl.Span
	if shape, _ := blockKeys.Scan(b, spans[:]); shape != jsonl.Object {
		return "", nil
	}
	kind, _ = jsonl.String(spans[0].Of(b))
	return kind, spans[1].Of(b)
}

// block translates a content block of a type.
func (t *translator) block(b sources.Object, kind string, text []byte) format.Block {
	switch kind {
	case "text":
		return textBlock(text)
	case "thinking":
		return &format.ThinkingBlock{Thinking: b.Text("thinking"), ThinkingSignature: b.Text("signature")}
	case "redacted_thinking":
		return &format.ThinkingBlock{ThinkingSignature: b.Text("data"), Redacted: true}
	case "tool_use":
		input, _ := jsonl.Lookup(b, "input")
		call := &format.ToolCallBlock{ID: b.Text("id"), Name: b.Text("name"), Arguments: input}
		t.tools[call.ID] = call.Name
		if kind := b.Object("input").Text("subagent_type"); kind != "" {
			t.kinds[call.ID] = kind
		}
		return call
	case "image":
		if source := b.Object("source"); source.Text("type") == "base64" {
			return &format.ImageBlock{Data: source.Text("data"), MimeType: source.Text("media_type")}
		}
	}
	return &format.UnknownBlock{Raw: []byte(b)}
}

func (t *translator) content(raw []byte) format.Content {
	switch jsonl.KindOf(raw) {
	case '"':
		return format.BlockContent(textBlock(raw))
	case '[':
		var blocks []format.Block
		for b := range jsonl.Elements(raw) {
			kind, text := blockOf(b)
			blocks = append(blocks, t.block(b, kind, text))
		}
		return format.BlockContent(blocks...)
	}
	return format.BlockContent()
}

// user writes a user line: tool results, then the text. It returns "" for a line
// with neither.
func (t *translator) user(r *record, line []byte, parent string) string {
	message := r.body.Of(line)
	if message == nil {
		return ""
	}
	content, _ := jsonl.Lookup(message, "content")
	at, id := t.when, ""
	var rest []format.Block
	if jsonl.KindOf(content) == '[' {
		n := 0
		for b := range jsonl.Elements(content) {
			kind, text := blockOf(b)
			if kind != "tool_result" {
				rest = append(rest, t.block(b, kind, text))
				continue
			}
			key := r.uuid
			if n > 0 {
				key = fmt.Sprintf("%s#%d", r.uuid, n)
			}
			id = t.w.Message(key, parent, at, t.result(r, b, line, n))
			parent = id
			n++
		}
	} else {
		rest = t.content(content).Blocks
	}
	if len(rest) == 0 {
		return id
	}
	key := r.uuid
	if id != "" {
		key += "#text"
	}
	body := format.BlockContent(rest...)
	if r.meta || isCommand(rest) {
		return t.w.Add(key, parent, at, &format.CustomMessage{CustomType: "claude/program", Content: body, Display: !r.meta}, r.uuid)
	}
	return t.w.Message(key, parent, at, &format.User{Content: body, Timestamp: at.UnixMilli()})
}

// result translates the nth tool result of a line.
func (t *translator) result(r *record, b sources.Object, line []byte, n int) *format.ToolResult {
	call := b.Text("tool_use_id")
	m := &format.ToolResult{ToolCallID: call, ToolName: t.tools[call], IsError: b.Bool("is_error"), Content: t.content(b.Raw("content")), Timestamp: t.when.UnixMilli()}
	if details := r.result.Of(line); n == 0 && jsonl.KindOf(details) == '{' && jsonl.LookupString(details, "type") != "image" {
		m.Details = details // an image is in the content already
		if o := sources.Object(details); o.Text("agentId") != "" {
			m.Details = t.w.Details(sources.Run{Session: t.id + ".agent-" + o.Text("agentId"), Agent: t.kinds[call], Task: o.Text("prompt")}, details)
		}
	}
	return m
}

// compaction writes a boundary and its summary as one entry.
func (t *translator) compaction(i int, parent string) (string, error) {
	r, b := &t.records[i], t.records[i].boundary
	line, err := t.body(b.summary)
	if err != nil {
		return "", err
	}
	summary := decoded(t.content(sources.Object(line).Object("message").Raw("content"))).Joined()
	var e format.Entry = &format.Compaction{Summary: summary, FirstKeptEntryID: t.idOf(b.head), TokensBefore: b.tokensBefore, Details: b.metadata}
	if b.from {
		e = &format.BranchSummary{FromID: cmp.Or(t.idOf(b.logicalParent), "root"), Summary: summary, Details: b.metadata}
	}
	return t.w.Add(r.uuid, parent, t.when, e, r.uuid), nil
}

// idOf returns the entry of the record with a UUID, or "" if it was not
// written.
func (t *translator) idOf(uuid string) string {
	if i, ok := t.byUUID[uuid]; ok {
		if id := t.ids[t.records[i].leader]; id != "-" {
			return id
		}
	}
	return ""
}
