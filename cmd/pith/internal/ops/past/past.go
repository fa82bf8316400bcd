// Package past gives an agent access to earlier sessions: those of its scope, with
// secrets redacted, and without the session it is in.
//
// # Invariants
//
//	P1  Matches, their order and their number depend on redacted text only.
//	P2  No result has a session outside of the scope. The calling session is not
//	    found and not listed; it is opened only if it is named.
package past

import (
	"context"
	"sync"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/redact"
)

// Options choose the sessions that an agent can see.
type Options struct {
	App ops.App
	// Project restricts them to the sessions of a directory; "" means all.
	Project string
	// Whole disables redaction.
	Whole bool
	// Asking is the calling session, by ID or file; "" if it is not known.
	Asking string
}

// A Past answers questions about earlier sessions. It is safe for concurrent use.
type Past struct {
	opt     Options
	app     *ops.App
	started time.Time
	list    *catalog.LiveList
	guard   Guard
	filling sync.Mutex // held while the index is built
	work    sync.WaitGroup
	end     context.Context // ends background work

	mu   sync.Mutex // guards what follows
	last *Library   // nil before the first
}

// Open returns the past and starts to list its sessions, so that the first question
// need not wait. Background work ends with ctx; Wait waits for it.
func Open(ctx context.Context, o Options) *Past {
	p := newPast(ctx, o)
	p.work.Go(p.prepare)
	return p
}

func newPast(ctx context.Context, o Options) *Past {
	app := o.App
	app.Working = nil
	if app.Now == nil {
		app.Now = time.Now
	}
	if app.Index != nil {
		app.Index = sync.OnceValue(app.Index)
	}
	if app.Words != nil {
		app.Words = sync.OnceValue(app.Words)
	}
	p := &Past{opt: o, app: &app, started: app.Now(), end: ctx}
	p.guard.whole, p.guard.secrets = o.Whole, app.Secrets
	seen := app.Listing()
	seen.IncludeInternal = true
	p.list = catalog.Watch(o.Project, seen)
	return p
}

// Wait waits until the background work has ended.
func (p *Past) Wait() { p.work.Wait() }

// Project returns the directory to whose sessions the past is restricted; "" if it has
// all.
func (p *Past) Project() string { return p.opt.Project }

// Guard returns the guard that prepares recorded text for answers.
func (p *Past) Guard() *Guard { return &p.guard }

func (p *Past) prepare() {
	var loading sync.WaitGroup
	loading.Go(func() { redact.Builtin() }) // the guard needs the rules after the list
	_, _ = p.Library(p.end)                 // the first question reports the error
	loading.Wait()
}

// words returns the word index; nil if there is none.
func (p *Past) words() *search.Index {
	if p.app.Words == nil {
		return nil
	}
	return p.app.Words()
}

// fill updates the index in the background, in at most one goroutine.
func (p *Past) fill() {
	words := p.words()
	if words == nil || !p.filling.TryLock() {
		return
	}
	p.work.Go(func() {
		defer p.filling.Unlock()
		_ = words.Fill(p.end, search.Build{Catalog: p.app.Listing()}) // answers do not depend on it
	})
}
