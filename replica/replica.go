// Package replica keeps the same sessions on many machines, through a shared
// store.
//
// A copy is what one machine has of a session: a log in the store that only
// this machine writes. Push appends the additional lines of a file to the log;
// Pull appends the additional entries of logs to a file. A session is a growing
// set of lines, so copies merge without conflicts, except for two entries with
// the same id and different bytes: then the other copy becomes a fork.
//
// The package does not check permissions; the store decides what it shows and
// to whom.
//
// # Invariants
//
//	RE1  A log holds the whole lines of its file, redacted if the push says so,
//	     or a prefix of them.
//	RE2  An interrupted push or pull leaves every log and file whole, and the next
//	     one continues it.
//	RE3  A push never replaces entries that the file lacks: see [BehindError].
//	RE4  A pull only appends. A session that exists on both sides keeps this side's
//	     header, and its leaf unless the new entries continue from it.
//	RE5  Clocks order nothing but two names of one session or two labels of one entry.
//	RE6  Names from the store are not trusted: none becomes a path.
//	RE7  A pull reads a copy only as far as its machine described it, and uses
//	     nothing if the bytes are others.
//	RE8  What describes a redacted copy is redacted too.
//
// Stability: outside the core. Its exported names may still change.
package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Store stores copies of sessions. A [Folder] has those of one person's
// machines in files; package pgteam has those of a team in PostgreSQL.
type Store interface {
	// List lists the copies of a person's session that the store shows. An
	// empty person or session means all.
	List(ctx context.Context, person, session string) (*Listing, error)
	// Open opens the bytes of a copy for reading. They may change while they are
	// read.
	Open(ctx context.Context, c Copy) (Bytes, error)
	// Append adds bytes to the log of a copy of this machine if it is at bytes
	// long; 0 creates it. Otherwise the error matches store.ErrConflict, and
	// nothing is written.
	Append(ctx context.Context, c Copy, at int64, p []byte) error
	// Describe replaces the description of a copy of this machine, of which from
	// bytes were described before. If there were others, the error matches
	// store.ErrConflict.
	Describe(ctx context.Context, c Copy, from int64, d Description) error
	// Describes reports whether the store uses all of a Description, and not
	// only About.
	Describes() bool
}

// Bytes are the bytes of a copy.
type Bytes interface {
	io.ReaderAt
	io.Closer
}

var (
	// ErrName means that the name of a person, machine or session is invalid:
	// see [ValidName].
	ErrName = errors.New("a name can contain only letters, digits and . _ @ + -")
	// ErrDeleted means that a session was deleted for all machines of its
	// person.
	ErrDeleted = errors.New("the session was deleted for all machines")
	// ErrNoCopy means that the store shows no copy of a session.
	ErrNoCopy = errors.New("no such session in the store")
	// ErrHeld means that the program that owns a session seems to have it open
	// and would lose its own entries after an append.
	ErrHeld = errors.New("its agent has the session open")
	// ErrSecretID means that the id of a session would be redacted. The id
	// names the copy, so the session cannot be pushed.
	ErrSecretID = errors.New("the session ID contains a secret")
	// ErrIncomplete means that a store does not have all bytes of a copy yet,
	// or has others than its machine wrote.
	ErrIncomplete = errors.New("the copy is not complete yet")
)

// A BehindError means that the store has more of a session than the file to be
// pushed, for instance because an older version of the file was restored from a
// backup. Nothing was written. A pull gets the rest.
type BehindError struct {
	Path    string
	Copy    Copy
	Missing int // entries that the file lacks
}

func (e *BehindError) Error() string {
	return fmt.Sprintf("%s lacks %d entries that its copy has", e.Path, e.Missing)
}

// Options configure a Team.
type Options struct {
	// Person and Machine say whose copies Push writes. The person of a Folder
	// is "".
	Person, Machine string
	// Redact returns a function that replaces secrets in the lines of one
	// session, given the path of its file. The result for a line may depend only
	// on it and the lines before. Nil means that sessions are pushed unredacted.
	Redact func(path string) (func(line []byte) []byte, error)
	// Policy is the name of Redact's policy; it is recorded with each copy.
	Policy string
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

// A Team pushes and pulls copies of sessions. It is not safe for concurrent
// use.
type Team struct {
	store Store
	Options
}

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
		o.Memory = LoadMemory("")
	}
	return &Team{store: s, Options: o}, nil
}

