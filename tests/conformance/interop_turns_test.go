package conformance_test

import (
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// turnRounds is how often pi and pith each take a turn on one file.
const turnRounds = 32

// pi and pith take turns on one file: each sees what the other wrote, and they
// agree after every turn (pitfalls 165, 170).
func TestTurnsAlternate(t *testing.T) {
	old, modern := pi.V0_73_1, pi.V0_87_1
	tests := map[string][]pi.Version{
		string(old):    {old},
		string(modern): {modern},
		"both":         {old, modern},
	}
	for name, versions := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &game{author: newAuthor(uint64(len(name)), versions[0] == modern)}
			g.author.brief = true // all of the file goes over after every turn
			for _, v := range versions {
				g.rigs = append(g.rigs, newRig(t, v))
			}
			g.start(t)
			for round := range turnRounds {
				g.play(t, round)
				if t.Failed() {
					t.Fatalf("they disagree in round %d", round)
				}
			}
			g.rig(0).compare(t, g.ours.File(), atEntries)
		})
	}
}

// A game is one file on which both sides take turns. pi opens the file for
// every turn; pith mostly keeps its session open.
type game struct {
	author *author
	rigs   []rig
	ours   *pith.Session
	ids    []string
}

func (g *game) rig(round int) rig { return g.rigs[round%len(g.rigs)] }

// start has pith write the beginning, up to the first answer. Without one, pi
// 0.73.1 would write the whole session a second time.
func (g *game) start(t *testing.T) {
	t.Helper()
	r := g.rig(0)
	g.ours = createPith(t, r.cwd, pith.Options{Dir: r.dir})
	g.ids = perform(t, pithSide{g.ours}, g.author.script(4), nil)
}

// turn is what one side does before the other gets the file. It begins with a
// message, and it ends with an entry, because pi forgets where it was.
func (g *game) turn() []step {
	g.author.reopened()
	steps := []step{g.author.user()}
	for range g.author.random.IntN(6) {
		steps = append(steps, g.author.next())
	}
	if g.author.moved {
		steps = append(steps, g.author.assistant())
	}
	return steps
}

// play has pi and then pith take a turn. pith takes up pi's work in each of the
// ways that there are.
func (g *game) play(t *testing.T, round int) {
	t.Helper()
	way := round % 4
	switch way {
	case 0:
		g.reopen(t, pith.Options{})
	case 3: // pith follows before pi writes
		g.reopen(t, pith.Options{OnConflict: pith.FollowNew})
	}
	theirs := g.rig(round).open(t, g.ours.File())
	g.ids = perform(t, piSide{theirs}, g.turn(), g.ids)
	if err := theirs.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.check(t, round)

	steps := g.turn()
	switch way {
	case 0: // pith reads on and goes there
		if n, err := g.ours.Refresh(t.Context()); n == 0 || err != nil {
			t.Fatalf("Refresh() = %d, %v; want what pi wrote", n, err)
		}
		g.ours.Follow()
	case 1: // pith is refused and goes there
		if id, err := (pithSide{g.ours}).try(t, steps[0], g.ids); !isStale(err) {
			t.Fatalf("append after pi wrote = %q, %v; want ErrStale", id, err)
		}
		g.ours.Follow()
	case 2: // another process of pith
		g.reopen(t, pith.Options{})
	}
	g.ids = perform(t, pithSide{g.ours}, steps, g.ids)
	g.check(t, round+1)
	sameLists(t, "session that stayed open", pithAccount(t, g.ours, atLeaf).Tree, pithAccount(t, reopen(t, g.ours.File()), atLeaf).Tree)
}

func (g *game) reopen(t *testing.T, o pith.Options) {
	t.Helper()
	closePith(t, g.ours)
	g.ours = openPith(t, g.ours.File(), o)
}

// check holds both sides against each other, in a game of two releases the one
// that comes next, and both against what the author had in mind.
func (g *game) check(t *testing.T, round int) {
	t.Helper()
	g.rig(round).compare(t, g.ours.File(), atLeaf)
	sameLists(t, "path", leafPath(t, reopen(t, g.ours.File())), g.author.pathIDs(g.ids))
}
