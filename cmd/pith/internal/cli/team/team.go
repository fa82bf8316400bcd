// Package team is the commands for sessions on many machines: push, pull, sync, team.
package team

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
)

// Commands are the commands of this package.
type Commands struct{ *lookup.Sessions }

// connectFlags say how sessions are kept in the store.
type connectFlags struct {
	key    string
	redact *flags.OneOf
}

// The policies by which secrets are replaced at push.
const (
	redactOff   = "off"
	redactKnown = "known"
	redactAll   = "all"
)

func (f *connectFlags) add(cmd *cobra.Command, pushes bool) {
	cmd.Flags().StringVar(&f.key, "key", "", "encrypt and decrypt with the age keys in `FILE` (or PITH_STORE_KEY)")
	_ = cmd.MarkFlagFilename("key") // the flag was just made
	if pushes {
		f.redact = flags.Choice(cmd, "redact", "secrets to replace in what is pushed (none, those that this user has, or also what looks like one)", redactOff, redactKnown, redactAll)
	}
}

// A link is this machine's connection to the store, for one command.
type link struct {
	*replica.Team
	app    *Commands
	store  *pgteam.Store
	memory *replica.Memory
	file   string // of the memory
	moved  func(int64)
}

// connect opens the store as this machine.
func (a *Commands) connect(ctx context.Context, f connectFlags) (*link, error) {
	machine, err := a.Machine(ctx)
	if err != nil {
		return nil, err
	}
	key, err := a.StoreKey(f.key)
	if err != nil {
		return nil, err
	}
	if showsPassword(a.Store) {
		a.Note("note: other users of this machine can see a password on a command line; PITH_STORE, a service file or ~/.pgpass hide it")
	}
	s, err := a.ConnectTeam(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{app: a, store: s, memory: &replica.Memory{}, moved: func(int64) {}}
	if l.file = a.MemoryFile(); l.file != "" {
		l.memory = replica.LoadMemory(l.file)
	}
	o := replica.Options{Person: s.Person(), Machine: machine, Key: key, Memory: l.memory, Force: a.Force, Now: a.Env.Now,
		Progress: func(n int64) { l.moved(n) }}
	if f.redact != nil && f.redact.Value != redactOff {
		o.Policy, o.Redact = f.redact.Value, a.redactor(f.redact.Value)
	}
	if l.Team, err = replica.New(s, o); err != nil {
		s.Close()
		return nil, fmt.Errorf("the database's user %w", err)
	}
	return l, nil
}

// showsPassword reports whether a connection string holds a password.
func showsPassword(dsn string) bool {
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		_, there := u.User.Password()
		return there
	}
	return strings.Contains(dsn, "password=")
}

// close keeps what was learnt. What cannot be kept costs time alone.
func (l *link) close() {
	_ = l.save()
	l.store.Close()
}

func (l *link) save() error {
	ctx := context.Background() // also what was learnt before the work was called off
	if l.file == "" {
		return nil
	}
	return l.memory.Save(ctx, l.file)
}

// lineRedactor is a redactor of one session's lines.
type lineRedactor struct{ *redact.Redactor }

func (r lineRedactor) Redact(line []byte) []byte {
	out, _ := r.Line(line)
	return out
}

// redactor makes what replaces secrets by a policy: those that this user has in the
// session's project, and by redactAll what looks like one.
func (a *Commands) redactor(policy string) func(path string) (replica.Redactor, error) {
	known := map[string][]redact.Secret{} // by project
	return func(path string) (replica.Redactor, error) {
		h, err := sessiondir.HeaderOf(path)
		if err != nil {
			return nil, err
		}
		secrets, again := known[h.Cwd]
		if !again {
			secrets = a.secrets(h.Cwd)
			known[h.Cwd] = secrets
		}
		r, err := redact.New(redact.Options{Secrets: secrets, OnlyKnown: policy == redactKnown})
		return lineRedactor{r}, err
	}
}

// secrets are those that this user has in a project, in an order that is always the same.
func (a *Commands) secrets(project string) []redact.Secret {
	from := redact.Sources{AgentDir: a.Environment().AgentDir(), Environ: os.Environ()}
	if filepath.IsAbs(project) {
		from.Projects = []string{project}
	}
	secrets, err := redact.Collect(from)
	if err != nil {
		a.Note("note: %v", err)
	}
	slices.SortFunc(secrets, func(x, y redact.Secret) int { return strings.Compare(x.Name+x.Value, y.Name+y.Value) })
	return secrets
}

// local are all session files of this machine, the newest first.
func (a *Commands) local(ctx context.Context) ([]catalog.Info, error) { return a.List(ctx, true, true) }

// fatal reports errors after which going on with other sessions is of no use.
func fatal(err error) bool {
	if e := (*pgstore.Error)(nil); errors.As(err, &e) && e.Kind == store.ErrReadOnly {
		return true // this user has no rights, whatever the session is
	}
	return errors.Is(err, pgstore.ErrUnavailable) || errors.Is(err, pgstore.ErrBlocked) || errors.Is(err, pgstore.ErrFull) || errors.Is(err, pgstore.ErrRefused) ||
		errors.Is(err, context.Canceled)
}

// A failure is a session that was passed over.
type failure struct {
	name string
	err  error
}

// report says which sessions failed: one error for one, a note for each of several.
func (a *Commands) report(failed []failure, done string) error {
	switch len(failed) {
	case 0:
		return nil
	case 1:
		return lookup.ExplainStore(failed[0].err)
	}
	for _, f := range failed {
		a.Note("%s: %v", f.name, lookup.ExplainStore(f.err))
	}
	return fmt.Errorf("%d sessions were not %s; the others were", len(failed), done)
}

// chosen refuses a command line that names no sessions, or some and all.
func chosen(refs []string, all bool) error {
	switch {
	case len(refs) == 0 && !all:
		return exit.Usagef("which sessions? name some, or give --all")
	case len(refs) > 0 && all:
		return exit.Usagef("--all takes all sessions; name none")
	}
	return nil
}
