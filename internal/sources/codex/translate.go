package codex

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	l, ok := s.Listing.(*listing)
	if !ok {
		rollouts, err := rolloutsOf(ctx, homeOf(s.Path))
		if err != nil {
			return err
		}
		l = newListing(rollouts)
	}
	t := &translator{w: w, thread: s.ID, rollouts: l.byID, written: map[string]*written{}}
	files := l.threads[s.ID]
	if len(files) == 0 {
		return fmt.Errorf("thread %s: no rollout file", s.ID)
	}
	last, err := readMeta(ctx, files[len(files)-1].path)
	if err != nil {
		return err
	}
	first, err := readMeta(ctx, files[0].path)
	if err != nil {
		return err
	}
	t.meta = last
	w.Header(sources.Header{
		ID: s.ID, Time: cmp.Or(first.time, s.Modified), Cwd: last.cwd, Original: s.Path, Version: last.version,
		Parent: w.ParentPath(cmp.Or(first.parent, first.forked)), Spawned: first.parent != "",
	})
	for _, f := range files {
		if err := t.rollout(ctx, f.id, 0, 0); err != nil {
			return err
		}
	}
	if name := cmp.Or(s.Stamp.Mark, last.nickname); name != "" {
		w.Name("name "+name, w.Last(), t.when, name)
	}
	return nil
}

// homeOf returns the home that contains a rollout.
func homeOf(path string) string {
	for _, dir := range []string{"sessions", "archived_sessions"} {
		if i := strings.LastIndex(path, string(filepath.Separator)+dir+string(filepath.Separator)); i >= 0 {
			return path[:i]
		}
	}
	return path
}

// A translator writes the rollouts of a thread, each below the entry that it
// continues from.
type translator struct {
	w        *sources.Writer
	thread   string
	meta     meta
	rollouts map[string]rollout
	written  map[string]*written
	when     time.Time

	id      string // of the rollout
	parent  string // parent of the next entry
	pending *format.Assistant
	key     string    // of pending
	ended   time.Time // of the last record of pending
	sealed  bool      // the usage of pending is known: another response follows
	model   string
	effort  string
	tools   map[string]string // names of tools by call
	failed  map[string]bool   // calls that failed
	details map[string][]byte // file changes by call
}

// written contains the entries of a rollout: the last one that was written
// before the end of each line.
type written struct {
	ends []int64
	ids  []string
	open int // number of the last lines that wait for their entry
}

// add records the entry after the line that ends before a byte. open means that
// the line is part of a response that is not written yet.
func (w *written) add(end int64, id string, open bool) {
	w.ends, w.ids = append(w.ends, end), append(w.ids, id)
	if open {
		w.open++
	}
}

// resolve sets the entry of the lines that waited for it.
func (w *written) resolve(id string) {
	for ; w.open > 0; w.open-- {
		w.ids[len(w.ids)-w.open] = id
	}
}

// at returns the last entry of a rollout before a byte.
func (w *written) at(offset int64) string {
	id := ""
	for i, end := range w.ends {
		if end > offset {
			break
		}
		id = w.ids[i]
	}
	return id
}

// mostBases is the maximum number of rollouts that one is based on.
const mostBases = 1000

// rollout writes the lines of a rollout before byte end, after those that it is
// based on; 0 means all of them. A rollout is written once.
func (t *translator) rollout(ctx context.Context, id string, end int64, depth int) error {
	if t.written[id] != nil || depth > mostBases {
		return nil
	}
	f, ok := t.rollouts[id]
	if !ok {
		return nil // it was deleted; the rest stays readable
	}
	t.written[id] = &written{}
	m, err := readMeta(ctx, f.path)
	if err != nil {
		return err
	}
	parent := ""
	if m.base != "" {
		until := m.end
		if base, ok := t.rollouts[m.base]; ok && base.thread == t.thread {
			until = 0 // the abandoned branch is part of this session
		}
		if err := t.rollout(ctx, m.base, until, depth+1); err != nil {
			return err
		}
		if b := t.written[m.base]; b != nil {
			parent = b.at(m.end)
		}
	}
	t.id, t.parent, t.model, t.effort = id, parent, "", ""
	t.tools, t.failed, t.details = map[string]string{}, map[string]bool{}, map[string][]byte{}
	w := t.written[id]
	err = lines(ctx, f.path, end, func(l *line) error {
		if !l.time.IsZero() {
			t.when = l.time
		}
		t.line(l)
		w.add(l.offset+int64(len(l.raw))+1, t.parent, t.pending != nil)
		return nil
	})
	t.flush("")
	return err
}

func (t *translator) keyOf(l *line) string { return fmt.Sprintf("%s@%d", t.id, l.offset) }

// line translates one record.
func (t *translator) line(l *line) {
	kind := l.payload.Text("type")
	switch l.kind {
	case "response_item":
		t.item(l, kind)
	case "event_msg":
		t.event(l, kind)
	case "turn_context":
		t.settings(l)
	case "token_usage_record":
		if t.pending != nil && !t.sealed {
			if usage, ok := jsonl.Lookup(l.payload, "usage"); ok {
				t.pending.Usage = usageOf(usage)
			}
			t.pending.ResponseID, t.sealed, t.ended = l.payload.Text("response_id"), true, t.when
			return
		}
		t.spent(l)
	case "compacted":
		t.flush("")
		t.compaction(l)
	case "session_meta":
		t.keep(l, "session_meta")
	case "world_state", "dynamic_tools_updated", "inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score", "realtime_item",
		damagedKind, sources.LongKind:
		t.flush("")
		t.keep(l, l.kind)
	default:
		t.flush("")
		t.unknown(l, l.kind)
	}
}

