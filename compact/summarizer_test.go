package compact_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/compact"
)

// fixed always gives the same summary.
func fixed(text string) compact.Summarizer {
	return compact.SummarizerFunc(func(context.Context, compact.Prompt) (string, error) { return text, nil })
}

// recorded answers with the number of the prompt and keeps what it was asked.
type recorded struct{ prompts []compact.Prompt }

func (r *recorded) Summarize(_ context.Context, p compact.Prompt) (string, error) {
	r.prompts = append(r.prompts, p)
	return "answer " + string(rune('0'+len(r.prompts))), nil
}

func TestSummarizePlan(t *testing.T) {
	long := []entry{user(40), answer(40), user(40), answer(40)}
	const glue = "\n\n---\n\n**Turn Context (split turn):**\n\n"
	tests := map[string]struct {
		entries []entry
		keep    int64
		parts   string
		want    string
	}{
		"history alone":                {long, 20, "history", "answer 1"},
		"case 66: split, no history":   {[]entry{user(40), answer(40), answer(40)}, 10, "turn", "No prior history." + glue + "answer 1"},
		"case 67: previous stays":      {[]entry{user(4), compaction("PREVSUM", "e1"), user(40), answer(40), answer(40)}, 10, "turn", "PREVSUM" + glue + "answer 1"},
		"case 68: split, with history": {long, 10, "history, turn", "answer 1" + glue + "answer 2"}, // pitfall 113
		"files": {[]entry{user(40), message(answerWith(noUsage, "stop", tool("write", pathOf("q")))), user(40), answer(40)}, 20, "history",
			"answer 1\n\n<modified-files>\nq\n</modified-files>"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := compact.Prepare(chain(t, tt.entries...), keep(tt.keep))
			if err != nil {
				t.Fatal(err)
			}
			var r recorded
			c, err := p.Summarize(t.Context(), &r, compact.SummaryOptions{Instructions: "mind the tests"})
			if err != nil || c.Summary != tt.want {
				t.Errorf("Summarize() = %q, %v; want %q", c.Summary, err, tt.want)
			}
			if c.FirstKeptEntryID != p.FirstKeptEntryID || c.TokensBefore != p.TokensBefore || c.FromHook == nil || *c.FromHook || len(c.Details) == 0 {
				t.Errorf("Summarize() = %+v, want the plan's first kept entry and tokens, details, and fromHook false", c)
			}
			var parts []string
			for _, prompt := range r.prompts {
				parts = append(parts, prompt.Part.String())
				if prompt.Instructions != "mind the tests" { // pitfall 113
					t.Errorf("prompt for the %s has the instructions %q", prompt.Part, prompt.Instructions)
				}
				if text, err := compact.Serialize(prompt.Messages); err != nil || text != prompt.Conversation || text == "" {
					t.Errorf("prompt for the %s: messages say %q (%v), conversation is %q", prompt.Part, text, err, prompt.Conversation)
				}
			}
			if got := strings.Join(parts, ", "); got != tt.parts {
				t.Errorf("asked for the %s, want %s", got, tt.parts)
			}
		})
	}
}

// The previous summary goes to the history and not to the beginning of a turn.
func TestPromptsCarryPreviousSummary(t *testing.T) {
	s := chain(t, user(4), compaction("PREV", "e1"), user(40), answer(40), user(40), answer(40))
	p, err := compact.Prepare(s, keep(10))
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if _, err := p.Summarize(t.Context(), &r, compact.SummaryOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(r.prompts) != 2 || r.prompts[0].PreviousSummary != "PREV" || r.prompts[1].PreviousSummary != "" {
		t.Errorf("prompts = %+v, want PREV in the first of two alone", r.prompts)
	}
}

// pitfall 110: no summary, no result.
func TestSummarizeFails(t *testing.T) {
	boom := errors.New("boom")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := map[string]struct {
		ctx  context.Context
		s    compact.Summarizer
		want error
	}{
		"case 72: error": {t.Context(), compact.SummarizerFunc(func(context.Context, compact.Prompt) (string, error) { return "half", boom }), boom},
		"empty":          {t.Context(), fixed(""), compact.ErrEmptySummary},
		"blank":          {t.Context(), fixed(" \n"), compact.ErrEmptySummary},
		"aborted":        {cancelled, fixed("S"), context.Canceled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := chain(t, user(40), answer(40), user(40), answer(40))
			p, err := compact.Prepare(s, keep(10))
			if err != nil {
				t.Fatal(err)
			}
			if c, err := p.Summarize(tt.ctx, tt.s, compact.SummaryOptions{}); !errors.Is(err, tt.want) || c.Summary != "" {
				t.Errorf("Summarize() = %+v, %v; want %v", c, err, tt.want)
			}
			b, err := compact.Collect(s, "e3", "e0", 0)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := b.Summarize(tt.ctx, tt.s, compact.SummaryOptions{}); !errors.Is(err, tt.want) || c.Summary != "" {
				t.Errorf("Summarize(branch) = %+v, %v; want %v", c, err, tt.want)
			}
		})
	}
}

// pitfall 112: a history that is too long for one prompt goes through in pieces,
// each with the summary of what came before it, and nothing is left out.
func TestSummarizeInPieces(t *testing.T) {
	entries := []entry{
		user(400), answer(400), message(userText("line one\n" + letters(3000) + "\nline three " + letters(500))),
		answer(400), user(40), answer(40),
	}
	for _, estimator := range []compact.Estimator{compact.Quarter, compact.ByScript} {
		set := keep(20)
		set.Estimator = estimator
		p, err := compact.Prepare(chain(t, entries...), set)
		if err != nil {
			t.Fatal(err)
		}
		var r recorded
		if _, err := p.Summarize(t.Context(), &r, compact.SummaryOptions{MaxTokens: 210}); err != nil {
			t.Fatal(err)
		}
		whole, err := compact.Serialize(p.History())
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for i, prompt := range r.prompts {
			if n := (len(prompt.Conversation) + 3) / 4; n > 210 || n == 0 {
				t.Errorf("piece %d has %d tokens, want 1 to 210", i, n)
			}
			if want := "answer " + string(rune('0'+i)); i > 0 && prompt.PreviousSummary != want {
				t.Errorf("piece %d has the previous summary %q, want %q", i, prompt.PreviousSummary, want)
			}
			if roles(t, prompt.Messages) == "" {
				t.Errorf("piece %d has no messages", i)
			}
			all += prompt.Conversation
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, "\n", "") }
		if squeeze(all) != squeeze(whole) {
			t.Errorf("the pieces say\n%q\nwant\n%q", all, whole)
		}
	}
}
