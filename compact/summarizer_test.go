package compact_test

import (
	"context"
	"errors"
	"slices"
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
			b, err := compact.Quarter.Collect(s, "e3", "e0", 0)
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

// Pieces are as long as they may be, and not longer; a message goes to another piece
// before it is cut; what is cut is cut at the end of a line where there is one.
func TestPieces(t *testing.T) {
	tests := map[string]struct {
		estimator compact.Estimator
		max       int64 // four units each
		said      []string
		want      []string // each piece
		ids       []string // the entries of each
	}{
		"as much as fits": {compact.Quarter, 25, []string{letters(40), letters(42)},
			[]string{"[User]: " + letters(40) + "\n\n[User]: " + letters(42)}, []string{"e1 e2"}},
		"one unit more": {compact.Quarter, 25, []string{letters(40), letters(43), letters(1)},
			[]string{"[User]: " + letters(40), "[User]: " + letters(43) + "\n\n[User]: " + letters(1)}, []string{"e1", "e2 e3"}},
		"a message that just fits": {compact.Quarter, 25, []string{letters(92)},
			[]string{"[User]: " + letters(92)}, []string{"e1"}},
		"a message that does not": {compact.Quarter, 25, []string{letters(20), letters(93), letters(20)},
			[]string{"[User]: " + letters(20), "[User]: " + letters(92), letters(1), "[User]: " + letters(20)}, []string{"e1", "e2", "e2", "e3"}},
		"lines": {compact.Quarter, 25, []string{letters(20) + "\n" + letters(20) + "\n" + letters(80)},
			[]string{"[User]: " + letters(20) + "\n" + letters(20) + "\n", letters(80)}, []string{"e1", "e1"}},
		"a line's end where it begins": {compact.Quarter, 25, []string{letters(92) + "\n" + letters(110)},
			[]string{"[User]: " + letters(92), "\n" + letters(99), letters(11)}, []string{"e1", "e1", "e1"}},
		"a message that says nothing": {compact.Quarter, 25, []string{letters(40), "", letters(42)},
			[]string{"[User]: " + letters(40) + "\n\n[User]: " + letters(42)}, []string{"e1 e2 e3"}},
		"a character that does not fit": {compact.ByScript, 1, []string{"🌳🌳🌳"},
			[]string{"[Use", "r]: ", "🌳", "🌳", "🌳"}, []string{"e1", "e1", "e1", "e1", "e1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			entries := []entry{user(4)}
			for _, said := range tt.said {
				entries = append(entries, message(userText(said)))
			}
			s := chain(t, entries...)
			branch, err := tt.estimator.Collect(s, s.LeafID(), "e0", 0)
			if err != nil {
				t.Fatal(err)
			}
			var r recorded
			if _, err := branch.Summarize(t.Context(), &r, compact.SummaryOptions{MaxTokens: tt.max}); err != nil {
				t.Fatal(err)
			}
			var got, ids []string
			for _, prompt := range r.prompts {
				got = append(got, prompt.Conversation)
				var of []string
				for m, err := range prompt.Messages {
					if err != nil {
						t.Fatal(err)
					}
					of = append(of, m.EntryID)
				}
				ids = append(ids, strings.Join(of, " "))
			}
			if !slices.Equal(got, tt.want) || !slices.Equal(ids, tt.ids) {
				t.Errorf("pieces %q of %q\nwant %q of %q", got, ids, tt.want, tt.ids)
			}
		})
	}
}

// An error names the piece, if there are several.
func TestSummarizeFailsInAPiece(t *testing.T) {
	boom := errors.New("boom")
	for max, want := range map[int64]string{25: "piece 2 of 3: boom", 1000: ": boom"} {
		s := chain(t, user(4), user(60), user(60), user(60))
		b, err := compact.Quarter.Collect(s, "e3", "e0", 0)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		_, err = b.Summarize(t.Context(), compact.SummarizerFunc(func(context.Context, compact.Prompt) (string, error) {
			if asked++; asked == 2 || max > 25 {
				return "", boom
			}
			return "S", nil
		}), compact.SummaryOptions{MaxTokens: max})
		if !errors.Is(err, boom) || !strings.HasSuffix(err.Error(), want) || max > 25 && strings.Contains(err.Error(), "piece") {
			t.Errorf("with %d tokens a prompt: %v; want %q", max, err, want)
		}
	}
}