// ValidName reports whether a name is valid for a person, machine or session.
// Such names become parts of file names, so they have no separators and are not
// "..".
func ValidName(name string) bool { return validName.MatchString(name) && strings.Trim(name, ".") != "" }

var validName = regexp.MustCompile(`^[A-Za-z0-9._@+][A-Za-z0-9._@+-]{0,99}$`)

// A Copy is one machine's copy of a session.
type Copy struct {
	Person, Machine, Session string
	// Generation starts at 1 and increases each time the file is rewritten.
	Generation int
	// Stored is the number of bytes in the store. Those after About.Length are
	// not described yet.
	Stored int64
	// Number is the store's own name of the copy, and Stamp changes when
	// something else changes the copy; both may be 0.
	Number, Stamp int64
	About
}

// An About is what a machine says about its copy.
type About struct {
	// Length and SHA256 describe the content: whole lines.
	Length int64  `json:"length"`
	SHA256 string `json:"sha256"`
	// File is the name of the file, without its directory.
	File string `json:"file,omitempty"`
	Cwd  string `json:"cwd,omitempty"`
	// Project is the project of the working directory.
	Project Project `json:"project,omitzero"`
	// Policy is the redaction policy, which also applies to File, Cwd and
	// Project; "" means unredacted.
	Policy string `json:"redacted,omitempty"`
}

// A Description describes a copy. Lines and Responses are those of the bytes
// that no Description described before.
type Description struct {
	About
	Facts     Facts
	Lines     []Line
	Responses []Response
}

// A Response is what one call of a model consumed. Copies of a response have
// the same key.
type Response struct {
	Key    [16]byte
	Time   time.Time // zero if unknown
	Model  string    // provider/id, or ""
	Tokens int64
	Cost   int64 // in millionths of a dollar
}

// Name returns a name of the copy that no other has.
func (c Copy) Name() string {
	return fmt.Sprintf("%s/%s/%s/%d", c.Person, c.Machine, c.Session, c.Generation)
}

func (c Copy) String() string {
	return strings.TrimPrefix(c.Person+"/"+c.Machine+"/"+c.Session, "/")
}

// compare orders copies without regard to their generations.
func (c Copy) compare(d Copy) int {
	return cmp.Or(cmp.Compare(c.Person, d.Person), cmp.Compare(c.Session, d.Session), cmp.Compare(c.Machine, d.Machine))
}

// A Listing holds copies that a store shows.
type Listing struct {
	// Copies are the newest generation of each copy, sorted by person, session
	// and machine.
	Copies []Copy
	// Old are the previous generations.
	Old []Copy
	// Deleted holds the sessions of this person that are deleted for all
	// machines.
	Deleted map[string]bool
}

// NewListing returns a Listing of copies. It omits those with invalid names.
func NewListing(all []Copy) *Listing {
	l := &Listing{Deleted: map[string]bool{}}
	all = slices.DeleteFunc(all, func(c Copy) bool {
		return c.Person != "" && !ValidName(c.Person) || !ValidName(c.Machine) || !ValidName(c.Session) || c.Generation < 1
	})
	slices.SortFunc(all, func(a, b Copy) int {
		return cmp.Or(a.compare(b), cmp.Compare(b.Generation, a.Generation))
	})
	for i, c := range all {
		if i > 0 && all[i-1].compare(c) == 0 {
			l.Old = append(l.Old, c)
			continue
		}
		l.Copies = append(l.Copies, c)
	}
	return l
}

// Sessions groups the copies by person and session. It omits deleted sessions
// of this person.
func (l *Listing) Sessions(person string) (groups [][]Copy) {
	for _, c := range l.Copies {
		n := len(groups) - 1
		switch {
		case c.Person == person && l.Deleted[c.Session]:
		case n >= 0 && groups[n][0].Person == c.Person && groups[n][0].Session == c.Session:
			groups[n] = append(groups[n], c)
		default:
			groups = append(groups, []Copy{c})
		}
	}
	return groups
}

// of returns the newest generation of a machine's copy of a session.
func (l *Listing) of(person, machine, session string) (Copy, bool) {
	i, ok := slices.BinarySearchFunc(l.Copies, Copy{Person: person, Machine: machine, Session: session}, Copy.compare)
	if !ok {
		return Copy{}, false
	}
	return l.Copies[i], true
}

// List lists the copies of a person's session: see [Store].
func (t *Team) List(ctx context.Context, person, session string) (*Listing, error) {
	return t.store.List(ctx, person, session)
}
