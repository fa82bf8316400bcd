package agent_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
)

// other is another program with the same file.
func other(t *testing.T, b *bench) *pith.Session {
	t.Helper()
	s, err := pith.Open(t.Context(), b.Conversation.Session().File(), pith.Options{OnConflict: pith.StayOnBranch})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func say(t *testing.T, s *pith.Session, text string) {
	t.Helper()
	if _, err := s.AppendMessage(t.Context(), format.NewUser(text, start)); err != nil {
		t.Fatalf("AppendMessage: %v", err)
	}
}

// Entries that another process wrote in the meantime are followed and reported.
// (pitfalls 161, 165, 166)
func TestPromptFollowsOthers(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil, answers("a3", 1))
	theirs := other(t, b)
	say(t, theirs, "from elsewhere")
	b.prompt("three")
	same(t, "path", b.said()[3:], "assistant/stop a2", "user from elsewhere", "user three", "assistant/stop a3")
	if b.count("conflict followed=true") != 1 {
		t.Errorf("events %q; want a conflict that was followed", b.told())
	}
	if n := len(b.client.asked()[2].Messages); n != 6 {
		t.Errorf("the model saw %d messages; want all 6", n)
	}
}

// During a turn the results stay below their calls, and entries of other
// processes stay on their own branch.
func TestConflictDuringATurn(t *testing.T) {
	var theirs *pith.Session
	b := begin(t, func(c *agent.Config) {
		c.Tools = []agent.Tool{toolDoing("read", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			say(t, theirs, "beside")
			return agent.Text("x"), nil
		})}
	}, answers("a1", 1), calls(1, "c1", "read"), answers("a2", 1))
	b.prompt("one")
	theirs = other(t, b)
	if err := theirs.Branch(b.entry("user one")); err != nil {
		t.Fatal(err)
	}
	b.prompt("two")
	same(t, "path", b.said(), "user one", "assistant/stop a1", "user two", "assistant/toolUse", "result c1 x", "assistant/stop a2")
	if b.count("conflict followed=false") != 1 {
		t.Errorf("events %q; want a conflict", b.told())
	}
	if id := b.entry("user beside"); id == "" {
		t.Error("what the other wrote is gone")
	}
}

// A session whose leaf was chosen continues there.
func TestConflictAfterNavigation(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil, answers("a3", 1))
	theirs := other(t, b)
	b.navigate(b.entry("assistant/stop a1"), agent.NavigateOptions{})
	say(t, theirs, "at the end")
	b.prompt("another way")
	same(t, "path", b.said(), "user one", "assistant/stop a1", "user another way", "assistant/stop a3")
	if b.count("conflict followed=false") != 1 {
		t.Errorf("events %q; want a conflict", b.told())
	}
}

// A compaction covers entries that others wrote before it was planned, and
// follows those written while the summary is made.
func TestCompactionAndOthers(t *testing.T) {
	var theirs *pith.Session
	s := &summaries{}
	b := twoTurns(t, s, nil)
	theirs = other(t, b)
	say(t, theirs, "before")
	said := false
	s.before = func(context.Context) error {
		if !said {
			said = true
			say(t, theirs, "meanwhile")
		}
		return nil
	}
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	got := b.kinds()
	same(t, "path", got[3:], "assistant/stop a2", "user before", "user meanwhile", "compaction")
	if n := b.count("conflict followed=true"); n != 2 {
		t.Errorf("events %q; want two conflicts that were followed", b.told())
	}
	c, err := b.Conversation.Session().Context()
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		last = string(m.Raw)
	}
	if !strings.Contains(last, "meanwhile") {
		t.Errorf("the context ends with %s; want what was said meanwhile", last)
	}
}

// Another program rewrote the end of the file: a compaction covers what the file
// holds now, although the file has as many entries as before.
func TestCompactionAfterARewrite(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil)
	path := b.Conversation.Session().File()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	parent := b.entry("assistant/stop a1")
	rewritten := strings.Join(lines[:len(lines)-3], "") + // all but the second turn
		`{"type":"message","id":"eeee0001","parentId":"` + parent + `","timestamp":"2026-02-03T22:53:00.000Z","message":{"role":"user","content":"rewritten, and longer than it was","timestamp":1}}` + "\n" +
		`{"type":"message","id":"eeee0002","parentId":"eeee0001","timestamp":"2026-02-03T22:53:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"b2, and longer than it was"}],"provider":"test","model":"m1","stopReason":"stop","usage":{"input":1,"output":1,"totalTokens":20},"timestamp":2}}` + "\n"
	if err := os.WriteFile(path+".new", []byte(rewritten), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatalf("Compact = %v; want nil", err)
	}
	got := b.kinds()
	same(t, "end of the path", got[len(got)-3:], "user rewritten, and longer than it was", "assistant/stop b2, and longer than it was", "compaction")
	if n := b.count("conflict followed=true"); n != 1 {
		t.Errorf("events %q; want one conflict that was followed", b.told())
	}
}

func TestModelChangeFollowsOthers(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil)
	say(t, other(t, b), "from elsewhere")
	if err := b.SetThinking(t.Context(), "high"); err != nil {
		t.Fatal(err)
	}
	got := b.said()
	same(t, "end of the path", got[len(got)-2:], "user from elsewhere", "thinking high")
}
