package conversation_test

import (
	"fmt"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/reader"
)

// reading is a conversation with one of everything.
func reading() []*reader.Exchange {
	exit := int64(2)
	picture := reader.Item{Kind: reader.User, Image: &reader.Image{MimeType: "image/png", Bytes: 48211}}
	labelled := answer("They use **local** time:\n\n```go\nt := time.Now()\n```\n\n1. Take `time.UTC`.\n2. Run the tests *on a Tuesday*.")
	labelled.Label = "cause"
	seen := call("read", `{"path":"/home/ann/app/screen.png"}`, "", false)
	seen.Tool.Result.Images = []reader.Image{{MimeType: "image/png", Bytes: 1200}}
	return []*reader.Exchange{
		exchange(0, ask("an earlier question"), answer("An earlier answer.")),
		exchange(1,
			ask("why do tests fail\non Tuesdays? 設定ファイルの読み込みを直してください、お願いします"), picture,
			reader.Item{Kind: reader.Thinking, Text: "let me look\nat the files"},
			call("bash", `{"command":"npm test"}`, "a\nb\nc\n", false),
			call("edit", `{"path":"/home/ann/x.ts","oldText":"now()","newText":"utc()"}`, "no match", true),
			seen,
			reader.Item{Kind: reader.Shell, Text: "boom", Bash: &reader.Bash{Command: "make", ExitCode: &exit}},
			reader.Item{Kind: reader.Compaction, Text: "## Goal\nmend", TokensBefore: 51000},
			reader.Item{Kind: reader.BranchSummary, Text: "Tried a mutex."},
			reader.Item{Kind: reader.Custom, Name: "memo", Text: "seen"},
			reader.Item{Kind: reader.ModelChange, Name: "anthropic/x"},
			labelled,
			reader.Item{Kind: reader.Failure, Name: "error", Text: "overloaded"},
		),
	}
}

// Every state of the page, at several widths.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		live       bool
	}{
		{"folded", "", false}, {"unfolded", "ctrl+o ctrl+t", false}, {"beginning", "g", false}, {"found", "/ t u e s enter", false}, {"live", "", true},
	} {
		for _, width := range []int{20, 28, 60, 80, 130, 200} {
			name := fmt.Sprintf("%s-%d", c.name, width)
			t.Run(name, func(t *testing.T) {
				d := start(t, width, 50, reading()...)
				d.press(c.keys)
				if c.live {
					d.m.Begin(conversation.LiveThinking, "")
					d.m.Grow("hm, what about")
					d.m.Begin(conversation.LiveText, "")
					d.m.Grow("It **grows**")
					d.m.Waiting("working (esc interrupts)")
					d.run(d.m.Update(conversation.Beat{}))
				}
				screentest.Keep(t, name, d.view(width, 50))
			})
		}
	}
}
