package summarize

import (
	"context"

	"github.com/pith-sessions/pith/compact"
)

// ExtractOptions are the choices of [Extract].
type ExtractOptions struct {
	// MaxTokens is about how long a summary gets, as [compact.ByScript] counts it;
	// 0 means 1500, and the least is 400. What an earlier summary says may take as much again, so that
	// twice as many are never exceeded.
	MaxTokens int64
}

// defaultExtractTokens is room for the course of a day's work.
const defaultExtractTokens = 1500

// leastExtractTokens is what the sections need to say anything.
const leastExtractTokens = 400

// Extract makes summaries without a model. It quotes the first and the latest
// requests, tells what came of each, which files were changed, which commands were
// run and how they ended, what failed, which decisions were stated, and what the
// assistant said last. An earlier summary is merged, whoever wrote it.
//
// It reads messages one by one and takes conversations of any length: with a
// [compact.SummaryOptions.MaxTokens] of 0 it reads them once, and tells more.
//
// What the user asked a summary to mind is quoted, with the sentences that speak
// of it. Summaries say the same for the same conversation, byte for byte.
func Extract(o ExtractOptions) compact.Summarizer {
	if o.MaxTokens <= 0 {
		o.MaxTokens = defaultExtractTokens
	}
	o.MaxTokens = max(o.MaxTokens, leastExtractTokens)
	return extract{o}
}

type extract struct{ ExtractOptions }

// AnyLength says that a conversation need not be given in pieces.
func (extract) AnyLength() bool { return true }

// Summarize implements [compact.Summarizer].
func (e extract) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	d := newDigest(p)
	if err := d.read(ctx, p); err != nil {
		return "", err
	}
	page := newPage(d, e.MaxTokens)
	if p.Part == compact.TurnPrefix {
		return page.turnPrefix(), nil
	}
	return page.history(p.Part == compact.LeftBranch), nil
}
