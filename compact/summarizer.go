package compact

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Summarizer writes the text that stands for what a model no longer sees.
type Summarizer interface {
	// Summarize returns the summary alone, without the lists of files. It must
	// return an error when the text is not whole: when it was cut off, aborted or
	// refused. Calls of one plan come one after another, in their order.
	Summarize(ctx context.Context, p Prompt) (string, error)
}

// A SummarizerFunc is a function that is a [Summarizer].
type SummarizerFunc func(context.Context, Prompt) (string, error)

// Summarize implements [Summarizer].
func (f SummarizerFunc) Summarize(ctx context.Context, p Prompt) (string, error) { return f(ctx, p) }

// A Part says what of a conversation a prompt is about.
type Part uint8

const (
	// History: the conversation up to the turn that goes on. With a previous
	// summary the result takes its place and must keep what it says.
	History Part = iota + 1
	// TurnPrefix: the beginning of a turn whose end stays in the context.
	TurnPrefix
	// LeftBranch: a branch that the user left to go on elsewhere.
	LeftBranch
)

// String is the name that commands know a part by: history, turn or branch.
func (p Part) String() string {
	switch p {
	case TurnPrefix:
		return "turn"
	case LeftBranch:
		return "branch"
	}
	return "history"
}

// A Prompt is what a summarizer is asked for.
type Prompt struct {
	Part Part
	// Conversation is what is to be summarised, as [Serialize] writes it.
	Conversation string
	// Messages are the same conversation as messages, for summarizers that do not
	// read text. They may be kept.
	Messages iter.Seq2[pith.ContextMessage, error]
	// PreviousSummary is to be brought up to date; "" when there is none.
	PreviousSummary string
	// Instructions are the user's words about what matters; "" when there are none.
	Instructions string
	// ReplaceInstructions means that Instructions take the place of the
	// summarizer's own.
	ReplaceInstructions bool
	// Files are those of the whole plan or branch. They are appended to the summary
	// afterwards and need not be told.
	Files FileLists
}

// SummaryOptions are the choices of a summary.
type SummaryOptions struct {
	// Instructions are the user's words about what matters.
	Instructions string
	// ReplaceInstructions lets Instructions take the place of the summarizer's own.
	// It concerns branches alone.
	ReplaceInstructions bool
	// MaxTokens is how many tokens of a conversation one prompt holds at most, as
	// the plan's estimator counts its text. A longer conversation is summarised in
	// pieces, each with the summary of those before it. Zero means no limit.
	MaxTokens int64
}

// ErrEmptySummary means that a summarizer returned no text. Nothing may be
// written then.
var ErrEmptySummary = errors.New("the summary is empty")

// A SummaryError means that a summarizer gave no summary. It begins with the words
// of pi, by which pi's clients know it.
type SummaryError struct {
	Part Part
	Err  error
}

func (e *SummaryError) Error() string {
	what := "Summarization"
	switch e.Part {
	case TurnPrefix:
		what = "Turn prefix summarization"
	case LeftBranch:
		what = "Branch summarization"
	}
	return what + " failed: " + e.Err.Error()
}

func (e *SummaryError) Unwrap() error { return e.Err }

// The words that pi writes too, and that files therefore hold.
const (
	noHistory   = "No prior history."
	noContent   = "No content to summarize"
	splitGlue   = "\n\n---\n\n**Turn Context (split turn):**\n\n"
	branchIntro = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"
)

// Summarize asks for the summaries of the plan and puts them together: the
// history first, then the beginning of a turn that is cut through, one after
// another. The result is ready to be appended; its usage is the caller's to
// add. On an error there is no result.
func (p *Plan) Summarize(ctx context.Context, s Summarizer, o SummaryOptions) (format.Compaction, error) {
	files, err := p.Files()
	if err != nil {
		return format.Compaction{}, err
	}
	lists := files.Lists()
	summary, err := p.historySummary(ctx, s, o, lists)
	if err != nil {
		return format.Compaction{}, err
	}
	if p.SplitTurn {
		a := asking{s, p.Settings.Estimator, o.MaxTokens}
		prefix, err := a.ask(ctx, Prompt{Part: TurnPrefix, Messages: p.TurnPrefix(), Instructions: o.Instructions, Files: lists})
		if err != nil {
			return format.Compaction{}, err
		}
		summary += splitGlue + prefix
	}
	return p.Compaction(summary, lists), nil
}

