package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/internal/settings"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/pgstore"
)

// Environment variables that configure the team database.
const (
	storeVariable   = "PITH_STORE"
	machineVariable = "PITH_MACHINE"
)

// dsn returns the connection string of the team database, or a directory to
// sync with; "" if there is none.
func (a *Commands) dsn() string {
	if dsn := cmp.Or(a.store, a.Env.Getenv(storeVariable)); dsn != "" {
		return dsn
	}
	env := a.Environment()
	return settings.Read(settings.Where{Getenv: env.Getenv, Home: env.HomeDir(), AgentDir: env.AgentDir()}).Store
}

// storeName returns the name of a store in local files. That of a database
// depends on the database and the user, not on the password.
func storeName(address string) string {
	text := address
	if c, err := pgx.ParseConfig(address); !filepath.IsAbs(address) && err == nil {
		text = fmt.Sprintf("%s %d %s %s", c.Host, c.Port, c.Database, c.User)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// patience is how long a command tries to reach the team database.
const patience = 3 * time.Second

// errNoStore means that no team database is configured.
var errNoStore = exit.Usagef("no team database configured; pass --store, or set %s or store in pith's settings", storeVariable)

// dial opens the team database. Its errors explain what to do.
func (a *Commands) dial(ctx context.Context) (*pgteam.Store, error) {
	dsn := a.dsn()
	if dsn == "" {
		return nil, errNoStore
	}
	s, err := pgteam.Connect(ctx, dsn, pgstore.Options{Patience: patience})
	return s, explain(err)
}

// explain adds what to do to an error of the team database.
func explain(err error) error {
	var behind *replica.BehindError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &behind):
		return exit.Conflictf("%w; run pith team pull %s first, or overwrite the copy with pith team push --replace", behind, behind.Copy.Session)
	case errors.Is(err, pgstore.ErrBadDSN):
		return exit.AsUsage(err)
	case errors.Is(err, pgstore.ErrOlder):
		return fmt.Errorf("the database has no pith tables, or old ones; its owner must run pith team init (%w)", err)
	case errors.Is(err, pgstore.ErrNewer):
		return fmt.Errorf("the tables are from a newer pith; upgrade pith (%w)", err)
	case errors.Is(err, pgstore.ErrForeign):
		return fmt.Errorf("%w, who could change the tables; the database owner must drop it or take it over first", err)
	case errors.Is(err, pgstore.ErrBlocked):
		return brief{fmt.Errorf("the tables are locked: %s; nothing was lost, try again later", firstCause(err)), err}
	case errors.Is(err, pgstore.ErrUnavailable):
		return brief{fmt.Errorf("cannot connect to the team database: %s; nothing was lost, try again later", firstCause(err)), err}
	case errors.Is(err, pgstore.ErrRefused):
		return brief{fmt.Errorf("the team database refused the connection: %s; check user, password and database", firstCause(err)), err}
	case errors.Is(err, pgstore.ErrFull):
		return fmt.Errorf("%w; nothing was lost, try again later", err)
	case errors.Is(err, store.ErrReadOnly):
		return brief{fmt.Errorf("permission denied in the team database: %s; its owner must run pith team init and add you to the members", firstCause(err)), err}
	}
	return err
}

// brief is a shorter message for an error that it wraps.
type brief struct {
	error
	whole error
}

func (b brief) Unwrap() error { return b.whole }

// firstCause returns the first of the causes that the driver lists, one per
// line: it tries every address with and without encryption.
func firstCause(err error) string {
	text := err.Error()
	if e := (*pgstore.Error)(nil); errors.As(err, &e) && e.Err != nil {
		text = e.Err.Error() // the message already has the kind
	}
	if _, causes, found := strings.Cut(text, "\n"); found {
		text = causes
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return text
}

// unnamable matches what the name of a machine cannot contain.
var unnamable = regexp.MustCompile(`[^A-Za-z0-9_@+-]`)

// machine returns the name of this machine in the team database. The name is
// unique and never changes.
func (a *Commands) machine(ctx context.Context) (string, error) {
	if name := a.Env.Getenv(machineVariable); name != "" {
		if !replica.ValidName(name) {
			return "", exit.Usagef("%s=%q: %w", machineVariable, name, replica.ErrName)
		}
		return name, nil
	}
	dir, err := a.StateDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "machine")
	var name string
	err = filestore.WithDirLock(ctx, dir, func() error {
		data, err := os.ReadFile(file)
		if name = strings.TrimSpace(string(data)); err == nil && replica.ValidName(name) {
			return nil
		}
		random := make([]byte, 3)
		_, _ = rand.Read(random) // never fails
		host, _ := os.Hostname() // for people only
		host, _, _ = strings.Cut(host, ".")
		host = unnamable.ReplaceAllString(host, "")
		name = strings.TrimLeft(host[:min(len(host), 40)]+"-"+hex.EncodeToString(random), "-")
		return filestore.WriteFile(file, []byte(name+"\n"))
	})
	return name, err
}
