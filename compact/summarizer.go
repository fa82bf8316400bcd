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

// A Summarizer writes the text that replaces the part of a conversation that a
// model no longer sees.
type Summarizer interface {
	// Summarize returns only the summary, without the file lists. It must
	// return an error if the text is incomplete: if it was cut off, aborted or
	// refused. Calls for one plan are made one after another, in order.
	Summarize(ctx context.Context, p Prompt) (string, error)
}

// A SummarizerFunc is a function that implements [Summarizer].
type SummarizerFunc func(context.Context, Prompt) (string, error)

// Summarize implements [Summarizer].
func (f SummarizerFunc) Summarize(ctx context.Context, p Prompt) (string, error) { return f(ctx, p) }

// A Part is the part of a conversation that a prompt is about.
type Part uint8

const (
	// History is the conversation up to the current turn. With a previous
	// summary, the result replaces it and must keep its content.
	History Part = iota + 1
	// TurnPrefix is the start of a turn whose end stays in the context.
	TurnPrefix
	// LeftBranch is a branch that the user abandoned.
	LeftBranch
)

// String returns the name of a part for commands: history, turn or branch.
func (p Part) String() string {
	switch p {
	case TurnPrefix:
		return "turn"
	case LeftBranch:
		return "branch"
	}
	return "history"
}

// A Prompt is the input of a summarizer.
type Prompt struct {
	Part Part
	// Conversation is the text to summarize, as returned by [Serialize].
	Conversation string
	// Messages is the same conversation as messages, for summarizers that do
	// not read text. They may be retained.
	Messages iter.Seq2[pith.ContextMessage, error]
	// PreviousSummary is the summary to update, or "".
	PreviousSummary string
	// Instructions are the user's instructions, or "".
	Instructions string
	// ReplaceInstructions means that Instructions replace the summarizer's own.
	ReplaceInstructions bool
	// Files are those of the whole plan or branch. They are appended to the
	// summary afterwards and need not be mentioned.
	Files FileLists
}

// SummaryOptions configure a summary.
type SummaryOptions struct {
	// Instructions are the user's instructions.
	Instructions string
	// ReplaceInstructions makes Instructions replace the summarizer's own. It
	// applies only to branches.
	ReplaceInstructions bool
	// MaxTokens is the maximum number of tokens of a conversation in one
	// prompt, as the plan's estimator counts its text. A longer conversation is
	// summarized in pieces, each with the summary of the previous ones. Zero
	// means no limit.
	MaxTokens int64
}

// ErrEmptySummary means that a summarizer returned no text. Nothing may be
// written then.
var ErrEmptySummary = errors.New("the summary is empty")

// A SummaryError means that a summarizer failed. Its text starts with pi's
// words, which pi's clients recognize.
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

// Texts that pi also writes, and that files therefore contain.
const (
	noHistory   = "No prior history."
	noContent   = "No content to summarize"
	splitGlue   = "\n\n---\n\n**Turn Context (split turn):**\n\n"
	branchIntro = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"
)

// Summarize asks for the summaries of the plan and joins them: the history
// first, then the start of a split turn. The result is ready to be appended;
// the caller adds the usage.
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

// historySummary returns the summary of the history. Without a history, it
// returns the previous summary unchanged.
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

// Compaction returns the entry for a summary of the plan. It appends the file
// lists to the text.
func (p *Plan) Compaction(summary string, lists FileLists) format.Compaction {
	return format.Compaction{
		Summary: summary + lists.Tags(), FirstKeptEntryID: p.FirstKeptEntryID, TokensBefore: p.TokensBefore,
		Details: lists.Details(), FromHook: new(false),
	}
}

// Summarize asks for the summary of the branch. The result is ready for
// [pith.Session.BranchWithSummary]; the caller adds the usage. A branch without
// messages is recorded as such, without asking. For a branch without entries it
// returns a [NothingError].
func (b *Branch) Summarize(ctx context.Context, s Summarizer, o SummaryOptions) (format.BranchSummary, error) {
	out := format.BranchSummary{FromHook: new(false)}
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

// ask serializes the conversation of a prompt, sends the prompt and checks the
// response.
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
