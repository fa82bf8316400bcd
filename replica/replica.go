// Package replica keeps the same sessions on many machines, through a shared
// store.
//
// A replica is one machine's copy of a session: a log in the store that only
// this machine writes. Push appends the additional bytes of a file to the log;
// Pull appends the additional entries of the logs to a file. A session is a
// growing set of lines, so copies merge without conflicts, except for two
// entries with the same id and different bytes: then the other copy becomes a
// fork.
//
// The package does not check permissions; the store decides what it shows and
// to whom.
//
// # Invariants
//
//	RE1  A log holds the bytes of its file, redacted if the push says so, or a
//	     prefix of them.
//	RE2  An interrupted push or pull leaves every log and file whole, and the next
//	     one continues it.
//	RE3  A push never replaces entries that the file lacks: see [BehindError].
//	RE4  A pull only appends. A session that exists on both sides keeps this side's
//	     header, and its leaf unless the new entries continue from it.
//	RE5  Clocks order nothing but two names of one session or two labels of one entry.
//	RE6  Names from the store are not trusted: none becomes a path.
//	RE7  Nothing is read from an encrypted log that was modified since it was written.
//	RE8  Entries of another person are not appended to this person's session unless
//	     [PullOptions] says so.
//	RE9  The records of a redacted session are redacted too.
//
// Stability: outside the core. Its exported names may still change.
package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Store stores replicas. Package memstore has one in memory, package pgteam
// one in PostgreSQL.
type Store interface {
	store.Store
	store.Lister
	store.Remover
}

// A Preparer is a Store that answers what a push asks with one request.
type Preparer interface {
	Store
	// Prepare makes the store answer from one request what follows: List of the
	// prefix, and Open of the names and of logs with the prefix. Each answer is
	// given once, unless forget was called.
	Prepare(ctx context.Context, prefix string, names ...string) (forget func(), err error)
}

var (
	// ErrName means that the name of a person, machine or session is invalid:
	// see [ValidName].
	ErrName = errors.New("a name can contain only letters, digits and . _ @ + -")
	// ErrDeleted means that a session was deleted for all machines of its
	// person.
	ErrDeleted = errors.New("the session was deleted for all machines")
	// ErrNoReplica means that the store shows no copy of a session.
	ErrNoReplica = errors.New("no such session in the team database")
	// ErrSealed means that a copy is encrypted for another key.
	ErrSealed = errors.New("the session is encrypted, and there is no key for it")
	// ErrHeld means that the program that owns a session seems to have it open
	// and would lose its own entries after an append.
	ErrHeld = errors.New("its agent has the session open")
	// ErrSecretID means that the id of a session would be redacted. The id is
	// part of log names, so the session cannot be pushed.
	ErrSecretID = errors.New("the session ID contains a secret")
	// ErrBroken means that an encrypted log was modified, truncated or
	// reordered without the key.
	ErrBroken = errors.New("the log was altered")
)

// A BehindError means that the store has more of a session than the file to be
// pushed, for instance because an older version of the file was restored from a
// backup. Nothing was written. A pull gets the rest.
type BehindError struct {
	Path    string
	Replica Replica
	Missing int // entries that the file lacks; 0 if only bytes were compared
}

func (e *BehindError) Error() string {
	if e.Missing > 0 {
		return fmt.Sprintf("%s lacks %d entries that the team database has", e.Path, e.Missing)
	}
	return fmt.Sprintf("%s is shorter than its copy in the team database", e.Path)
}

// Options configure a Team. Person and Machine are required to push.
type Options struct {
	Person, Machine string
	// Redact returns the redactor for one session, given the path of its file.
	// Nil means that sessions are pushed unredacted.
	Redact func(path string) (Redactor, error)
	// Policy is the name of Redact's policy; it is recorded with each copy.
	Policy string
	// Key encrypts pushed copies and decrypts pulled ones. Nil means no
	// encryption.
	Key *Key
	// Memory holds the records of earlier runs; nil means none.
	Memory *Memory
	// Local is the store of the session files. Nil means the file system.
	Local store.Store
	// Force allows appends to files that their own programs have open.
	Force bool
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Progress is called with the number of bytes just transferred.
	Progress func(bytes int64)
}

// A Redactor replaces secrets in a line. Its result may depend only on the line
// and the lines before.
type Redactor interface {
	Redact(line []byte) []byte
}

// A Team gives access to the copies of sessions in a store. It is not safe for
// concurrent use.
type Team struct {
	store Store
	Options
	journals map[string]*journal // by the names of their logs
}

// owner is one machine of a person.
type owner struct{ person, machine string }

// New returns a Team for a store.
func New(s Store, o Options) (*Team, error) {
	for _, name := range []string{o.Person, o.Machine} {
		if name != "" && !ValidName(name) {
			return nil, fmt.Errorf("%q: %w", name, ErrName)
		}
	}
	if o.Local == nil {
		o.Local = filestore.New(filestore.Options{Sync: filestore.SyncAlways})
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(int64) {}
	}
	if o.Memory == nil {
		o.Memory = &Memory{}
	}
	return &Team{store: s, Options: o, journals: map[string]*journal{}}, nil
}

// ValidName reports whether a name is valid for a person, machine or session.
// Such names become parts of log and file names, so they have no separators and
// are not "..".
func ValidName(name string) bool {
	if name == "" || len(name) > 100 || strings.Trim(name, ".") == "" || name[0] == '-' {
		return false
	}
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case strings.ContainsRune("._@+-", r):
		default:
			return false
		}
	}
	return true
}

