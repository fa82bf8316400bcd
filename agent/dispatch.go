package agent

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/pith-sessions/pith/format"
)

// guarded calls a hook. What goes wrong in it is told, and counts as nothing said.
func (a *Session) guarded(name string, call func() error) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			a.bus.emit(&HookFailed{name, fmt.Errorf("panic: %v", p)})
			ok = false
		}
	}()
	if err := call(); err != nil {
		a.bus.emit(&HookFailed{name, err})
		return false
	}
	return true
}

// tell calls one hook of each set, in order.
func tell[E any](ctx context.Context, a *Session, name string, e E, hook func(Hooks) func(context.Context, E) error) {
	for _, h := range a.config.Hooks {
		if f := hook(h); f != nil {
			a.guarded(name, func() error { return f(ctx, e) })
		}
	}
}

// decide asks one hook of each set, in order, until take returns false.
func decide[E, D any](ctx context.Context, a *Session, name string, e E, hook func(Hooks) func(context.Context, E) (D, error), take func(D) bool) {
	for _, h := range a.config.Hooks {
		f := hook(h)
		if f == nil {
			continue
		}
		var d D
		ok := a.guarded(name, func() (err error) {
			d, err = f(ctx, e)
			return err
		})
		if ok && !take(d) {
			return
		}
	}
}

func (a *Session) hookStart(ctx context.Context, e StartEvent) {
	tell(ctx, a, "Start", e, func(h Hooks) func(context.Context, StartEvent) error { return h.Start })
}

func (a *Session) hookShutdown(ctx context.Context, e ShutdownEvent) {
	tell(ctx, a, "Shutdown", e, func(h Hooks) func(context.Context, ShutdownEvent) error { return h.Shutdown })
}

func (a *Session) hookCompacted(ctx context.Context, e CompactedEvent) {
	tell(ctx, a, "Compacted", e, func(h Hooks) func(context.Context, CompactedEvent) error { return h.Compacted })
}

func (a *Session) hookCompactFailed(ctx context.Context, e CompactFailedEvent) {
	tell(ctx, a, "CompactFailed", e, func(h Hooks) func(context.Context, CompactFailedEvent) error { return h.CompactFailed })
}

func (a *Session) hookTree(ctx context.Context, e TreeEvent) {
	tell(ctx, a, "Tree", e, func(h Hooks) func(context.Context, TreeEvent) error { return h.Tree })
}

func (a *Session) hookRenamed(ctx context.Context, e RenamedEvent) {
	tell(ctx, a, "Renamed", e, func(h Hooks) func(context.Context, RenamedEvent) error { return h.Renamed })
}

func (a *Session) hookBeforeSwitch(ctx context.Context, e BeforeSwitchEvent) (cancel bool) {
	decide(ctx, a, "BeforeSwitch", e, func(h Hooks) func(context.Context, BeforeSwitchEvent) (SwitchDecision, error) { return h.BeforeSwitch },
		func(d SwitchDecision) bool { cancel = d.Cancel; return !cancel })
	return cancel
}

func (a *Session) hookBeforeFork(ctx context.Context, e BeforeForkEvent) (cancel bool) {
	decide(ctx, a, "BeforeFork", e, func(h Hooks) func(context.Context, BeforeForkEvent) (ForkDecision, error) { return h.BeforeFork },
		func(d ForkDecision) bool { cancel = d.Cancel; return !cancel })
	return cancel
}

func (a *Session) hookBeforeCompact(ctx context.Context, e BeforeCompactEvent) CompactDecision {
	var all CompactDecision
	decide(ctx, a, "BeforeCompact", e, func(h Hooks) func(context.Context, BeforeCompactEvent) (CompactDecision, error) {
		return h.BeforeCompact
	},
		func(d CompactDecision) bool {
			all.Cancel = d.Cancel
			if d.Compaction != nil {
				all.Compaction = d.Compaction
			}
			if d.Instructions != "" {
				all.Instructions = d.Instructions
			}
			if d.Details != nil {
				all.Details = d.Details
			}
			return !d.Cancel
		})
	return all
}

// canCompact reports whether there is anybody to give the content of a compaction.
func (a *Session) canCompact() bool {
	if a.config.Summarizer != nil {
		return true
	}
	for _, h := range a.config.Hooks {
		if h.BeforeCompact != nil {
			return true
		}
	}
	return false
}

func (a *Session) hookBeforeTree(ctx context.Context, e BeforeTreeEvent) TreeDecision {
	var all TreeDecision
	decide(ctx, a, "BeforeTree", e, func(h Hooks) func(context.Context, BeforeTreeEvent) (TreeDecision, error) { return h.BeforeTree },
		func(d TreeDecision) bool {
			all.Cancel = d.Cancel
			if d.Summary != nil {
				all.Summary = d.Summary
			}
			if d.Instructions != nil {
				all.Instructions = d.Instructions
			}
			if d.ReplaceInstructions != nil {
				all.ReplaceInstructions = d.ReplaceInstructions
			}
			if d.Label != nil {
				all.Label = d.Label
			}
			return !d.Cancel
		})
	return all
}

// hookPrompt asks what goes with a prompt.
func (r *run) hookPrompt(p *prompt) []format.CustomMessage {
	if !slices.ContainsFunc(r.a.config.Hooks, func(h Hooks) bool { return h.BeforePrompt != nil }) {
		return nil // the prompt need not be read
	}
	e := BeforePromptEvent{Session: r.a.Session(), Text: p.text, Images: p.images, System: r.currentPrompt(), Model: r.a.Model()}
	var extra []format.CustomMessage
	decide(r.ctx, r.a, "BeforePrompt", e, func(h Hooks) func(context.Context, BeforePromptEvent) (PromptDecision, error) { return h.BeforePrompt },
		func(d PromptDecision) bool {
			extra = append(extra, d.Messages...)
			if d.System != nil {
				system := *d.System
				r.system = &system
			}
			return true
		})
	return extra
}

// currentPrompt is the system prompt for hooks. One that cannot be read fails the
// request that follows.
func (r *run) currentPrompt() string {
	c, err := r.a.Session().Context()
	if err != nil {
		return ""
	}
	text, err := r.systemPrompt(c)
	if err != nil {
		return ""
	}
	return text
}

// hookMessage is a message as the hooks leave it.
func hookMessage[M format.Message](r *run, m M) M {
	for _, h := range r.a.config.Hooks {
		if h.BeforeMessage == nil {
			continue
		}
		r.a.guarded("BeforeMessage", func() error {
			changed, err := h.BeforeMessage(r.ctx, m)
			if err != nil || changed == nil || reflect.ValueOf(changed).IsNil() {
				return err
			}
			same, ok := changed.(M)
			if !ok || same.Role() != m.Role() {
				return fmt.Errorf("it made a message of the role %q out of one of the role %q", changed.Role(), m.Role())
			}
			m = same
			return nil
		})
	}
	return m
}
