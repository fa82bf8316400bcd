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
		inLive("prompt", "text|message, images:images?, options:object?, streamingBehavior:steer/followUp?", prompt),
		inLive("continue", "", continueRun),
		onLive("steer", "text|message, images:images?", queuing((*agent.Conversation).Steer)),
		onLive("followUp", "text|message, images:images?", queuing((*agent.Conversation).FollowUp)),
		onLive("clearQueue", "", clearQueue),
		onLive("abort", "", abort),
		inLive("compact", "customInstructions|instructions?", compactSession),
		inLive("navigateTree", "targetId:entry, options:object?, summarize:flag?, customInstructions|instructions?, replaceInstructions:flag?, label?, exact:flag?", navigateTree),
		backgroundLive("fork", "entryId:name", forkSession),
		backgroundLive("clone", "", cloneSession),
		backgroundLive("switchSession", "path|sessionPath:name", switchSession),
	}
}

func (c *call) images() (out []*format.ImageBlock) {
	for _, b := range format.DecodeContent(c.json("images")).Blocks {
		out = append(out, b.(*format.ImageBlock))
	}
	return out
}

// prompt sends a user message and returns after the response. While the
// conversation is busy, it rejects the message, or queues it if the client sets
// streamingBehavior.
func prompt(ctx context.Context, c *call, l *live) ([]byte, error) {
	text, images, how := c.text("text"), c.images(), c.text("streamingBehavior")
	if how != "" && l.conv.Busy() != agent.ActivityIdle {
		if how == "steer" {
			return nothing(l.conv.Steer(text, images...))
		}
		return nothing(l.conv.FollowUp(text, images...))
	}
	l.takeAnswer()
	_, err := l.conv.Prompt(ctx, text, images...)
	return l.answered(err)
}

func continueRun(ctx context.Context, _ *call, l *live) ([]byte, error) {
	l.takeAnswer()
	_, err := l.conv.Continue(ctx)
	return l.answered(err)
}

// answered returns the result of a run: the leaf and the last response.
func (l *live) answered(err error) ([]byte, error) {
	if err != nil {
		return nil, piwire.WordedBusy(err)
	}
	return object{}.TextOrNull("leafId", l.conv.Session().LeafID()).Raw("message", l.takeAnswer()), nil
}

func queuing(add func(*agent.Conversation, string, ...*format.ImageBlock) error) liveHandler {
	return func(_ context.Context, c *call, l *live) ([]byte, error) {
		return nothing(add(l.conv, c.text("text"), c.images()...))
	}
}

func clearQueue(ctx context.Context, _ *call, l *live) ([]byte, error) {
	steering, followUp := l.conv.ClearQueue()
	return object{}.Raw("steering", texts(steering)).Raw("followUp", texts(followUp)), nil
}

func abort(ctx context.Context, _ *call, l *live) ([]byte, error) {
	l.conv.Abort()
	return null, nil
}

func compactSession(ctx context.Context, c *call, l *live) ([]byte, error) {
	done, err := l.conv.Compact(ctx, c.text("customInstructions"))
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

func navigateTree(ctx context.Context, c *call, l *live) ([]byte, error) {
	target := c.text("targetId")
	o := agent.NavigateOptions{
		Summarize: c.flag("summarize"), Instructions: c.text("customInstructions"),
		ReplaceInstructions: c.flag("replaceInstructions"), Label: c.text("label"), Exact: c.flag("exact"),
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

func forkSession(ctx context.Context, c *call, l *live) ([]byte, error) {
	return l.replaced(l.conv.Fork(ctx, c.text("entryId")))
}

func cloneSession(ctx context.Context, _ *call, l *live) ([]byte, error) {
	return l.replaced(l.conv.Clone(ctx))
}

func switchSession(ctx context.Context, c *call, l *live) ([]byte, error) {
	return l.replaced(l.conv.Switch(ctx, c.text("path")))
}

// replaced returns the session that the handle refers to now.
func (l *live) replaced(done agent.Replacement, err error) ([]byte, error) {
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
