package conversation_test

import (
	"fmt"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/inspect"
)

// reading is a conversation with one of everything.
func reading() []*inspect.Turn {
	exit := int64(2)
	picture := inspect.Item{Kind: inspect.User, Image: &inspect.Image{MimeType: "image/png", Bytes: 48211}}
	labelled := answer("They use **local** time:\n\n```go\nt := time.Now()\n```\n\n1. Take `time.UTC`.\n2. Run the tests *on a Tuesday*.")
	labelled.Label = "cause"
	seen := call("read", `{"path":"/home/ann/app/screen.png"}`, "", false)
	seen.Tool.Result.Images = []inspect.Image{{MimeType: "image/png", Bytes: 1200}}
	return []*inspect.Turn{
		exchange(0, ask("an earlier question"), answer("An earlier answer.")),
		exchange(1,
			ask("why do tests fail\non Tuesdays? 設定ファイルの読み込みを直してください、お願いします"), picture,
			inspect.Item{Kind: inspect.Thinking, Text: "let me look\nat the files"},
			call("bash", `{"command":"npm test"}`, "a\nb\nc\n", false),
			call("edit", `{"path":"/home/ann/x.ts","oldText":"now()","newText":"utc()"}`, "no match", true),
			seen,
			inspect.Item{Kind: inspect.Shell, Text: "boom", Bash: &inspect.Bash{Command: "make", ExitCode: &exit}},
			inspect.Item{Kind: inspect.Compaction, Text: "## Goal\nmend", TokensBefore: 51000},
			inspect.Item{Kind: inspect.BranchSummary, Text: "Tried a mutex."},
			inspect.Item{Kind: inspect.Custom, Name: "memo", Text: "seen"},
			inspect.Item{Kind: inspect.ModelChange, Name: "anthropic/x"},
			labelled,
			inspect.Item{Kind: inspect.Failure, Name: "error", Text: "overloaded"},
		),
	}
}

// Every state of the page, at several widths.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		live       bool
	}{
		{"usual", "", false}, {"unfolded", "e", false}, {"folded", "e e", false}, {"beginning", "g", false}, {"found", "/ t u e s enter", false}, {"live", "", true},
	} {
		for _, width := range []int{20, 60, 80, 120} {
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				d := start(t, width, 50, reading()...)
				d.press(c.keys)
				if c.live {
					d.m.Begin(conversation.LiveThinking, "")
					d.m.Grow("hm, what about")
					d.m.Begin(conversation.LiveText, "")
					d.m.Grow("It **grows**")
					d.m.Waiting("working, esc stops")
					d.run(d.m.Update(conversation.Beat{}))
				}
				screentest.Keep(t, name, d.view(width, 50))
			})
		}
	}
}
