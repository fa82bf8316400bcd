// Package pith is a session engine for coding agents: it reads, writes,
// branches and forks the append-only conversation trees that pi and its
// relatives keep in JSONL files.
//
// A [Session] is opened with [Open], started with [Create], picked up with
// [ContinueRecent], copied with [ForkFrom] or kept out of the disk with
// [InMemory]. It has a position, the leaf; appending adds a child to the leaf
// and moves it there, [Session.Branch] moves it elsewhere. [Session.Context] is
// what a model sees from the leaf.
//
// # What holds
//
//   - A line that pith did not write keeps its bytes, whatever is done with the
//     session: unknown entries, unknown fields, key order and odd escapes survive.
//   - Opening changes nothing. The first append to a file of an old version
//     replaces it atomically and keeps the old file as a backup.
//   - An append that returned is in the file; one that failed left no trace,
//     neither in the file nor in memory.
//   - If somebody else wrote to the file, an append does not go on silently: see
//     [ConflictPolicy].
//   - Damage is reported by [Session.Findings], never skipped in silence.
//
// A Session may be used by several goroutines at once. Several processes may
// have one file open; pi may be one of them.
package pith

import (
	"os"
	"time"

	"github.com/pith-sessions/pith/internal/cache/tables"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Options are the choices that Create, Open and their relatives take. The zero
// value is what pi would do, except that an append does not go on silently when
// others have written: see OnConflict.
type Options struct {
	// Dir is the folder for session files, used as it is, without a subfolder
	// for the project. Empty means where
	// pi keeps them: see [sessiondir.Environment.Place].
	Dir string
	// ID is the id of a new session. Empty means a new UUID. If the project has
	// a session of that id in the same folder, the append that would make the
	// file is refused with ErrExists.
	ID string
	// ParentSession is recorded in the header of a new session.
	ParentSession string
	// Cwd is taken instead of the header's working directory when opening.
	Cwd string
	// ReadOnly makes every append fail with ErrReadOnly.
	ReadOnly bool
	// Force makes appends go on while the program that the session belongs to seems
	// to have it open: see HeldError.
	Force bool
	// OnConflict says what an append does when somebody else has written. The
	// zero value refuses it.
	OnConflict ConflictPolicy
	// Sync makes every append durable before it returns. With a Store it calls
	// Sync of the session's log after each append.
	Sync bool
	// Store keeps the sessions, under the paths that their files would have.
	// Nil means files.
	Store store.Store
	// Tables is a folder in which to keep what was learnt of large sessions, so that
	// they open at once the next time. It is a cache and may be deleted at any time.
	// Empty means that nothing is kept, unless the Store is a [store.TableKeeper].
	Tables string
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// ConflictPolicy says what an append does when others have continued the
// conversation in the file since this session last looked. Names and labels
// are always attached where they hide nobody's history.
type ConflictPolicy uint8

const (
	// Refuse returns a *StaleError. The tree is up to date then, and the caller
	// decides: Follow, Stay or Branch, then append again.
	Refuse ConflictPolicy = iota
	// FollowNew appends to the new end of the conversation, unless the leaf was
	// moved on purpose: then it appends there.
	FollowNew
	// StayOnBranch appends to the own leaf, on purpose beside what others wrote.
	StayOnBranch
)

func (o *Options) keeper() store.Store {
	if o.Store != nil {
		return o.Store
	}
	return filestore.New(filestore.Options{Sync: syncPolicy(o.Sync)})
}

// tables is who keeps what was learnt of large sessions; nil for nobody.
func (o *Options) tables() store.TableKeeper {
	if o.Tables != "" {
		return tables.New(o.Tables)
	}
	keeper, _ := o.Store.(store.TableKeeper)
	return keeper
}

func syncPolicy(always bool) filestore.SyncPolicy {
	if always {
		return filestore.SyncAlways
	}
	return filestore.SyncNever
}

func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