// A Replica is one machine's copy of a session.
type Replica struct {
	Person, Machine, Session string
	// Generation starts at 1 and increases each time the file is rewritten.
	Generation int
	// Size is the size of the log.
	Size int64
	// Sealed is set if it is encrypted.
	Sealed bool
	// Unbound is set if it was encrypted by a version of pith that did not bind
	// its parts to their positions, so that modifications of the log cannot be
	// detected.
	Unbound bool
}

const (
	// journalName and tombName replace a session or machine in log names. Valid
	// names do not start with a hyphen.
	journalName = "-journal"
	tombName    = "-deleted"
)

func (r Replica) String() string { return r.Person + "/" + r.Machine + "/" + r.Session }

func (r Replica) owner() owner { return owner{r.Person, r.Machine} }

// Log returns the name of the replica's log.
func (r Replica) Log() string {
	return fmt.Sprintf("/%s/%s/%s/%d%s", r.Person, r.Machine, r.Session, r.Generation, r.mark())
}

// mark returns the suffix of the replica's log and journal.
func (r Replica) mark() string {
	switch {
	case r.Unbound:
		return unboundMark
	case r.Sealed:
		return sealedMark
	}
	return ""
}

// parse returns the replica whose log has that name.
func parse(info store.Info) (Replica, bool) {
	parts := strings.Split(info.Name, "/")
	if len(parts) != 5 || parts[0] != "" || !ValidName(parts[1]) || !ValidName(parts[2]) || !ValidName(parts[3]) {
		return Replica{}, false
	}
	number, bound := strings.CutSuffix(parts[4], sealedMark)
	number, unbound := strings.CutSuffix(number, unboundMark)
	generation, err := strconv.Atoi(number)
	if err != nil || generation < 1 || strconv.Itoa(generation) != number || bound && unbound {
		return Replica{}, false
	}
	return Replica{parts[1], parts[2], parts[3], generation, info.Size, bound || unbound, unbound}, true
}

func tomb(person, session string) string { return fmt.Sprintf("/%s/%s/%s", person, tombName, session) }

// A Listing holds the copies that the store shows.
type Listing struct {
	// Replicas are the newest generation of each copy, sorted by person,
	// session and machine.
	Replicas []Replica
	// Old are the previous generations.
	Old []Replica
	// Deleted holds, for each person, the sessions that are deleted for all
	// machines.
	Deleted map[string]map[string]bool
}

// List lists the copies of a person's sessions, or those of all people for "".
func (t *Team) List(ctx context.Context, person string) (*Listing, error) {
	prefix := "/"
	if person != "" {
		if !ValidName(person) {
			return nil, fmt.Errorf("%q: %w", person, ErrName)
		}
		prefix += person + "/"
	}
	return t.list(ctx, prefix)
}

func (t *Team) list(ctx context.Context, prefix string) (*Listing, error) {
	var all []store.Info
	for info, err := range t.store.List(ctx, prefix) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		all = append(all, info)
	}
	return NewListing(all), nil
}

// NewListing returns the copies in a list of logs.
func NewListing(logs []store.Info) *Listing {
	all := make([]Replica, 0, len(logs))
	l := &Listing{Deleted: map[string]map[string]bool{}}
	for _, info := range logs {
		parts := strings.Split(info.Name, "/")
		if len(parts) == 4 && parts[2] == tombName {
			if l.Deleted[parts[1]] == nil {
				l.Deleted[parts[1]] = map[string]bool{}
			}
			l.Deleted[parts[1]][parts[3]] = true
		} else if r, ok := parse(info); ok && info.Size > 0 {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Replica) int {
		return cmp.Or(cmp.Compare(a.Person, b.Person), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Machine, b.Machine),
			cmp.Compare(b.Generation, a.Generation))
	})
	for i, r := range all {
		if i > 0 && all[i-1].Session == r.Session && all[i-1].owner() == r.owner() {
			l.Old = append(l.Old, r)
			continue
		}
		l.Replicas = append(l.Replicas, r)
	}
	return l
}

// Sessions groups the replicas by person and session. It omits deleted
// sessions.
func (l *Listing) Sessions() (groups [][]Replica) {
	for i, r := range l.Replicas {
		if l.Deleted[r.Person][r.Session] {
			continue
		}
		start := i
		if n := len(groups) - 1; n >= 0 && groups[n][0].Person == r.Person && groups[n][0].Session == r.Session {
			start -= len(groups[n])
			groups = groups[:n]
		}
		groups = append(groups, l.Replicas[start:i+1:i+1])
	}
	return groups
}

// Delete marks a session of this person as deleted: no machine pushes or pulls
// it from then on. Its bytes remain until they are purged.
func (t *Team) Delete(ctx context.Context, session string) error {
	if !ValidName(session) {
		return fmt.Errorf("%q: %w", session, ErrName)
	}
	l, err := t.store.Create(ctx, tomb(t.Person, session), store.Bytes([]byte(t.Now().UTC().Format(time.RFC3339)+" "+t.Machine+"\n")))
	if errors.Is(err, store.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return l.Close()
}

// Undelete removes the mark of a deleted session.
func (t *Team) Undelete(ctx context.Context, session string) error {
	if !ValidName(session) {
		return fmt.Errorf("%q: %w", session, ErrName)
	}
	return t.store.Remove(ctx, tomb(t.Person, session))
}

// Purge deletes copies and their records. Copies that no longer exist are
// ignored.
func (t *Team) Purge(ctx context.Context, copies ...Replica) error {
	journals := map[*journal][]Replica{}
	for _, r := range copies {
		if err := t.store.Remove(ctx, r.Log()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		j, err := t.journalOf(ctx, r, r.mark())
		if errors.Is(err, ErrBroken) {
			continue
		}
		if err != nil {
			return err
		}
		journals[j] = append(journals[j], r)
	}
	for j, gone := range journals {
		if err := t.forget(ctx, j, gone); err != nil {
			return err
		}
	}
	return nil
}
