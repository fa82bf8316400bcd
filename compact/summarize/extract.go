package summarize

import (
	"context"

	"github.com/pith-sessions/pith/compact"
)

// ExtractOptions configure [Extract].
type ExtractOptions struct {
	// MaxTokens is the approximate length of a summary, counted by
	// [compact.ByScript]; 0 means 1500, and the minimum is 400. The content of
	// an earlier summary may take as much again, so twice as many are never
	// exceeded.
	MaxTokens int64
}

// defaultExtractTokens has room for a day's work.
const defaultExtractTokens = 1500

// leastExtractTokens is the minimum for useful sections.
const leastExtractTokens = 400

// Extract returns a summarizer that needs no model. It quotes the first and the
// latest requests and their results, and lists changed files, commands with
// their outcomes, failures, stated decisions and the last text of the
// assistant. It merges an earlier summary of any origin.
//
// It reads messages one by one and accepts conversations of any length: with a
// [compact.SummaryOptions.MaxTokens] of 0 it reads them once and reports more.
//
// The user's focus is quoted, with the sentences that mention it. The same
// conversation gives the same summary, byte for byte.
func Extract(o ExtractOptions) compact.Summarizer {
	if o.MaxTokens <= 0 {
		o.MaxTokens = defaultExtractTokens
	}
	o.MaxTokens = max(o.MaxTokens, leastExtractTokens)
	return extract{o}
}

type extract struct{ ExtractOptions }

// AnyLength reports that a conversation need not be split.
func (extract) AnyLength() bool { return true }

// Summarize implements [compact.Summarizer].
func (e extract) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	d := newDigest(p)
	if err := d.read(ctx, p); err != nil {
		return "", err
	}
	room := e.MaxTokens - headings
	page := &page{digest: d, room: room, own: room * 2 / 3, carry: e.MaxTokens, written: map[string]bool{}}
	if p.Part == compact.TurnPrefix {
		return page.turnPrefix(), nil
	}
	return page.history(p.Part == compact.LeftBranch), nil
}
