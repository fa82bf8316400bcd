package conformance_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// scripts is how many generated sessions each test of a direction makes, and
// calls how long they are.
const (
	scripts = 12
	calls   = 60
)

// pith reads pi's files as pi does.
func TestPiWritesPithReads(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for seed := range uint64(scripts) {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
				r := r.in(t)
				s, path := r.create(t)
				author := newAuthor(seed, r.modern())
				ids := perform(t, piSide{s}, author.script(calls), nil)
				r.compare(t, path, atEntries)
				sameLists(t, "path", leafPath(t, reopen(t, path)), author.pathIDs(ids))
			})
		}
	})
}

// pi reads pith's files as pith does, and without rewriting them.
func TestPithWritesPiReads(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for seed := range uint64(scripts) {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
				r := r.in(t)
				path := r.written(t, 1000+seed, calls)
				r.compare(t, path, atEntries)
				if filepath.Ext(path) != ".jsonl" || filepath.Dir(path) != r.dir {
					t.Errorf("the session is in %s; want a .jsonl file in %s", path, r.dir)
				}
			})
		}
	})
}

// pith's file is there with the first question. pi 0.73.1 keeps a session in
// memory until the first answer, and takes a file without one for its own
// unwritten session: it writes all of it again. Nothing is lost or seen twice
// by that (pitfalls 15, 28, 62).
func TestPiAnswersTheFirstQuestion(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		ours := createPith(t, r.cwd, pith.Options{Dir: r.dir})
		author := newAuthor(7000, false)
		ids := perform(t, pithSide{ours}, []step{author.model(), author.user()}, nil)
		theirs := r.open(t, ours.File())
		ids = perform(t, piSide{theirs}, []step{author.thinking(), author.assistant(), author.user()}, ids)
		anew := piAccount(t, r.open(t, ours.File()), atLeaf)
		if _, err := ours.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		ours.Follow()
		for _, s := range []*pith.Session{ours, reopen(t, ours.File())} {
			got := pithAccount(t, s, atLeaf)
			sameLists(t, "path", got.Path, ids)
			sameLists(t, "path in pi", got.Path, anew.Path)
			sameContexts(t, got.Contexts, anew.Contexts)
		}
		if wroteTwice := len(ours.Findings()) > 0; wroteTwice == r.modern() {
			t.Errorf("Findings() = %v; want some after pi 0.73.1 and none after pi 0.87.1", ours.Findings())
		}
		if _, err := ours.AppendMessage(t.Context(), format.NewUser("go on", time.UnixMilli(author.clock))); err != nil {
			t.Fatal(err)
		}
		sameContexts(t, pithAccount(t, ours, atLeaf).Contexts, piAccount(t, r.open(t, ours.File()), atLeaf).Contexts)
	})
}

// written is the file of a session that a script made in pith.
func (r rig) written(t *testing.T, seed uint64, calls int) string {
	t.Helper()
	s := createPith(t, r.cwd, pith.Options{Dir: r.dir})
	author := newAuthor(seed, r.modern())
	ids := perform(t, pithSide{s}, author.script(calls), nil)
	sameLists(t, "path", leafPath(t, s), author.pathIDs(ids))
	closePith(t, s)
	return s.File()
}