// historySummary is the summary of the history; without one the previous summary
// stands as it is.
func (p *Plan) historySummary(ctx context.Context, s Summarizer, o SummaryOptions, lists FileLists) (string, error) {
	switch {
	case p.HasHistory:
		a := asking{s, p.Settings.Estimator, o.MaxTokens}
		return a.ask(ctx, Prompt{Part: History, Messages: p.History(), PreviousSummary: p.PreviousSummary, Instructions: o.Instructions, Files: lists})
	case p.PreviousSummary != "":
		return p.PreviousSummary, nil
	}
	return noHistory, nil
}

// Compaction is the content of the entry for a summary of the plan. The lists of
// files are appended to the text.
func (p *Plan) Compaction(summary string, lists FileLists) format.Compaction {
	byHook := false
	return format.Compaction{
		Summary: summary + lists.Tags(), FirstKeptEntryID: p.FirstKeptEntryID, TokensBefore: p.TokensBefore,
		Details: lists.Details(), FromHook: &byHook,
	}
}

// Summarize asks for the summary of the branch. The result is ready for
// [pith.Session.BranchWithSummary]; its usage is the caller's to add. A branch
// that says nothing is recorded as such, without asking. Without entries there is
// a [NothingError].
func (b *Branch) Summarize(ctx context.Context, s Summarizer, o SummaryOptions) (format.BranchSummary, error) {
	byHook := false
	out := format.BranchSummary{FromHook: &byHook}
	if len(b.EntryIDs) == 0 {
		return format.BranchSummary{}, &NothingError{NoBranch}
	}
	if len(b.Messages) == 0 {
		out.Summary, out.Details = noContent, (&FileOps{}).Lists().Details()
		return out, nil
	}
	lists := b.Files.Lists()
	a := asking{s, b.estimator, o.MaxTokens}
	text, err := a.ask(ctx, Prompt{
		Part: LeftBranch, Messages: sequence(b.Messages), Files: lists,
		Instructions: o.Instructions, ReplaceInstructions: o.ReplaceInstructions && o.Instructions != "",
	})
	if err != nil {
		return format.BranchSummary{}, err
	}
	out.Summary, out.Details = branchIntro+text+lists.Tags(), lists.Details()
	return out, nil
}

func sequence(messages []pith.ContextMessage) iter.Seq2[pith.ContextMessage, error] {
	return func(yield func(pith.ContextMessage, error) bool) {
		for _, m := range messages {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// asking asks one summarizer, in pieces that are not too long.
type asking struct {
	summarizer Summarizer
	estimator  Estimator
	max        int64
}

// ask sends a prompt, whose conversation it writes, and checks the answer.
func (a asking) ask(ctx context.Context, p Prompt) (string, error) {
	pieces, err := a.pieces(p.Messages)
	if err != nil {
		return "", err
	}
	for i, piece := range pieces {
		p.Conversation, p.Messages = piece.text, piece.messages
		if err := ctx.Err(); err != nil {
			return "", err
		}
		text, err := a.summarizer.Summarize(ctx, p)
		if err == nil && strings.TrimSpace(text) == "" {
			err = ErrEmptySummary
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err != nil {
			return "", &SummaryError{p.Part, fmt.Errorf("%s%w", ofMany(i, len(pieces)), err)}
		}
		p.PreviousSummary = text
	}
	return p.PreviousSummary, nil
}

func ofMany(i, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("piece %d of %d: ", i+1, n)
}
