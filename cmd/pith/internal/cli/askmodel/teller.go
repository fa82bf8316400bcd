package askmodel

import (
	"fmt"
	"strings"
	"time"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/llm"
)

// A Teller prints the events of a conversation: the text of the model as it
// arrives, on standard output, and other information as notes. It must not be
// used concurrently.
type Teller struct {
	a *Conversations
	// Stop ends the response; it is called if the output has no reader any
	// more. It may be nil.
	Stop func()

	held    string // the end of a piece, printed with the next one
	written bool   // part of the response was printed
	midLine bool   // the last output did not end a line
	noted   string // the last note
}

func (a *Conversations) Teller() *Teller { return &Teller{a: a} }

// Answers prints the text of responses and the notes.
func (t *Teller) Answers(e agent.Event) {
	if u, ok := e.(*agent.MessageUpdate); ok {
		t.piece(u.Piece)
		return
	}
	if _, ok := e.(*agent.MessageEnd); ok {
		t.endLine()
	}
	t.notes(e)
}

// piece prints one piece of a response. Thinking is not shown.
func (t *Teller) piece(p llm.Event) {
	switch p.Kind {
	case llm.Start:
		if t.written {
			t.endLine()
			t.a.Note("note: the response starts over")
		}
	case llm.TextStart:
		t.endLine()
	case llm.TextDelta:
		t.print(p.Delta)
	}
}

// print writes a piece of text immediately, escaped for a terminal. A carriage
// return at its end may be half of a line break, so it waits for the next
// piece.
func (t *Teller) print(text string) {
	text = t.held + text
	t.held = ""
	if rest, ok := strings.CutSuffix(text, "\r"); ok {
		text, t.held = rest, "\r"
	}
	if text == "" {
		return
	}
	t.a.Out.Print(termsafe.Text(text))
	t.written, t.midLine = true, !strings.HasSuffix(text, "\n")
	t.flush()
}

// events prints each event as a line of JSON, immediately.
func (t *Teller) events(e agent.Event) {
	_, _ = t.a.Out.Write(append(termsafe.JSON(piwire.EncodeEvent(e)), '\n')) // stored, and reported at the end
	t.flush()
}

// flush flushes the output. Without a reader the response ends.
func (t *Teller) flush() {
	if err := t.a.Out.Flush(); err != nil && t.Stop != nil {
		t.Stop()
	}
}

func (t *Teller) endLine() {
	t.held = ""
	if t.midLine {
		t.a.Out.Print("\n")
		t.midLine = false
		t.flush()
	}
	t.written = false
}

// notes prints events that are not responses. The same note is not printed
// twice in a row.
func (t *Teller) notes(e agent.Event) {
	if text := noteOf(e); text != "" && text != t.noted {
		t.endLine()
		t.noted = text
		t.a.Note("note: %s", text)
	}
}

func noteOf(e agent.Event) string {
	switch e := e.(type) {
	case *agent.RetryStart:
		if e.Summary {
			return ""
		}
		return fmt.Sprintf("no response from the model (%v); retrying in %s", e.Err, e.Delay.Round(time.Second))
	case *agent.ToolProgress:
		if e.Output != nil {
			return ""
		}
		return fmt.Sprintf("the model called tool %q; pith runs no tools", e.Call.Name)
	case *agent.CompactionEnd:
		return compactionNote(e)
	case *agent.Conflict:
		if e.Followed {
			return fmt.Sprintf("another process wrote to the session (%s); continuing after it", humanize.Count(len(e.Entries), "entry"))
		}
		return fmt.Sprintf("another process wrote to the session (%s); continuing on a new branch", humanize.Count(len(e.Entries), "entry"))
	case *agent.Repaired:
		return humanize.Count(len(e.Changes), "change") + " to the context so that the provider accepts it; the session is unchanged"
	case *agent.Problem:
		return e.Err.Error()
	}
	return ""
}

// compactionNote returns the note about an automatic compaction.
func compactionNote(e *agent.CompactionEnd) string {
	switch {
	case e.Reason == agent.ReasonManual:
		return ""
	case e.Result != nil:
		return fmt.Sprintf("compacted: %s tokens before, about %s now", humanize.Number(e.Result.TokensBefore), humanize.Number(e.Result.EstimatedTokensAfter))
	case e.Err != nil:
		return piwire.CompactionMessage(e)
	}
	return ""
}
