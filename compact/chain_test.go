package compact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// This file makes sessions that are one chain of entries e0, e1, … The names and
// the sizes are those in which the rules are stated: a text of n letters is n/4
// tokens.

// An entry holds the members of a line after its envelope.
type entry struct{ kind, members string }

func letters(n int) string { return strings.Repeat("x", n) }

func message(raw string) entry { return entry{"message", `"message":` + raw} }

func user(n int) entry { return message(userText(letters(n))) }

func userText(s string) string { return fmt.Sprintf(`{"role":"user","content":%q,"timestamp":1}`, s) }

const noUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`

func totalUsage(n int) string {
	return fmt.Sprintf(`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":%d}`, n)
}

func answerWith(usage, stop string, blocks ...string) string {
	return fmt.Sprintf(`{"role":"assistant","content":[%s],"api":"a","provider":"p","model":"m","usage":%s,"stopReason":%q,"timestamp":1}`,
		strings.Join(blocks, ","), usage, stop)
}

func textBlock(s string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, s) }

func callBlock(id, name, arguments string) string {
	return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":%q,"arguments":%s}`, id, name, arguments)
}

func answer(n int) entry { return message(answerWith(noUsage, "stop", textBlock(letters(n)))) }

func counted(n, tokens int) entry {
	return message(answerWith(totalUsage(tokens), "stop", textBlock(letters(n))))
}

func failed(n int) entry { return message(answerWith(noUsage, "error", textBlock(letters(n)))) }

// calling is an answer that calls a tool for each id; a call is 1 + 1 + 2 letters.
func calling(ids ...string) entry {
	var blocks []string
	for _, id := range ids {
		blocks = append(blocks, callBlock(id, "ls", "{}"))
	}
	return message(answerWith(noUsage, "toolUse", blocks...))
}

func result(id string, n int) entry {
	return message(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"ls","content":[%s],"isError":false,"timestamp":1}`, id, textBlock(letters(n))))
}

func bash(n int) entry {
	return message(fmt.Sprintf(`{"role":"bashExecution","command":"ls","output":%q,"exitCode":0,"cancelled":false,"truncated":false,"timestamp":1}`, letters(n)))
}

func system(n int) entry {
	return message(fmt.Sprintf(`{"role":"system","content":%q,"timestamp":1}`, letters(n)))
}

func custom(n int) entry {
	return entry{"custom_message", fmt.Sprintf(`"customType":"x","content":%q,"display":true`, letters(n))}
}

func branchSummary(n int) entry {
	return entry{"branch_summary", fmt.Sprintf(`"fromId":"e0","summary":%q`, letters(n))}
}

func compaction(summary, first string) entry {
	return entry{"compaction", fmt.Sprintf(`"summary":%q,"firstKeptEntryId":%q,"tokensBefore":1`, summary, first)}
}

// with adds members to an entry.
func (e entry) with(members string) entry { return entry{e.kind, e.members + "," + members} }

func hide(target string) entry {
	return entry{"context_edit", fmt.Sprintf(`"targetId":%q,"replacement":null`, target)}
}

func replace(target, content string) entry {
	return entry{"context_edit", fmt.Sprintf(`"targetId":%q,"replacement":{"content":%q}`, target, content)}
}

var (
	model   = entry{"model_change", `"provider":"p","modelId":"m"`}
	label   = entry{"label", `"targetId":"e0","label":"l"`}
	naming  = entry{"session_info", `"name":"n"`}
	header  = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"
	settled = compact.Settings{Enabled: true, ReserveTokens: 16384}
)

// keep are settings that keep that many tokens.
func keep(n int64) compact.Settings {
	s := settled
	s.KeepRecentTokens = n
	return s
}

// line is one line of a session; parent "" is a root.
func line(id, parent string, e entry) string {
	link := "null"
	if parent != "" {
		link = fmt.Sprintf("%q", parent)
	}
	members := e.members
	if members != "" {
		members = "," + members
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-02-03T10:00:01.000Z"%s}`+"\n", e.kind, id, link, members)
}

func chainText(entries []entry) string {
	text, parent := header, ""
	for i, e := range entries {
		id := fmt.Sprintf("e%d", i)
		text += line(id, parent, e)
		parent = id
	}
	return text
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// openText opens a session of that text, for writing.
func openText(t testing.TB, text string) *pith.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func chain(t testing.TB, entries ...entry) *pith.Session { return openText(t, chainText(entries)) }

// roles are the roles of messages, in a row.
func roles(t fataler, messages iter.Seq2[pith.ContextMessage, error]) string {
	t.Helper()
	var out []string
	for m, err := range messages {
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(decoded.Role()))
	}
	return strings.Join(out, " ")
}

// described is a plan in one line: "first | history | beginning of the turn", with
// "split" at the end for a plan that cuts through a turn; "nothing" for no plan.
func described(t fataler, p *compact.Plan, err error) string {
	t.Helper()
	if errors.Is(err, compact.ErrNothing) {
		return "nothing"
	}
	if err != nil {
		t.Fatal(err)
	}
	out := p.FirstKeptEntryID + " | " + roles(t, p.History()) + " | " + roles(t, p.TurnPrefix())
	if p.SplitTurn {
		out += " | split"
	}
	if p.HasHistory != (roles(t, p.History()) != "") {
		t.Fatalf("HasHistory = %v, and the history is %q", p.HasHistory, roles(t, p.History()))
	}
	return out
}

func decodeMessage(t testing.TB, raw string) format.Message {
	t.Helper()
	m, err := format.DecodeMessage(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("message %s: %v", raw, err)
	}
	return m
}

// each yields messages given as JSON.
func each(raws ...string) iter.Seq2[pith.ContextMessage, error] {
	return func(yield func(pith.ContextMessage, error) bool) {
		for i, raw := range raws {
			if !yield(pith.ContextMessage{EntryID: fmt.Sprintf("e%d", i), Raw: json.RawMessage(raw)}, nil) {
				return
			}
		}
	}
}
