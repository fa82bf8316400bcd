package agent

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A hookSet asks the hooks, one after another.
type hookSet struct {
	all      []Hooks
	events   *bus
	recorder *recorder
	named    atomic.Int64 // how often a name was told
}

// guarded calls a hook. What goes wrong in it is told, and counts as nothing said. A
// name that it gave the session is told too.
func (s *hookSet) guarded(name string, call func() error) (ok bool) {
	session, told := s.recorder.session(), s.named.Load()
	before := session.Name()
	defer func() {
		if session.Name() != before && s.named.Load() == told {
			s.tellName(session, name != "Renamed") // a hook for names that sets one is not asked about that
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			s.events.emit(&HookFailed{name, fmt.Errorf("panic: %v", p)})
			ok = false
		}
	}()
	if err := call(); err != nil {
		s.events.emit(&HookFailed{name, err})
		return false
	}
	return true
}

// tellName tells the display name to subscribers, and to the hooks if ask is set.
func (s *hookSet) tellName(of *pith.Session, ask bool) {
	s.named.Add(1)
	s.events.emit(&NameChanged{of.Name()})
	if ask {
		s.renamed(context.Background(), RenamedEvent{Session: of, Name: of.Name()})
	}
}

// tell calls one hook of each set, in order.
func tell[E any](ctx context.Context, s *hookSet, name string, e E, hook func(Hooks) func(context.Context, E) error) {
	for _, h := range s.all {
		if f := hook(h); f != nil {
			s.guarded(name, func() error { return f(ctx, e) })
		}
	}
}

// decide asks one hook of each set, in order, until take returns false.
func decide[E, D any](ctx context.Context, s *hookSet, name string, e E, hook func(Hooks) func(context.Context, E) (D, error), take func(D) bool) {
	for _, h := range s.all {
		f := hook(h)
		if f == nil {
			continue
		}
		var d D
		ok := s.guarded(name, func() (err error) {
			d, err = f(ctx, e)
			return err
		})
		if ok && !take(d) {
			return
		}
	}
}

func (s *hookSet) start(ctx context.Context, e StartEvent) {
	tell(ctx, s, "Start", e, func(h Hooks) func(context.Context, StartEvent) error { return h.Start })
}

func (s *hookSet) shutdown(ctx context.Context, e ShutdownEvent) {
	tell(ctx, s, "Shutdown", e, func(h Hooks) func(context.Context, ShutdownEvent) error { return h.Shutdown })
}

func (s *hookSet) compacted(ctx context.Context, e CompactedEvent) {
	tell(ctx, s, "Compacted", e, func(h Hooks) func(context.Context, CompactedEvent) error { return h.Compacted })
}

func (s *hookSet) compactFailed(ctx context.Context, e CompactFailedEvent) {
	tell(ctx, s, "CompactFailed", e, func(h Hooks) func(context.Context, CompactFailedEvent) error { return h.CompactFailed })
}

func (s *hookSet) tree(ctx context.Context, e TreeEvent) {
	tell(ctx, s, "Tree", e, func(h Hooks) func(context.Context, TreeEvent) error { return h.Tree })
}

func (s *hookSet) renamed(ctx context.Context, e RenamedEvent) {
	tell(ctx, s, "Renamed", e, func(h Hooks) func(context.Context, RenamedEvent) error { return h.Renamed })
}

func (s *hookSet) beforeSwitch(ctx context.Context, e BeforeSwitchEvent) (cancel bool) {
	decide(ctx, s, "BeforeSwitch", e, func(h Hooks) func(context.Context, BeforeSwitchEvent) (SwitchDecision, error) { return h.BeforeSwitch },
		func(d SwitchDecision) bool { cancel = d.Cancel; return !cancel })
	return cancel
}

func (s *hookSet) beforeFork(ctx context.Context, e BeforeForkEvent) (cancel bool) {
	decide(ctx, s, "BeforeFork", e, func(h Hooks) func(context.Context, BeforeForkEvent) (ForkDecision, error) { return h.BeforeFork },
		func(d ForkDecision) bool { cancel = d.Cancel; return !cancel })
	return cancel
}

func (s *hookSet) beforeCompact(ctx context.Context, e BeforeCompactEvent) CompactDecision {
	var all CompactDecision
	decide(ctx, s, "BeforeCompact", e, func(h Hooks) func(context.Context, BeforeCompactEvent) (CompactDecision, error) {
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

func (s *hookSet) beforeTree(ctx context.Context, e BeforeTreeEvent) TreeDecision {
	var all TreeDecision
	decide(ctx, s, "BeforeTree", e, func(h Hooks) func(context.Context, BeforeTreeEvent) (TreeDecision, error) { return h.BeforeTree },
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

// hookMessage is a message as the hooks leave it.
func hookMessage[M format.Message](ctx context.Context, s *hookSet, m M) M {
	for _, h := range s.all {
		if h.BeforeMessage == nil {
			continue
		}
		s.guarded("BeforeMessage", func() error {
			changed, err := h.BeforeMessage(ctx, m)
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
