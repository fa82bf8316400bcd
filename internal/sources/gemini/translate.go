package gemini

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// A chat is the state of a log after its updates so far, with every message
// that it ever had.
type chat struct {
	id, summary, cwd string
	start            time.Time
	live             []string       // the current messages, in order
	at               map[string]int // their indexes in live
	order            []string       // every message in the order of its first occurrence
	messages         map[string]sources.Object
	above            map[string]string // the message before each when it was first seen
	extras           []sources.Object  // other records
}

func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	c := &chat{at: map[string]int{}, messages: map[string]sources.Object{}, above: map[string]string{}}
	if err := sources.Objects(ctx, s.Path, func(_ int64, record sources.Object) { c.update(record) }); err != nil {
		return err
	}
	c.write(s, w)
	return nil
}

func (c *chat) update(record sources.Object) {
	switch {
	case record.Raw("$set") != nil:
		set := record.Object("$set")
		c.summary = cmp.Or(set.Text("summary"), c.summary)
		if jsonl.KindOf(set.Raw("messages")) == '[' {
			c.cut(0)
			for _, m := range set.List("messages") {
				c.add(m)
			}
		}
		if set.Raw("memoryScratchpad") != nil {
			c.extras = append(c.extras, record)
		}
	case record.Raw("$rewindTo") != nil:
		if i, ok := c.at[record.Text("$rewindTo")]; ok {
			c.cut(i)
		}
	case record.Raw("sessionId") != nil && record.Raw("type") == nil:
		c.id = cmp.Or(c.id, record.Text("sessionId"))
		if at, ok := format.ParseTime(record.Text("startTime")); ok && c.start.IsZero() {
			c.start = at
		}
		for _, dir := range record.List("directories") {
			text, _ := jsonl.String(dir)
			c.cwd = cmp.Or(c.cwd, text)
		}
	case record.Text("id") != "":
		c.add(record)
	default:
		c.extras = append(c.extras, record)
	}
}

// add adds a message, or replaces the one with its ID.
func (c *chat) add(m sources.Object) {
	id := m.Text("id")
	if id == "" {
		return
	}
	if _, known := c.messages[id]; !known {
		c.order = append(c.order, id)
		if n := len(c.live); n > 0 {
			c.above[id] = c.live[n-1]
		}
	}
	c.messages[id] = m
	if _, live := c.at[id]; !live {
		c.at[id] = len(c.live)
		c.live = append(c.live, id)
	}
}

// cut drops the messages from index n.
func (c *chat) cut(n int) {
	for _, id := range c.live[n:] {
		delete(c.at, id)
	}
	c.live = c.live[:n]
}

// write writes all messages, an abandoned branch before the one that follows.
func (c *chat) write(s sources.Session, w *sources.Writer) {
	project := filepath.Dir(filepath.Dir(s.Path))
	if s.Parent != "" {
		project = filepath.Dir(project)
	}
	if root, err := sources.ReadFile(filepath.Join(project, ".project_root")); err == nil {
		c.cwd = cmp.Or(strings.TrimSpace(string(root)), c.cwd)
	}
	if c.start.IsZero() {
		c.start = s.Modified
	}
	w.Header(sources.Header{ID: cmp.Or(c.id, s.ID), Time: c.start, Cwd: c.cwd, Original: s.Path, Parent: w.ParentPath(s.Parent), Spawned: s.Parent != ""})
	t := &translator{w: w, when: c.start, ends: map[string]string{}, done: map[string]bool{}, project: filepath.Base(project), id: c.id}
	for _, id := range c.order {
		t.parent = t.ends[c.above[id]]
		t.message(id, c.messages[id])
		t.ends[id] = t.parent
	}
	leaf := ""
	if n := len(c.live); n > 0 {
		leaf = t.ends[c.live[n-1]]
	}
	t.parent = leaf
	for _, record := range c.extras {
		t.parent = w.Keep("extra "+string(record), t.parent, t.when, "record", record)
	}
	if c.summary != "" {
		t.parent = w.Name("summary "+c.summary, t.parent, t.when, c.summary)
	}
	if t.parent != "" {
		w.Leaf(t.parent, t.when)
	}
}

