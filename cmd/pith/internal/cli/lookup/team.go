package lookup

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
)

// Environment variables that configure the team database.
const (
	storeVariable   = "PITH_STORE"
	keyVariable     = "PITH_STORE_KEY"
	machineVariable = "PITH_MACHINE"
)

// StoreDSN returns the connection string of the team database; "" if there is
// none.
func (a *Places) StoreDSN() string { return cmp.Or(a.Store, a.Env.Getenv(storeVariable)) }

// StoreName returns the name of a team database in local files. It depends on
// the database and the user, not on the password.
func StoreName(dsn string) string {
	text := dsn
	if c, err := pgx.ParseConfig(dsn); err == nil {
		text = fmt.Sprintf("%s %d %s %s", c.Host, c.Port, c.Database, c.User)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// MemoryFile returns the path of the file that records this machine's pushes
// and pulls; "" if there is no directory for it.
func (a *Places) MemoryFile() string { return a.memoryFile(StoreName(a.StoreDSN())) }

func (a *Places) memoryFile(store string) string {
	return a.StateFile(filepath.Join("team", store+".json"))
}

// patience is how long a command tries to reach the team database.
const patience = 3 * time.Second

// ErrNoStore means that no team database is configured.
var ErrNoStore = exit.Usagef("no team database configured; pass --store or set %s", storeVariable)

// ConnectTeam opens the team database. Its errors explain what to do.
func (a *Sessions) ConnectTeam(ctx context.Context) (*pgteam.Store, error) {
	dsn := a.StoreDSN()
	if dsn == "" {
		return nil, ErrNoStore
	}
	s, err := pgteam.Connect(ctx, dsn, pgstore.Options{Patience: patience})
	return s, ExplainStore(err)
}

// ExplainStore adds what to do to an error of the team database.
func ExplainStore(err error) error {
	var behind *replica.BehindError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &behind):
		return exit.Conflictf("%w; run pith pull %s first, or overwrite the copy with pith push --replace", behind, behind.Replica.Session)
	case errors.Is(err, replica.ErrBroken):
		return fmt.Errorf("%w; nothing was pulled. Ask the operator of the database, or run pith push --replace on the machine that wrote it", err)
	case errors.Is(err, pgstore.ErrBadDSN):
		return exit.AsUsage(err)
	case errors.Is(err, pgschema.ErrOlder):
		return fmt.Errorf("the database has no pith tables, or old ones; its owner must run pith team init (%w)", err)
	case errors.Is(err, pgschema.ErrNewer):
		return fmt.Errorf("the tables are from a newer pith; upgrade pith (%w)", err)
	case errors.Is(err, pgschema.ErrForeign):
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

// Machine returns the name of this machine in the team database. The name is
// unique and never changes.
func (a *Places) Machine(ctx context.Context) (string, error) {
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
		host = strings.Map(func(r rune) rune {
			if replica.ValidName("x" + string(r)) {
				return r
			}
			return -1
		}, host)
		name = strings.TrimLeft(host[:min(len(host), 40)]+"-"+hex.EncodeToString(random), "-")
		return filestore.WriteFile(file, []byte(name+"\n"))
	})
	return name, err
}

