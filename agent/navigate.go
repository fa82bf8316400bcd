package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// NavigateOptions configure a navigation.
type NavigateOptions struct {
	// Summarize appends a summary of the abandoned branch at the new leaf.
	Summarize bool
	// Instructions are instructions for the summarizer.
	Instructions string
	// ReplaceInstructions makes Instructions replace the summarizer's own.
	ReplaceInstructions bool
	// Label is set on the summary, or on the target without a summary.
	Label string
	// Exact moves the leaf to the target itself, even if it is a user message.
	Exact bool
}

// A Navigation is the result of Navigate.
type Navigation struct {
	// EditorText is the text of the user message that follows the new leaf.
	EditorText string
	// Cancelled means that nothing has changed: a hook prevented the move or,
	// if Aborted is also set, the summary was aborted.
	Cancelled, Aborted bool
	LeafID             string // the new leaf; "" before the first entry
	SummaryID          string // entry of the summary, or ""
}

// Navigate moves the leaf to an entry; "" means before the first entry. If the
// target is a user message, or a displayed extension message, the leaf moves
// before it and the result has its text.
//
// If the conversation is not idle, the error is a [BusyError]. On error nothing
// has changed, except that a label may be missing. Messages queued in the
// meantime are sent afterwards, from the new leaf. The result does not include
// what Tree hooks do.
func (a *Conversation) Navigate(ctx context.Context, target string, o NavigateOptions) (Navigation, error) {
	work, w, err := a.activity.begin(ctx, ActivityNavigating)
	if err != nil {
		return Navigation{}, err
	}
	n := navigation{a: a, s: a.Session(), target: target, o: o}
	out, err := n.do(work)
	if n.moved == nil {
		a.endAndDeliver(work, w, nil)
	} else {
		a.own.Add(1) // Close waits for the hooks
		a.end(work, w, n.moved)
		a.hooks.tree(ctx, n.s, n.moved) // they may prompt and navigate
		a.deliver()
		a.own.Done()
	}
	a.events.flush()
	return out, err
}

type navigation struct {
	a      *Conversation
	s      *pith.Session
	target string
	o      NavigateOptions
	from   string     // the old leaf
	to     string     // the new leaf, before a summary and a label
	text   string     // text of the target message
	moved  *Navigated // nil until the leaf has moved
}

func (n *navigation) do(ctx context.Context) (Navigation, error) {
	n.from = n.s.LeafID()
	if n.target == n.from {
		return Navigation{LeafID: n.from}, nil
	}
	if err := n.aim(); err != nil {
		return Navigation{}, err
	}
	m := n.a.Model()
	estimator := n.a.compactor.settings(m).Estimator
	reserve := cmp.Or(n.a.config.BranchReserve, 16384)
	branch, err := estimator.Collect(n.s, n.from, n.target, compact.BranchBudget(m.ContextWindow, reserve))
	if err != nil {
		return Navigation{}, err
	}
	d, cancelled := n.a.hooks.beforeTree(ctx, BeforeTreeEvent{Session: n.s, TargetID: n.target, Branch: branch, Options: n.o})
	if cancelled {
		return Navigation{Cancelled: true, LeafID: n.from}, nil
	}
	n.override(d)
	summary, err := n.summarize(ctx, branch, d)
	if ctx.Err() != nil {
		return Navigation{Cancelled: true, Aborted: true, LeafID: n.from}, nil
	}
	if err != nil {
		return Navigation{}, err
	}
	return n.move(ctx, summary)
}

// aim determines the new leaf and the text of the target.
func (n *navigation) aim() error {
	n.to = n.target
	if n.target == "" || n.o.Exact && has(n.s, n.target) {
		return nil
	}
	e, err := n.s.Entry(n.target)
	if err != nil {
		return n.failed(err)
	}
	switch e := e.(type) {
	case *format.MessageEntry:
		if u, ok := e.Message.(*format.User); ok {
			n.to, n.text = e.ParentID, u.Content.Joined()
		}
	case *format.CustomMessage:
		n.to = e.ParentID
		if e.Display {
			n.text = e.Content.Joined()
		}
	}
	if n.to != "" && !has(n.s, n.to) {
		n.to = "" // the parent is missing from the file
	}
	return nil
}

func (n *navigation) failed(err error) error {
	if n.target == "" {
		return fmt.Errorf("navigate before the first entry: %w", err)
	}
	return fmt.Errorf("navigate to %s: %w", n.target, err)
}

// override applies the hooks' decision to the options.
func (n *navigation) override(d TreeDecision) {
	if d.Instructions != nil {
		n.o.Instructions = *d.Instructions
	}
	if d.ReplaceInstructions != nil {
		n.o.ReplaceInstructions = *d.ReplaceInstructions
	}
	if d.Label != nil {
		n.o.Label = *d.Label
	}
}

// summarize returns the summary of the branch, or nil for none.
func (n *navigation) summarize(ctx context.Context, b *compact.Branch, d TreeDecision) (*format.BranchSummary, error) {
	if !n.o.Summarize {
		return nil, nil
	}
	if d.Summary != nil {
		if strings.TrimSpace(d.Summary.Summary) == "" {
			return nil, nil
		}
		given := *d.Summary
		given.FromHook = new(true)
		return &given, nil
	}
	if len(b.EntryIDs) == 0 {
		return nil, nil
	}
	summarizer := n.a.compactor.summarizer()
	if summarizer == nil {
		return nil, ErrNoSummarizer
	}
	m := n.a.Model()
	options := compact.SummaryOptions{Instructions: n.o.Instructions, ReplaceInstructions: n.o.ReplaceInstructions, MaxTokens: promptRoom(summarizer, m, n.a.compactor.settings(m))}
	finished := n.a.compactor.tellRetries(summarizer, "")
	summary, err := b.Summarize(ctx, summarizer, options)
	finished()
	if err != nil {
		return nil, n.failed(err)
	}
	summary.Usage = spent(summarizer)
	return &summary, nil
}

// move moves the leaf and writes the summary and the label.
func (n *navigation) move(ctx context.Context, summary *format.BranchSummary) (Navigation, error) {
	out := Navigation{EditorText: n.text}
	e := &Navigated{OldLeafID: n.from}
	labelled := n.target
	if summary == nil {
		if err := position(n.s, n.to); err != nil {
			return Navigation{}, err
		}
		n.a.recorder.setMoved(true)
	} else {
		id, err := n.a.recorder.appendOr(ctx, n.a.recorder.keepPosition, func(ctx context.Context, s *pith.Session) (string, error) {
			return s.BranchWithSummary(ctx, n.to, *summary)
		})
		if err != nil {
			return Navigation{}, err
		}
		out.SummaryID, labelled = id, id
		summary.ID = id
		e.Summary = summary
		if entry, err := n.s.Entry(id); err == nil {
			e.Summary, _ = entry.(*format.BranchSummary)
		}
	}
	n.moved = e
	n.a.compactor.guard.fruitless.Store(0)
	var err error
	if n.o.Label != "" && labelled != "" {
		_, err = n.s.SetLabel(ctx, labelled, n.o.Label)
		err = n.a.recorder.settled(err)
	}
	out.LeafID = n.s.LeafID()
	if aerr := n.a.adopt(wanted{model: true, thinking: true}); aerr != nil && err == nil {
		err = aerr
	}
	e.NewLeafID = out.LeafID
	return out, err
}

func has(s *pith.Session, id string) bool {
	_, err := s.View().Find(id)
	return err == nil
}
