// Package qwen reads the chats of Qwen Code: JSONL files whose lines form a
// tree, like those of Claude Code, with contents in the form of Google's API.
package qwen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// Program is Qwen Code.
type Program struct{}

func (Program) Name() string  { return "qwen" }
func (Program) Title() string { return "Qwen Code" }

func (Program) Roots(e sources.Environment) []string {
	if e.Home == "" {
		return nil
	}
	return []string{filepath.Join(e.Home, ".qwen", "projects")}
}

func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	projects, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var out []sources.Session
	var failed []error
	taken := map[string]bool{}
	for _, project := range projects {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		chats := filepath.Join(root, project.Name(), "chats")
		entries, err := os.ReadDir(chats)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = append(failed, err)
		}
		for _, e := range entries {
			id, ok := strings.CutSuffix(e.Name(), format.FileSuffix)
			info, err := e.Info()
			if !ok || err != nil || !info.Mode().IsRegular() {
				continue
			}
			path := filepath.Join(chats, e.Name())
			if taken[id] {
				id = path
			}
			taken[id] = true
			out = append(out, sources.FileSession(id, path, info))
		}
	}
	return out, errors.Join(failed...)
}

// Translate implements [sources.Program]. The parent of a line is the line that
// it names, or the one before it if that was never written. Qwen Code resumes
// at the last line.
func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	t := &translator{w: w, session: s, ends: map[string]string{}}
	if err := sources.Objects(ctx, s.Path, t.line); err != nil {
		return err
	}
	if !t.started {
		w.Header(sources.Header{ID: s.ID, Time: s.Modified, Original: s.Path})
	}
	if leaf := t.ends[t.last]; leaf != "" {
		w.Leaf(leaf, t.when)
	}
	return nil
}

// A translator writes the lines of a chat in their order.
type translator struct {
	w       *sources.Writer
	session sources.Session
	started bool
	when    time.Time
	ends    map[string]string // last entry of each line
	last    string            // UUID of the last line
}

func (t *translator) line(offset int64, l sources.Object) {
	if at, ok := format.ParseTime(l.Text("timestamp")); ok {
		t.when = at
	}
	if !t.started {
		t.started = true
		if t.when.IsZero() {
			t.when = t.session.Modified
		}
		h := sources.Header{ID: t.session.ID, Time: t.when, Cwd: l.Text("cwd"), Original: t.session.Path, Version: l.Text("version")}
		h.Parent = t.w.ParentPath(l.Object("forkedFrom").Text("sessionId"))
		t.w.Header(h)
	}
	id := l.Text("uuid")
	if id == "" { // outside the tree; the conversation continues below it
		kept := t.w.Keep(fmt.Sprintf("line@%d", offset), t.ends[t.last], t.when, cmp.Or(l.Text("type"), "line"), l)
		t.ends[t.last] = kept
		return
	}
	if _, again := t.ends[id]; again {
		return
	}
	parent, known := t.ends[l.Text("parentUuid")]
	if !known && l.Text("parentUuid") != "" {
		parent = t.ends[t.last] // its parent was never written
	}
	t.ends[id] = t.entry(id, l, parent)
	t.last = id
}

// entry writes a line and returns its last entry.
func (t *translator) entry(id string, l sources.Object, parent string) string {
	content := sources.ReadGenAI(l.Object("message").Raw("parts"))
	ms := t.when.UnixMilli()
	switch l.Text("type") {
	case "user":
		if len(content.Blocks) > 0 {
			body := format.BlockContent(content.Blocks...)
			if l.Text("provenance") != "" && l.Text("provenance") != "real_user" {
				return t.w.Add(id, parent, t.when, &format.CustomMessage{CustomType: "qwen/program", Content: body}, id)
			}
			return t.w.Message(id, parent, t.when, &format.User{Content: body, Timestamp: ms})
		}
	case "tool_result":
		for i := range content.Results {
			r := &content.Results[i]
			parent = t.w.Message(id+"/"+r.ID, parent, t.when, r.Message(ms))
		}
		return parent
	case "assistant":
		return t.response(id, l, content, parent)
	case "system":
		payload := l.Object("systemPayload")
		if title := payload.Text("customTitle"); l.Text("subtype") == "custom_title" && title != "" {
			return t.w.Name(id, parent, t.when, title)
		}
		if l.Text("subtype") == "chat_compression" {
			if e := t.compaction(id, payload, parent); e != "" {
				return e
			}
		}
	}
	switch kind := l.Text("type"); kind {
	case "user", "tool_result", "assistant", "system":
		return t.w.Keep(id, parent, t.when, cmp.Or(l.Text("subtype"), kind), l)
	default:
		return t.w.Unknown(id, parent, t.when, kind, l)
	}
}

func (t *translator) response(id string, l sources.Object, content sources.GenAIContent, parent string) string {
	out := &format.Assistant{
		API: "openai-completions", Provider: "qwen", Model: l.Text("model"), StopReason: sources.StopReason(content.Blocks),
		Timestamp: t.when.UnixMilli(), Content: format.BlockContent(content.Blocks...),
	}
	usage := l.Object("usageMetadata")
	cached, thoughts := usage.Int("cachedContentTokenCount"), usage.Int("thoughtsTokenCount")
	out.Usage = sources.Unpriced(format.Usage{
		Input: max(usage.Int("promptTokenCount")-cached, 0), CacheRead: cached, Output: usage.Int("candidatesTokenCount"), Reasoning: thoughts, TotalTokens: usage.Int("totalTokenCount"),
	})
	// A fork copies lines under other UUIDs and records the original ones.
	out.ResponseID = "qwen-" + cmp.Or(l.Object("forkedFrom").Text("messageUuid"), l.Object("forkedFrom").Text("uuid"), id)
	return t.w.Response(id, parent, t.when, out)
}

// compaction writes the summary of a compressed chat. It returns "" if there is
// none.
func (t *translator) compaction(id string, payload sources.Object, parent string) string {
	summary := ""
	for _, raw := range payload.List("compressedHistory") {
		for _, b := range sources.ReadGenAI(sources.ObjectOf(raw).Raw("parts")).Blocks {
			if text, ok := b.(*format.TextBlock); ok {
				summary += text.Text + "\n"
			}
		}
	}
	if summary == "" {
		return ""
	}
	return t.w.Add(id, parent, t.when, &format.Compaction{Summary: strings.TrimSpace(summary), Details: []byte(payload)}, id)
}