// StoreKey reads the key that encrypts pushed sessions from the file that the
// flag or the environment names. It returns nil if there is none.
func (a *Places) StoreKey(file string) (*replica.Key, error) {
	if file = cmp.Or(file, a.Env.Getenv(keyVariable)); file == "" {
		return nil, nil
	}
	path, err := a.Directory(file)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	key, err := replica.ReadKey(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// A team is the local mirror of a team database for commands that read.
type team struct {
	mirror   *replica.Mirror
	memory   *replica.Memory
	machines func() map[string][]string // by file, as of the start of the command
	facts    *teamFacts                 // nil if the mirror holds all sessions
}

// UseTeam makes this run read the team's sessions from a local mirror, which it
// refreshes first. If the database cannot be reached, it prints a note and uses
// the mirror as it is.
func (a *Sessions) UseTeam(ctx context.Context) error {
	file, err := a.openMirror()
	if err != nil {
		return err
	}
	return a.refreshTeam(ctx, file)
}

// openMirror makes this run read the mirror, and returns the file of its
// memory.
func (a *Sessions) openMirror() (string, error) {
	cache, err := a.NeedCacheDir()
	if err != nil {
		return "", err
	}
	if a.SessionDir != "" && a.team == nil {
		return "", exit.Usagef("--session-dir and --store cannot be used together")
	}
	base := filepath.Join(cache, "team", StoreName(a.StoreDSN()))
	file := filepath.Join(base, "memory.json")
	t := &team{mirror: &replica.Mirror{Dir: filepath.Join(base, "sessions")}, memory: replica.LoadMemory(file)}
	t.machines = sync.OnceValue(func() map[string][]string { return t.mirror.Machines(t.memory) })
	a.team = t
	a.SessionDir, a.mirror = a.team.mirror.Dir, a.team.mirror.Dir
	return file, nil
}

// away prints a note instead of returning err if the database cannot be reached
// and there is a local copy, whose file has the time of the last refresh.
func (a *Sessions) away(err error, file string) error {
	if !errors.Is(err, pgstore.ErrUnavailable) && !errors.Is(err, pgstore.ErrBlocked) {
		return err
	}
	info, serr := os.Stat(file)
	if serr != nil {
		return err
	}
	a.Note("note: %v; showing a copy from %s ago", err, humanize.Age(a.Env.Now().Sub(info.ModTime())))
	return nil
}

// refreshTeam refreshes the mirror, whose memory is in a file.
func (a *Sessions) refreshTeam(ctx context.Context, file string) error {
	err := a.refreshing(func(progress func(int64)) error { return a.readTeam(ctx, a.team, file, progress) })
	return a.away(err, file)
}

// refreshing runs a refresh of the mirror with a progress bar, and notes which
// sessions it could not read.
func (a *Sessions) refreshing(refresh func(progress func(int64)) error) error {
	bar := a.Progress("reading team sessions")
	moved := int64(0)
	err := refresh(func(n int64) {
		moved += n
		bar.At(moved, moved+1, humanize.Bytes)
	})
	bar.Done()
	if n := len(a.team.mirror.Passed); n > 0 && err == nil {
		for _, why := range a.team.mirror.Passed {
			a.NoteLater("note: %s could not be read: %v", humanize.Count(n, "session"), why)
			break
		}
	}
	if n := a.team.mirror.Unverified; n > 0 && err == nil {
		a.NoteLater("%s", UnverifiedNote(n))
	}
	return err
}

// UnverifiedNote explains what unverified copies mean.
func UnverifiedNote(n int) string {
	return fmt.Sprintf("note: cannot verify that %s are complete and in order; run pith push on the machine that wrote them",
		humanize.Count(n, "encrypted copy"))
}

// readTeam refreshes a mirror.
func (a *Sessions) readTeam(ctx context.Context, t *team, file string, progress func(int64)) error {
	s, err := a.ConnectTeam(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	key, err := a.StoreKey("")
	if err != nil {
		return err
	}
	return t.read(ctx, s, key, file, progress, func(r *replica.Team) error { return t.mirror.Refresh(ctx, r, "") })
}

// read runs a refresh of the mirror from an open store.
func (t *team) read(ctx context.Context, s *pgteam.Store, key *replica.Key, file string, progress func(int64), refresh func(*replica.Team) error) error {
	r, err := replica.New(s, replica.Options{Key: key, Memory: t.memory, Force: true, Progress: progress,
		Local: filestore.New(filestore.Options{})}) // a cache does not need to be synced to disk
	if err != nil {
		return err
	}
	err = refresh(r)
	if serr := t.memory.Save(ctx, file); err == nil {
		err = serr
	}
	return ExplainStore(err)
}

// FollowEvery is how often a long-running command checks the team database.
const FollowEvery = 5 * time.Second

// FollowTeam refreshes the mirror until ctx ends, for a long-running command.
// While the database is unreachable the mirror stays as it is. FollowTeam calls
// report once when the connection is lost and once when it is back.
func (a *Sessions) FollowTeam(ctx context.Context, every time.Duration, report func(text string, away bool)) {
	dir := a.team.mirror.Dir
	file := filepath.Join(filepath.Dir(dir), "memory.json")
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		// A separate memory: the command reads the other one.
		err := a.readTeam(ctx, &team{mirror: &replica.Mirror{Dir: dir}, memory: replica.LoadMemory(file)}, file, nil)
		switch gone := err != nil && ctx.Err() == nil; {
		case gone && !away:
			report(err.Error()+"; showing the last copy", true)
		case !gone && away:
			report("connected to the team database again", false)
		}
		away = err != nil
	}
}

// Whose returns the owner of a session file and the machines that pushed it; ""
// without a team database.
func (a *Sessions) Whose(path string) (person string, machines []string) {
	if a.team == nil {
		return "", nil
	}
	return a.team.mirror.Person(path), a.team.machines()[path]
}

// Who formats the result of Whose for people: person@machines.
func (a *Sessions) Who(path string) string {
	person, machines := a.Whose(path)
	if person == "" {
		return ""
	}
	return person + "@" + strings.Join(machines, ",")
}

// TeamWho returns Who, or nil if this run does not read a team database.
func (a *Sessions) TeamWho() func(path string) string {
	if !a.InTeam() {
		return nil
	}
	return a.Who
}

// ofPerson parses PERSON/SESSION, which names a session of one person of the
// team, since several people can have the same one. It returns the session part
// and the options to find it.
func (t *team) ofPerson(ref string, o catalog.Options) (string, catalog.Options) {
	if person, rest, cut := strings.Cut(ref, "/"); t != nil && cut && rest != "" && replica.ValidName(person) {
		if dir := t.mirror.Folder(person); isFolder(dir) {
			o.Dir = dir
			return rest, o
		}
	}
	return ref, o
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// Shared returns the sessions that this machine has pushed to a team database,
// and those that it has pushed or pulled. Only pushed sessions are this
// person's own.
func (a *Places) Shared() (pushed, moved map[string]bool) {
	pushed, moved = map[string]bool{}, map[string]bool{}
	dir := filepath.Dir(a.memoryFile("")) // one file for each database
	files, err := os.ReadDir(dir)
	if err != nil {
		return pushed, moved // nothing was ever pushed or pulled
	}
	for _, file := range files {
		m := replica.LoadMemory(filepath.Join(dir, file.Name()))
		maps.Copy(moved, m.Had())
		for _, g := range m.Pushes {
			pushed[g.Session] = true
		}
	}
	return pushed, moved
}

// InTeam reports whether this run reads a team database.
func (a *Sessions) InTeam() bool { return a.team != nil }