// A translator writes the messages of a chat.
type translator struct {
	w      *sources.Writer
	when   time.Time
	parent string
	ends   map[string]string // last entry of each message
	done   map[string]bool   // calls whose results were written

	project, id string // the chats of subagents are named after them
}

func (t *translator) message(id string, m sources.Object) {
	if at, ok := format.ParseTime(m.Text("timestamp")); ok {
		t.when = at
	}
	switch m.Text("type") {
	case "user":
		t.user(id, m)
	case "gemini":
		t.response(id, m)
	case "info", "warning", "error":
		t.parent = t.w.Keep(id, t.parent, t.when, m.Text("type"), m)
	default:
		t.parent = t.w.Unknown(id, t.parent, t.when, m.Text("type"), m)
	}
}

// user writes a user message. Its results also occur with their calls.
func (t *translator) user(id string, m sources.Object) {
	content := sources.ReadGenAI(m.Raw("content"))
	for i := range content.Results {
		if r := &content.Results[i]; !t.done[r.ID] {
			t.done[r.ID] = true
			t.parent = t.w.Message(id+"/"+r.ID, t.parent, t.when, r.Message(t.when.UnixMilli()))
		}
	}
	if len(content.Blocks) == 0 {
		return
	}
	body := format.BlockContent(content.Blocks...)
	if strings.HasPrefix(body.PlainText(), "<session_context>") {
		t.parent = t.w.Add(id, t.parent, t.when, &format.CustomMessage{CustomType: "gemini/program", Content: body}, id)
		return
	}
	t.parent = t.w.Message(id, t.parent, t.when, &format.User{Content: body, Timestamp: t.when.UnixMilli()})
}

func (t *translator) response(id string, m sources.Object) {
	out := &format.Assistant{API: "google-generative-ai", Provider: "google", Model: m.Text("model"), StopReason: "stop", Timestamp: t.when.UnixMilli(), ResponseID: "gemini-" + id}
	for _, thought := range m.List("thoughts") {
		o := sources.ObjectOf(thought)
		text := strings.TrimSpace(o.Text("subject") + "\n\n" + o.Text("description"))
		out.Content.Blocks = append(out.Content.Blocks, &format.ThinkingBlock{Thinking: text})
	}
	out.Content.Blocks = append(out.Content.Blocks, sources.ReadGenAI(m.Raw("content")).Blocks...)
	var results []*format.ToolResult
	for _, raw := range m.List("toolCalls") {
		call := sources.ObjectOf(raw)
		b := &format.ToolCallBlock{ID: call.Text("id"), Name: call.Text("name"), Arguments: call.RawObject("args")}
		out.Content.Blocks, out.StopReason = append(out.Content.Blocks, b), "toolUse"
		for _, r := range sources.ReadGenAI(call.Raw("result")).Results {
			r.ID, r.Name = b.ID, b.Name
			r.Failed = r.Failed || call.Text("status") == "error"
			message := r.Message(t.when.UnixMilli())
			message.Details = call.RawObject("resultDisplay")
			if id := call.Text("agentId"); id != "" {
				args := sources.ObjectOf(b.Arguments)
				message.Details = t.w.Details(sources.Run{Session: t.project + "." + t.id + "." + id, Agent: args.Text("agent_name"), Task: args.Text("prompt")}, message.Details)
			}
			results = append(results, message)
			t.done[b.ID] = true
		}
	}
	if tokens := m.Object("tokens"); tokens.Int("total") > 0 {
		cached, thoughts := tokens.Int("cached"), tokens.Int("thoughts")
		out.Usage = sources.Unpriced(format.Usage{
			Input: max(tokens.Int("input")-cached, 0), CacheRead: cached, Output: format.Plus(tokens.Int("output"), thoughts), Reasoning: thoughts, TotalTokens: tokens.Int("total"),
		})
	} else {
		out.Usage.Raw = []byte(`{}`)
	}
	t.parent = t.w.Response(id, t.parent, t.when, out)
	for _, r := range results {
		t.parent = t.w.Message(id+"/"+r.ToolCallID, t.parent, t.when, r)
	}
}
