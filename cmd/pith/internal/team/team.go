// Package team implements the commands under pith team: sessions on several
// machines and of several people.
package team

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/internal/sources/team"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
)

// Commands holds the commands of this package.
type Commands struct {
	*lookup.Sessions
	// Open shows a session that a reference names.
	Open func(ctx context.Context, ref string) error

	store string // connection string of the database; "" means that of the environment
}

// The redaction policies of a push.
const (
	redactOff   = "off"
	redactKnown = "known"
	redactAll   = "all"
)

// redactFlag adds the flag for the redaction of pushed sessions.
func redactFlag(cmd *cobra.Command) *flags.OneOf {
	return flags.Choice(cmd, "redact", "`SECRETS` to replace before the push: none, your own, or everything that looks like one", redactOff, redactKnown, redactAll)
}

// A link is this machine's connection to a store, for one command.
type link struct {
	*replica.Team
	app    *Commands
	db     *pgteam.Store // nil for a folder
	memory *replica.Memory
	file   string // the file of memory
	moved  func(int64)
}

// connect opens the team database as this machine.
func (a *Commands) connect(ctx context.Context, policy string) (*link, error) {
	if showsPassword(a.store) {
		a.Note("warning: other users of this machine can see a password on the command line; use PITH_STORE, a service file or ~/.pgpass")
	}
	db, err := a.dial(ctx)
	if err != nil {
		return nil, err
	}
	l, err := a.link(ctx, db, db.Person(), a.dsn(), policy)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("database user %w", err)
	}
	l.db = db
	return l, nil
}

// link returns this machine's connection to a store at an address.
func (a *Commands) link(ctx context.Context, s replica.Store, person, address, policy string) (*link, error) {
	machine, err := a.machine(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{app: a, moved: func(int64) {}, file: a.StateFile(filepath.Join("team", storeName(address)+".json"))}
	l.memory = replica.LoadMemory(l.file)
	o := replica.Options{Person: person, Machine: machine, Memory: l.memory, Force: a.Force, Now: a.Env.Now, Progress: func(n int64) { l.moved(n) }}
	if policy != redactOff {
		o.Policy, o.Redact = policy, a.redactor(policy)
	}
	l.Team, err = replica.New(s, o)
	return l, err
}

// showsPassword reports whether a connection string contains a password.
func showsPassword(dsn string) bool {
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		_, there := u.User.Password()
		return there
	}
	return strings.Contains(dsn, "password=")
}

// close saves the memory and closes the connection. A failed save only costs
// time.
func (l *link) close() {
	_ = l.save()
	if l.db != nil {
		l.db.Close()
	}
}

func (l *link) save() error {
	return l.memory.Save(context.Background(), l.file) // also after a cancellation
}

// redactor returns what redacts a session: it replaces this user's secrets in
// the session's project and, with redactAll, everything that looks like a secret.
func (a *Commands) redactor(policy string) func(path string) (func([]byte) []byte, error) {
	known := map[string]redact.Options{} // by project
	return func(path string) (func([]byte) []byte, error) {
		h, err := sessiondir.HeaderOf(path)
		if err != nil {
			return nil, err
		}
		o, again := known[h.Cwd]
		if !again {
			if o, err = a.App().Redaction(false, h.Cwd); err != nil {
				a.Note("note: %v", err)
			}
			// The lines of each push are redacted in the same way.
			slices.SortFunc(o.Secrets, func(x, y redact.Secret) int { return strings.Compare(x.Name+x.Value, y.Name+y.Value) })
			o.OnlyKnown, o.KeepSuspects = policy == redactKnown, true
			known[h.Cwd] = o
		}
		r, err := redact.New(o)
		return func(line []byte) []byte {
			out, _ := r.Line(line)
			return out
		}, err
	}
}

// local returns the session files of this machine, the newest first, without
// those of other people.
func (a *Commands) local(ctx context.Context) ([]catalog.Info, error) {
	all, err := a.List(ctx, true, true)
	return slices.DeleteFunc(all, func(i catalog.Info) bool { return i.Root == team.Name }), err
}

// fatal reports whether err would affect all other sessions too.
func fatal(err error) bool {
	if e := (*pgstore.Error)(nil); errors.As(err, &e) && e.Kind == store.ErrReadOnly {
		return true // this user has no permission, whatever the session is
	}
	return errors.Is(err, pgstore.ErrUnavailable) || errors.Is(err, pgstore.ErrBlocked) || errors.Is(err, pgstore.ErrFull) || errors.Is(err, pgstore.ErrRefused) ||
		errors.Is(err, context.Canceled)
}

// A failure is a session that was skipped.
type failure struct {
	name string
	err  error
}

// report prints which sessions failed: one failure is returned as an error,
// several are noted one by one.
func (a *Commands) report(failed []failure, done string) error {
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return explain(failed[0].err)
	}
	for _, f := range failed {
		a.Note("%s: %v", f.name, explain(f.err))
	}
	return fmt.Errorf("%d sessions were not %s", len(failed), done)
}

// chosen returns an error if the command line selects no sessions, or some and
// --all.
func chosen(refs []string, all bool) error {
	switch {
	case len(refs) == 0 && !all:
		return exit.Usagef("specify sessions or --all")
	case len(refs) > 0 && all:
		return exit.Usagef("SESSION and --all cannot be used together")
	}
	return nil
}
