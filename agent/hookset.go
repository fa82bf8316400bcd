package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A hookSet calls the hooks of a conversation, one after another.
type hookSet struct {
	all      []Hooks
	events   *bus
	recorder *recorder
	named    atomic.Int64 // how often a name was reported
}

// guarded calls a hook and reports its error or panic, unless the error cancels
// the operation. If the hook renamed the session, that is reported too.
func (s *hookSet) guarded(name string, call func() error) (err error) {
	session, namings := s.recorder.session(), s.named.Load()
	before := session.Name()
	defer func() {
		if session.Name() != before && s.named.Load() == namings {
			s.tellName(session, name != "Renamed") // a Renamed hook is not called for its own change
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil && !errors.Is(err, ErrCancelled) {
			s.events.emit(&Problem{name, err})
		}
	}()
	return call()
}

// tellName reports the display name to subscribers, and to the hooks if ask is set.
func (s *hookSet) tellName(of *pith.Session, ask bool) {
	s.named.Add(1)
	s.events.emit(&NameChanged{of.Name()})
	if !ask {
		return
	}
	for _, h := range s.all {
		if h.Renamed != nil {
			_ = s.guarded("Renamed", func() error { return h.Renamed(context.Background(), of) })
		}
	}
}

func (s *hookSet) start(ctx context.Context, e SwitchEvent) {
	s.switching("Start", func(h Hooks) func(context.Context, SwitchEvent) error { return h.Start }, ctx, e)
}

func (s *hookSet) shutdown(ctx context.Context, e SwitchEvent) {
	s.switching("Shutdown", func(h Hooks) func(context.Context, SwitchEvent) error { return h.Shutdown }, ctx, e)
}

func (s *hookSet) beforeSwitch(ctx context.Context, e SwitchEvent) (cancelled bool) {
	return s.switching("BeforeSwitch", func(h Hooks) func(context.Context, SwitchEvent) error { return h.BeforeSwitch }, ctx, e)
}

func (s *hookSet) switching(name string, hook func(Hooks) func(context.Context, SwitchEvent) error, ctx context.Context, e SwitchEvent) (cancelled bool) {
	for _, h := range s.all {
		f := hook(h)
		if f == nil {
			continue
		}
		if err := s.guarded(name, func() error { return f(ctx, e) }); errors.Is(err, ErrCancelled) {
			return true
		}
	}
	return false
}

func (s *hookSet) compacted(ctx context.Context, of *pith.Session, e *CompactionEnd) {
	for _, h := range s.all {
		if h.Compacted != nil {
			_ = s.guarded("Compacted", func() error { return h.Compacted(ctx, of, e) })
		}
	}
}

func (s *hookSet) tree(ctx context.Context, of *pith.Session, e *Navigated) {
	for _, h := range s.all {
		if h.Tree != nil {
			_ = s.guarded("Tree", func() error { return h.Tree(ctx, of, e) })
		}
	}
}

// decide calls one hook of each set, in order, and gives each decision to take. It
// reports whether a hook cancelled.
func decide[E, D any](ctx context.Context, s *hookSet, name string, e E, hook func(Hooks) func(context.Context, E) (D, error), take func(D)) (cancelled bool) {
	for _, h := range s.all {
		f := hook(h)
		if f == nil {
			continue
		}
		var d D
		err := s.guarded(name, func() (err error) {
			d, err = f(ctx, e)
			return err
		})
		if errors.Is(err, ErrCancelled) {
			return true
		}
		if err == nil {
			take(d)
		}
	}
	return false
}

func (s *hookSet) beforeCompact(ctx context.Context, e BeforeCompactEvent) (all CompactDecision, cancelled bool) {
	cancelled = decide(ctx, s, "BeforeCompact", e, func(h Hooks) func(context.Context, BeforeCompactEvent) (CompactDecision, error) {
		return h.BeforeCompact
	}, func(d CompactDecision) {
		all.Compaction = cmp.Or(d.Compaction, all.Compaction)
		all.Instructions = cmp.Or(d.Instructions, all.Instructions)
		if d.Details != nil {
			all.Details = d.Details
		}
	})
	return all, cancelled
}

func (s *hookSet) beforeTree(ctx context.Context, e BeforeTreeEvent) (all TreeDecision, cancelled bool) {
	cancelled = decide(ctx, s, "BeforeTree", e, func(h Hooks) func(context.Context, BeforeTreeEvent) (TreeDecision, error) {
		return h.BeforeTree
	}, func(d TreeDecision) {
		all.Summary = cmp.Or(d.Summary, all.Summary)
		all.Instructions = cmp.Or(d.Instructions, all.Instructions)
		all.ReplaceInstructions = cmp.Or(d.ReplaceInstructions, all.ReplaceInstructions)
		all.Label = cmp.Or(d.Label, all.Label)
	})
	return all, cancelled
}

// hookMessage returns the message that the BeforeMessage hooks make of m.
func hookMessage[M format.Message](ctx context.Context, s *hookSet, m M) M {
	for _, h := range s.all {
		if h.BeforeMessage == nil {
			continue
		}
		_ = s.guarded("BeforeMessage", func() error {
			changed, err := h.BeforeMessage(ctx, m)
			if err != nil || changed == nil || reflect.ValueOf(changed).IsNil() {
				return err
			}
			same, ok := changed.(M)
			if !ok || same.Role() != m.Role() {
				return fmt.Errorf("it changed the role of a message to %q from %q", changed.Role(), m.Role())
			}
			m = same
			return nil
		})
	}
	return m
}
