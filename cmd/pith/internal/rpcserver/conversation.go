package rpcserver

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// conversationMethods returns the methods that talk to a model and do what a
// user does in a conversation. The names are those of pi's AgentSession.
func conversationMethods() []*method {
	return []*method{
		inLive("prompt", prompt),
		inLive("continue", continueRun),
		onLive("steer", queuing((*agent.Conversation).Steer)),
		onLive("followUp", queuing((*agent.Conversation).FollowUp)),
		onLive("clearQueue", clearQueue),
		onLive("abort", abort),
		inLive("compact", compactSession),
		inLive("navigateTree", navigateTree),
		backgroundLive("fork", forkSession),
		backgroundLive("clone", cloneSession),
		backgroundLive("switchSession", switchSession),
	}
}

// A delivery is how a message is sent while the conversation is busy.
type delivery string

// Words implements [ops.Words].
func (delivery) Words() []string { return []string{"steer", "followUp"} }

type promptParams struct {
	Text              string     `json:"text|message" need:"given"`
	Images            images     `json:"images"`
	Options           jsonObject `json:"options"`
	StreamingBehavior delivery   `json:"streamingBehavior"`
}

// prompt sends a user message and returns after the response. While the
// conversation is busy, it rejects the message, or queues it if the client sets
// streamingBehavior.
func prompt(ctx context.Context, _ *call, l *live, p *promptParams) (any, error) {
	if p.StreamingBehavior != "" && l.conv.Busy() != agent.ActivityIdle {
		if p.StreamingBehavior == "steer" {
			return nil, l.conv.Steer(p.Text, p.Images...)
		}
		return nil, l.conv.FollowUp(p.Text, p.Images...)
	}
	l.takeAnswer()
	_, err := l.conv.Prompt(ctx, p.Text, p.Images...)
	return l.answered(err)
}

func continueRun(ctx context.Context, _ *call, l *live, _ *none) (any, error) {
	l.takeAnswer()
	_, err := l.conv.Continue(ctx)
	return l.answered(err)
}

// answered returns the result of a run: the leaf and the last response.
func (l *live) answered(err error) (any, error) {
	if err != nil {
		return nil, piwire.WordedBusy(err)
	}
	return object{}.TextOrNull("leafId", l.conv.Session().LeafID()).Raw("message", l.takeAnswer()), nil
}

type queuingParams struct {
	Text   string `json:"text|message" need:"given"`
	Images images `json:"images"`
}

func queuing(add func(*agent.Conversation, string, ...*format.ImageBlock) error) func(context.Context, *call, *live, *queuingParams) (any, error) {
	return func(_ context.Context, _ *call, l *live, p *queuingParams) (any, error) {
		return nil, add(l.conv, p.Text, p.Images...)
	}
}

func clearQueue(_ context.Context, _ *call, l *live, _ *none) (any, error) {
	steering, followUp := l.conv.ClearQueue()
	return queues{steering, followUp}, nil
}

func abort(_ context.Context, _ *call, l *live, _ *none) (any, error) {
	l.conv.Abort()
	return nil, nil
}

type compactParams struct {
	Instructions string `json:"customInstructions|instructions"`
}

func compactSession(ctx context.Context, _ *call, l *live, p *compactParams) (any, error) {
	done, err := l.conv.Compact(ctx, p.Instructions)
	if err != nil {
		return nil, unsummarised(piwire.Worded(err))
	}
	o := object{}.
		Text("entryId", done.ID).
		Text("summary", done.Summary).
		Text("firstKeptEntryId", done.FirstKeptEntryID).
		Number("tokensBefore", done.TokensBefore).
		Number("estimatedTokensAfter", done.EstimatedTokensAfter)
	if done.Details != nil {
		o = o.Raw("details", jsonl.AppendCompact(nil, done.Details))
	}
	return o.Flag("fromHook", done.FromHook != nil && *done.FromHook), nil
}

type navigateParams struct {
	TargetID            entryRef   `json:"targetId" need:"given"`
	Options             jsonObject `json:"options"`
	Summarize           bool       `json:"summarize"`
	Instructions        string     `json:"customInstructions|instructions"`
	ReplaceInstructions bool       `json:"replaceInstructions"`
	Label               string     `json:"label"`
	Exact               bool       `json:"exact"`
}

func navigateTree(ctx context.Context, _ *call, l *live, p *navigateParams) (any, error) {
	target := p.TargetID.id
	o := agent.NavigateOptions{
		Summarize: p.Summarize, Instructions: p.Instructions, ReplaceInstructions: p.ReplaceInstructions, Label: p.Label, Exact: p.Exact,
	}
	done, err := l.conv.Navigate(ctx, target, o)
	if errors.Is(err, pith.ErrNoEntry) {
		return nil, &piwire.Error{Words: "Entry " + target + " not found", Err: err}
	}
	if err != nil {
		return nil, unsummarised(piwire.Worded(err))
	}
	return object{}.
		Flag("cancelled", done.Cancelled).
		Flag("aborted", done.Aborted).
		TextOrNull("editorText", done.EditorText).
		TextOrNull("leafId", done.LeafID).
		TextOrNull("summaryEntryId", done.SummaryID), nil
}

// unsummarised returns the error of a failed summary, unless the file caused
// it.
func unsummarised(err error) error {
	if _, ok := errors.AsType[*pith.FileError](err); ok {
		return err
	}
	return &ops.SummaryError{Err: err}
}

type forkParams struct {
	EntryID string `json:"entryId" need:"value"`
}

func forkSession(ctx context.Context, _ *call, l *live, p *forkParams) (any, error) {
	return l.replaced(l.conv.Fork(ctx, p.EntryID))
}

func cloneSession(ctx context.Context, _ *call, l *live, _ *none) (any, error) {
	return l.replaced(l.conv.Clone(ctx))
}

type switchParams struct {
	Path string `json:"path|sessionPath" need:"value"`
}

func switchSession(ctx context.Context, _ *call, l *live, p *switchParams) (any, error) {
	return l.replaced(l.conv.Switch(ctx, p.Path))
}

// replaced returns the session that the handle refers to now.
func (l *live) replaced(done agent.Replacement, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	s := l.conv.Session()
	return object{}.
		Flag("cancelled", done.Cancelled).
		TextOrNull("editorText", done.EditorText).
		Raw("unsent", texts(done.Unsent)).
		TextOrNull("path", s.File()).
		Text("id", s.ID()), nil
}
