package all_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/tests/agents"
)

// sample is a session of pi with a thought, calls, an error and a picture.
func sample(t *testing.T) *pith.Session {
	t.Helper()
	return agents.Open(t, agents.Fixtures(t, "pi-sample.jsonl"))
}

// thinks are the programs that keep thoughts of other models; of Claude Code it keeps
// those with a signature of its own API.
var thinks = map[string]bool{"codex": true, "claude": true}

// A session that was handed over to a program and read back from there has the
// context that it had.
func TestThereAndBack(t *testing.T) {
	s := sample(t)
	want := agents.Context(t, s.File(), "")
	for _, r := range receivers(t) {
		t.Run(r.Name(), func(t *testing.T) {
			home := t.TempDir()
			env := sources.Environment{Home: home}
			c, err := sources.ConversationOf(s, s.LeafID(), filepath.Join(home, "handed"))
			if err != nil {
				t.Fatal(err)
			}
			receipt, err := r.Receive(t.Context(), env, c)
			if err != nil {
				t.Fatal(err)
			}
			if len(receipt.Commands) == 0 || receipt.ID == "" {
				t.Errorf("receipt = %+v", receipt)
			}
			if info, err := os.Stat(receipt.Path); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v", receipt.Path, info.Mode(), err)
			}
			if _, err := r.Receive(t.Context(), env, c); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second time: %v, want ErrExist", err)
			}
			back := readBack(t, r, env)
			if back == "" {
				return
			}
			agents.Compare(t, calls(agents.Context(t, back, "")), calls(append([]agents.Message{}, want...)), agents.Options{Thinking: thinks[r.Name()], Errors: r.Name() != "codex"})
		})
	}
}

// receivers are the programs to which a session can be handed over.
func receivers(t *testing.T) (out []sources.Receiver) {
	t.Helper()
	for _, p := range all.Programs() {
		if r, ok := p.(sources.Receiver); ok {
			out = append(out, r)
		}
	}
	if len(out) != 3 {
		t.Errorf("%d programs can receive; want three", len(out))
	}
	return out
}

// branched is a session that was continued in three ways. It stands on the first.
const branched = `{"type":"session","version":3,"id":"019a0000-0000-7000-8000-0000000000b1","timestamp":"2026-11-16T10:00:00.000Z","cwd":"/p"}
{"type":"message","id":"b0000001","parentId":null,"timestamp":"2026-11-16T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"U1"}],"timestamp":1794823201000}}
{"type":"message","id":"b0000002","parentId":"b0000001","timestamp":"2026-11-16T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"ls"}}],"api":"x","provider":"x","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":1794823202000}}
{"type":"message","id":"b0000003","parentId":"b0000002","timestamp":"2026-11-16T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"R1"}],"isError":false,"timestamp":1794823203000}}
{"type":"message","id":"b0000004","parentId":"b0000003","timestamp":"2026-11-16T10:00:04.000Z","message":{"role":"user","content":[{"type":"text","text":"LEFT-1"}],"timestamp":1794823204000}}
{"type":"message","id":"b0000005","parentId":"b0000004","timestamp":"2026-11-16T10:00:05.000Z","message":{"role":"user","content":[{"type":"text","text":"LEFT-2"}],"timestamp":1794823205000}}
{"type":"message","id":"b0000006","parentId":"b0000004","timestamp":"2026-11-16T10:00:06.000Z","message":{"role":"user","content":[{"type":"text","text":"LEFT-3"}],"timestamp":1794823206000}}
{"type":"message","id":"b0000007","parentId":"b0000003","timestamp":"2026-11-16T10:00:07.000Z","message":{"role":"user","content":[{"type":"text","text":"U2"}],"timestamp":1794823207000}}
`

// Claude Code gets the branches that are not handed over as the context, at the
// entries at which they parted, and resumes on the one that is.
func TestBranchesAreHandedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "branched.jsonl")
	if err := os.WriteFile(path, []byte(branched), 0o600); err != nil {
		t.Fatal(err)
	}
	s := agents.Open(t, path)
	for _, r := range receivers(t) {
		t.Run(r.Name(), func(t *testing.T) {
			env := sources.Environment{Home: t.TempDir()}
			c, err := sources.ConversationOf(s, s.LeafID(), filepath.Join(env.Home, "handed"))
			if err != nil {
				t.Fatal(err)
			}
			lost := strings.Join(r.Losses(c), ", ")
			if r.Name() != "claude" {
				if !strings.Contains(lost, "2 other branches") {
					t.Errorf("losses = %q, want 2 other branches among them", lost)
				}
				return
			}
			if lost != "" {
				t.Errorf("losses = %q, want none", lost)
			}
			if _, err := r.Receive(t.Context(), env, c); err != nil {
				t.Fatal(err)
			}
			back := agents.Open(t, readBack(t, r, env))
			agents.Compare(t, calls(agents.Context(t, back.File(), "")), calls(agents.Context(t, path, "")), agents.Options{})
			for _, way := range []string{"U1 R1 LEFT-1 LEFT-2", "U1 R1 LEFT-1 LEFT-3", "U1 R1 U2"} {
				if !slices.Contains(ways(t, back), way) {
					t.Errorf("there is no branch %q in %q", way, ways(t, back))
				}
			}
		})
	}
}

// ways returns the texts on the way to each last entry.
func ways(t *testing.T, s *pith.Session) (out []string) {
	t.Helper()
	v := s.View()
	for i := range v.Len() {
		c, err := v.Context(v.At(i).ID)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for m, err := range c.Messages() {
			if err != nil {
				t.Fatal(err)
			}
			message, err := format.DecodeMessage(m.Raw)
			if err != nil {
				t.Fatal(err)
			}
			content, _ := format.ContentOf(message)
			if text := content.Joined(); text != "" {
				words = append(words, text)
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// readBack returns the translation of the session that was handed over; "" for a
// program that has to import it first.
func readBack(t *testing.T, p sources.Program, env sources.Environment) string {
	t.Helper()
	root := p.Roots(env)[0]
	if p.Name() == "opencode" {
		return ""
	}
	m := agents.Translate(t, p, root)
	files, err := filepath.Glob(filepath.Join(m.Dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d sessions, %v", len(files), err)
	}
	return files[0]
}

// calls brings the names of tools to one form, and pictures of results out of the way.
func calls(messages []agents.Message) []agents.Message {
	rename := map[string]string{"file_path": "path"}
	for i := range messages {
		for n := range messages[i].Parts {
			p := &messages[i].Parts[n]
			p.Call = strings.ToLower(p.Call)
			p.Images = 0
			if args, ok := p.Args.(map[string]any); ok {
				for from, to := range rename {
					if v, ok := args[from]; ok {
						delete(args, from)
						args[to] = v
					}
				}
			}
		}
	}
	return messages
}

// What a program cannot hold is named: for Codex also that a result was an error.
func TestLosses(t *testing.T) {
	c := &sources.Conversation{Branches: 2, Messages: []sources.Handed{
		{Message: &format.Assistant{Content: format.BlockContent(&format.ThinkingBlock{Thinking: "hm"}, &format.ToolCallBlock{ID: "c", Name: "bash"})}},
		{Message: &format.ToolResult{ToolCallID: "c", IsError: true}},
	}}
	for name, want := range map[string]string{
		"codex": "2 other branches, error flags of results", "opencode": "thinking of 1 response, 2 other branches",
	} {
		p, _ := all.Find(name)
		if got := strings.Join(p.(sources.Receiver).Losses(c), ", "); got != want {
			t.Errorf("%s loses %q, want %q", name, got, want)
		}
	}
}
