package rpcserver

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// conversationMethods returns the methods that talk to a model and do what a
// user does in a conversation. The names are those of pi's AgentSession.
func conversationMethods() []*method {
	return []*method{
		inLive("prompt", "text|message, images?, options?, streamingBehavior?", prompt),
		inLive("continue", "", continueRun),
		onLive("steer", "text|message, images?", steer),
		onLive("followUp", "text|message, images?", followUp),
		onLive("clearQueue", "", clearQueue),
		onLive("abort", "", abort),
		inLive("compact", "customInstructions|instructions?", compactSession),
		inLive("navigateTree", "targetId, options?, summarize?, customInstructions|instructions?, replaceInstructions?, label?, exact?", navigateTree),
		backgroundLive("fork", "entryId", forkSession),
		backgroundLive("clone", "", cloneSession),
		backgroundLive("switchSession", "path|sessionPath", switchSession),
	}
}

// A summaryError means that no summary was written and nothing has changed.
type summaryError struct{ err error }

func (e *summaryError) Error() string { return e.err.Error() }
func (e *summaryError) Unwrap() error { return e.err }

// images reads the images of a prompt.
func (c *call) images() []*format.ImageBlock {
	raw, ok := c.present("images")
	if !ok {
		return nil
	}
	if jsonl.KindOf(raw) != '[' {
		c.mustBe("images", "a list of image blocks", raw)
		return nil
	}
	var out []*format.ImageBlock
	for _, b := range format.DecodeContent(raw).Blocks {
		image, ok := b.(*format.ImageBlock)
		if !ok {
			c.reject("images", "must contain blocks of type image with data and mimeType")
			return nil
		}
		out = append(out, image)
	}
	return out
}

// prompt sends a user message and returns after the response. While the
// conversation is busy, it rejects the message, or queues it if the client sets
// streamingBehavior.
func prompt(ctx context.Context, c *call, l *live) ([]byte, error) {
	text, images, how := c.text("text"), c.images(), c.optText("streamingBehavior")
	if how != "" && how != "steer" && how != "followUp" {
		c.reject("streamingBehavior", "must be steer or followUp")
	}
	if c.bad != nil {
		return nil, c.bad
	}
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
	var o object
	o.raw("leafId", textOrNull(l.conv.Session().LeafID()))
	o.raw("message", l.takeAnswer())
	return o.end(), nil
}

func steer(ctx context.Context, c *call, l *live) ([]byte, error)    { return c.queue(l.conv.Steer) }
func followUp(ctx context.Context, c *call, l *live) ([]byte, error) { return c.queue(l.conv.FollowUp) }

func (c *call) queue(add func(string, ...*format.ImageBlock) error) ([]byte, error) {
	text, images := c.text("text"), c.images()
	if c.bad != nil {
		return nil, c.bad
	}
	return nothing(add(text, images...))
}

func clearQueue(ctx context.Context, _ *call, l *live) ([]byte, error) {
	steering, followUp := l.conv.ClearQueue()
	var o object
	o.raw("steering", texts(steering))
	o.raw("followUp", texts(followUp))
	return o.end(), nil
}

func abort(ctx context.Context, _ *call, l *live) ([]byte, error) {
	l.conv.Abort()
	return null, nil
}

func compactSession(ctx context.Context, c *call, l *live) ([]byte, error) {
	instructions := c.optText("customInstructions")
	if c.bad != nil {
		return nil, c.bad
	}
	done, err := l.conv.Compact(ctx, instructions)
	if err != nil {
		return nil, unsummarised(piwire.Worded(err))
	}
	var o object
	o.text("entryId", done.ID)
	o.text("summary", done.Summary)
	o.text("firstKeptEntryId", done.FirstKeptEntryID)
	o.number("tokensBefore", done.TokensBefore)
	o.number("estimatedTokensAfter", done.EstimatedTokensAfter)
	if done.Details != nil {
		o.raw("details", jsonl.AppendCompact(nil, done.Details))
	}
	o.flag("fromHook", done.FromHook != nil && *done.FromHook)
	return o.end(), nil
}

func navigateTree(ctx context.Context, c *call, l *live) ([]byte, error) {
	target := c.entry("targetId")
	o := agent.NavigateOptions{
		Summarize: c.isTrue("summarize"), Instructions: c.optText("customInstructions"),
		ReplaceInstructions: c.isTrue("replaceInstructions"), Label: c.optText("label"), Exact: c.isTrue("exact"),
	}
	if c.bad != nil {
		return nil, c.bad
	}
	done, err := l.conv.Navigate(ctx, target, o)
	if errors.Is(err, pith.ErrNoEntry) {
		return nil, &piwire.Error{Words: "Entry " + target + " not found", Err: err}
	}
	if err != nil {
		return nil, unsummarised(piwire.Worded(err))
	}
	var r object
	r.flag("cancelled", done.Cancelled)
	r.flag("aborted", done.Aborted)
	r.raw("editorText", textOrNull(done.EditorText))
	r.raw("leafId", textOrNull(done.LeafID))
	r.raw("summaryEntryId", textOrNull(done.SummaryID))
	return r.end(), nil
}

// unsummarised returns the error of a failed summary, unless the file caused
// it. More specific kinds come first in kinds.
func unsummarised(err error) error {
	if isA[*pith.FileError](err) {
		return err
	}
	return &summaryError{err}
}

func forkSession(ctx context.Context, c *call, l *live) ([]byte, error) {
	id := c.nonEmpty("entryId")
	if c.bad != nil {
		return nil, c.bad
	}
	return l.replaced(l.conv.Fork(ctx, id))
}

func cloneSession(ctx context.Context, _ *call, l *live) ([]byte, error) {
	return l.replaced(l.conv.Clone(ctx))
}

func switchSession(ctx context.Context, c *call, l *live) ([]byte, error) {
	path := c.nonEmpty("path")
	if c.bad != nil {
		return nil, c.bad
	}
	return l.replaced(l.conv.Switch(ctx, path))
}

// replaced returns the session that the handle refers to now.
func (l *live) replaced(done agent.Replacement, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	s := l.conv.Session()
	var o object
	o.flag("cancelled", done.Cancelled)
	o.raw("editorText", textOrNull(done.EditorText))
	o.raw("unsent", texts(done.Unsent))
	o.raw("path", textOrNull(s.File()))
	o.text("id", s.ID())
	return o.end(), nil
}