// spent writes the usage of a response without items.
func (t *translator) spent(l *line) {
	usage, ok := jsonl.Lookup(l.payload, "usage")
	if !ok {
		return
	}
	t.flush("")
	e := &format.UsageEntry{Kind: "codex/response", Provider: t.meta.provider, Model: t.model, Usage: usageOf(usage)}
	t.parent = t.w.Add(t.keyOf(l), t.parent, t.when, e, l.payload.Text("response_id"))
}

func (t *translator) keep(l *line, kind string) {
	t.parent = t.w.Keep(t.keyOf(l), t.parent, t.when, kind, bytes.Clone(l.raw))
}

func (t *translator) unknown(l *line, kind string) {
	t.parent = t.w.Unknown(t.keyOf(l), t.parent, t.when, kind, bytes.Clone(l.raw))
}

func (t *translator) settings(l *line) {
	t.flush("")
	model := l.payload.Text("model")
	if model != "" && model != t.model {
		t.parent = t.w.Add(t.keyOf(l), t.parent, t.when, &format.ModelChange{Provider: t.meta.provider, ModelID: model}, "")
		t.model = model
	}
	effort := l.payload.Text("effort")
	if effort != "" && effort != t.effort {
		if effort == "none" {
			effort = "off"
		}
		t.parent = t.w.Add(t.keyOf(l)+"/effort", t.parent, t.when, &format.ThinkingLevelChange{Level: effort}, "")
		t.effort = effort
	}
}

// event reads the data of an event that response items do not contain. All
// other events repeat them.
func (t *translator) event(l *line, kind string) {
	switch kind {
	case "item_completed":
		t.completed(l.payload.Object("item"))
	case "turn_aborted":
		t.flush("aborted")
	case "task_complete", "error":
		t.flush("")
		text := l.payload.Text("message")
		if failure := l.payload.RawObject("error"); failure != nil {
			text = sources.Object(failure).Text("message")
		}
		if text != "" {
			m := &format.Assistant{API: api, Provider: t.meta.provider, Model: t.model, StopReason: "error", ErrorMessage: text, Timestamp: t.when.UnixMilli()}
			t.parent = t.w.Message(t.keyOf(l), t.parent, t.when, m)
		}
	case "token_count":
		usage := l.payload.Object("info").RawObject("last_token_usage")
		if usage != nil && t.pending != nil && !t.sealed { // a legacy thread
			t.pending.Usage, t.sealed, t.ended = usageOf(usage), true, t.when
		}
	case "thread_rolled_back":
		t.flush("")
		t.keep(l, kind)
	}
}

func (t *translator) completed(item sources.Object) {
	id := item.Text("id")
	if code, ok := jsonl.Lookup(item, "exit_code"); ok {
		n, isNumber := jsonl.Int(code)
		t.failed[id] = isNumber && n != 0
	}
	if status := item.Text("status"); status == "failed" || status == "declined" {
		t.failed[id] = true
	}
	if changes, ok := jsonl.Lookup(item, "changes"); ok && item.Text("type") == "FileChange" {
		t.details[id] = bytes.Clone(changes)
	}
}

// api is pi's name for the protocol of Codex.
const api = "openai-responses"

// flush writes the response that was collected.
func (t *translator) flush(stop string) {
	m := t.pending
	if m == nil {
		return
	}
	t.pending, t.sealed = nil, false
	m.StopReason = cmp.Or(stop, sources.StopReason(m.Content.Blocks))
	t.parent = t.w.Message(t.key, t.parent, t.ended, m)
	t.written[t.id].resolve(t.parent)
}

// add adds a block to the response that is being collected.
func (t *translator) add(l *line, b format.Block) {
	if t.sealed {
		t.flush("")
	}
	if t.pending == nil {
		t.pending = &format.Assistant{API: api, Provider: t.meta.provider, Model: t.model, Timestamp: t.when.UnixMilli()}
		t.pending.Usage.Raw = []byte(`{}`)
		t.key = t.keyOf(l)
	}
	t.pending.Content.Blocks = append(t.pending.Content.Blocks, b)
	t.ended = t.when
}

// usageOf reads the counts of a response. Codex records no prices: the cost is
// left out, which differs from zero.
func usageOf(raw []byte) format.Usage {
	if jsonl.KindOf(raw) != '{' {
		return format.Usage{}
	}
	n := sources.Object(raw).Int
	cached, written := n("cached_input_tokens"), n("cache_write_input_tokens")
	return sources.Unpriced(format.Usage{
		Input: max(n("input_tokens")-cached-written, 0), Output: n("output_tokens"), CacheRead: cached, CacheWrite: written,
		Reasoning: n("reasoning_output_tokens"), TotalTokens: n("total_tokens"),
	})
}

// compaction writes the summary of a compaction, and before it the prompts that
// it keeps: Codex sends these first, then the summary as a user message.
func (t *translator) compaction(l *line) {
	key := t.keyOf(l)
	summary := l.payload.Text("message")
	firstKept, n := "", 0
	for raw := range jsonl.Elements(bytes.Clone(l.payload.Raw("replacement_history"))) {
		item := sources.Object(raw)
		if item.Text("type") != "message" || item.Text("role") != "user" {
			continue
		}
		body := contentOf(item.Raw("content"))
		if body.Joined() == summary {
			continue
		}
		e := &format.CustomMessage{CustomType: "codex/kept", Content: body}
		t.parent = t.w.Add(fmt.Sprintf("%s/kept/%d", key, n), t.parent, t.when, e, item.Text("id"))
		firstKept = cmp.Or(firstKept, t.parent)
		n++
	}
	t.parent = t.w.Add(key, t.parent, t.when, &format.Compaction{Summary: summary, FirstKeptEntryID: firstKept}, key)
}
