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

// A Teller prints what happens in a conversation: what the model says as it says
// it, on standard output, and what a person should know besides, as notes. Its
// methods are called by one goroutine at a time.
type Teller struct {
	a *Conversations
	// stop ends the answer; it is called when nobody reads any more. Nil does not.
	Stop func()

	held    string // the end of a piece that is printed with the next one
	written bool   // something of the answer was printed
	midLine bool   // what was printed last did not end a line
	noted   string // the last note
}

func (a *Conversations) Teller() *Teller { return &Teller{a: a} }

// Answers prints the text of answers and the notes.
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

// piece prints one piece of an answer. Thinking is not shown.
func (t *Teller) piece(p llm.Event) {
	switch p.Kind {
	case llm.Start:
		if t.written {
			t.endLine()
			t.a.Note("note: the answer begins anew")
		}
	case llm.TextStart:
		t.endLine()
	case llm.TextDelta:
		t.print(p.Delta)
	}
}

// print writes a piece of text at once, harmless for a terminal. A carriage return
// at its end may be half of a line break, so it waits for the next piece.
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

// events prints each event as a line of JSON, at once.
func (t *Teller) events(e agent.Event) {
	_, _ = t.a.Out.Write(append(termsafe.JSON(piwire.EncodeEvent(e)), '\n')) // remembered, and told at the end
	t.flush()
}

// flush lets the reader have what was printed. Without a reader the answer ends.
func (t *Teller) flush() {
	if err := t.a.Out.Flush(); err != nil && t.Stop != nil {
		t.Stop()
	}
}

// endLine ends a line that was begun.
func (t *Teller) endLine() {
	t.held = ""
	if t.midLine {
		t.a.Out.Print("\n")
		t.midLine = false
		t.flush()
	}
	t.written = false
}

// notes tells what is not an answer. The same is not told twice in a row.
func (t *Teller) notes(e agent.Event) {
	if text := noteOf(e); text != "" && text != t.noted {
		t.endLine()
		t.noted = text
		t.a.Note("note: %s", text)
	}
}

// noteOf is what a person should know of an event; "" for nothing.
func noteOf(e agent.Event) string {
	switch e := e.(type) {
	case *agent.RetryStart:
		if e.Summary {
			return ""
		}
		return fmt.Sprintf("the model did not answer (%v); asking again in %s", e.Err, e.Delay.Round(time.Second))
	case *agent.ToolProgress:
		if e.Output != nil {
			return ""
		}
		return fmt.Sprintf("the model called the tool %q; pith runs no tools", e.Call.Name)
	case *agent.CompactionEnd:
		return compactionNote(e)
	case *agent.Conflict:
		if e.Followed {
			return fmt.Sprintf("others wrote to the session meanwhile (%s); this goes on behind it", humanize.Count(len(e.Entries), "entry"))
		}
		return fmt.Sprintf("others wrote to the session meanwhile (%s); this goes on beside it", humanize.Count(len(e.Entries), "entry"))
	case *agent.Repaired:
		return humanize.Count(len(e.Changes), "change") + " made to what the model sees, so that the provider accepts it; the session stays as it is"
	case *agent.Problem:
		return e.Err.Error()
	}
	return ""
}

// compactionNote tells of a compaction that nobody asked for.
func compactionNote(e *agent.CompactionEnd) string {
	switch {
	case e.Reason == agent.ReasonManual:
		return ""
	case e.Result != nil:
		return fmt.Sprintf("the conversation was compacted: %s tokens before, about %s now", humanize.Number(e.Result.TokensBefore), humanize.Number(e.Result.EstimatedTokensAfter))
	case e.Err != nil:
		return piwire.CompactionMessage(e)
	}
	return ""
}
