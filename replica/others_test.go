package replica_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/replica"
)

// asPerson makes a site that of another person.
func asPerson(name string) func(*replica.Options) {
	return func(o *replica.Options) { o.Person = name }
}

// pullFrom pulls the session from a person.
func (s *site) pullFrom(person string, o replica.PullOptions) replica.Pulled {
	s.tb.Helper()
	done, err := s.Pull(s.tb.Context(), s.copies(person), s.path, o)
	if err != nil {
		s.tb.Fatalf("Pull from %s = %v", person, err)
	}
	return done
}

// Entries that another person wrote into one's own session come as a fork,
// whether that person continued at its end or in another place. The session and
// its leaf stay.
func TestOthersEntriesComeAsAFork(t *testing.T) {
	for name, own := range map[string]string{"at the end": "", "beside new entries": message("0000000b", "00000001", "mine")} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			bob, eve := newSite(t, m, "desk", asPerson("bob")), newSite(t, m, "lair", asPerson("eve"))
			bob.write(header(sessionID), message("00000001", "", "one"))
			bob.push()
			eve.pullFrom("bob", replica.PullOptions{})
			if done := bob.pullFrom("bob", replica.PullOptions{}); done.Bytes != 0 {
				t.Errorf("Pull of one's own = %+v", done)
			}
			eve.push()
			if done := bob.pullFrom("eve", replica.PullOptions{}); done.Bytes != 0 || len(done.Others) != 0 {
				t.Errorf("Pull of the same = %+v; want nothing", done)
			}
			bob.add(own)
			before := bob.read()
			leaf, _ := bob.session()
			eve.add(message("000000ee", "00000001", "do as I say"))
			eve.push()
			for range 2 { // it is made once
				done := bob.pullFrom("eve", replica.PullOptions{})
				if bob.read() != before {
					t.Errorf("bob's session became\n%s", bob.read())
				}
				if now, _ := bob.session(); now != leaf {
					t.Errorf("bob stands at %s; want %s", now, leaf)
				}
				if done.Moved() {
					t.Errorf("Pull = %+v; want that nothing moved", done)
				}
			}
			eve.add(message("000000ef", "000000ee", "and then this"))
			eve.push()
			done := bob.pullFrom("eve", replica.PullOptions{})
			if len(done.Others) != 1 || bob.read() != before {
				t.Fatalf("Pull = %+v, and bob's session\n%s; want a fork", done, bob.read())
			}
			fork, err := os.ReadFile(done.Others[0])
			if err != nil || !strings.Contains(string(fork), "do as I say") || strings.Count(string(fork), "and then this") != 1 || !strings.Contains(string(fork), `"parentSession"`) {
				t.Errorf("the fork holds, %v\n%s", err, fork)
			}
		})
	}
}

// A question decides whether another person's entries become part of the session. Then
// they are there, and the position stays.
func TestOthersEntriesAfterAQuestion(t *testing.T) {
	for name, tt := range map[string]struct {
		choice replica.Choice
		merged bool
		asked  int // in two pulls
	}{"merge": {replica.Merge, true, 1}, "skip": {replica.Skip, false, 2}, "fork": {replica.Fork, false, 1}} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			bob, eve := newSite(t, m, "desk", asPerson("bob")), newSite(t, m, "lair", asPerson("eve"))
			bob.write(header(sessionID), message("00000001", "", "one"))
			bob.push()
			eve.pullFrom("bob", replica.PullOptions{})
			eve.add(message("000000ee", "00000001", "do as I say"), message("000000ef", "000000ee", "now"))
			eve.push()
			asked := 0
			ask := replica.PullOptions{Ask: func(r replica.Replica, entries int) (replica.Choice, error) {
				asked++
				if r.Person != "eve" || entries != 2 {
					t.Errorf("asked about %v, %d entries; want eve's two", r, entries)
				}
				return tt.choice, nil
			}}
			for range 2 {
				if done := bob.pullFrom("eve", ask); done.Moved() {
					t.Errorf("Pull = %+v; want that nothing moved", done)
				}
			}
			if asked != tt.asked {
				t.Errorf("asked %d times; want %d", asked, tt.asked)
			}
			if got := strings.Contains(bob.read(), "do as I say"); got != tt.merged {
				t.Errorf("bob's session has eve's entries: %t; want %t\n%s", got, tt.merged, bob.read())
			}
			if path, err := bob.open().View().PathIDs(bob.open().LeafID()); err != nil || path[0] != "00000001" || strings.Contains(strings.Join(path, " "), "000000e") {
				t.Errorf("bob stands at %v, %v; want below 00000001", path, err)
			}
		})
	}
}

// A session without entries has a position too.
func TestOthersEntriesInAnEmptySession(t *testing.T) {
	m := newMemory()
	bob, eve := newSite(t, m, "desk", asPerson("bob")), newSite(t, m, "lair", asPerson("eve"))
	bob.write(header(sessionID))
	eve.write(header(sessionID), message("000000ee", "", "do as I say"))
	eve.push()
	done := bob.pullFrom("eve", replica.PullOptions{Ask: func(replica.Replica, int) (replica.Choice, error) { return replica.Merge, nil }})
	if path, err := bob.open().View().PathIDs(bob.open().LeafID()); done.Moved() || err != nil || slices.Contains(path, "000000ee") || !strings.Contains(bob.read(), "do as I say") {
		t.Errorf("Pull = %+v; bob stands at %v, %v; want before the first entry\n%s", done, path, err, bob.read())
	}
}

// A session pulled from another person continues with that person's entries,
// and a move of the leaf is reported.
func TestSessionOfAnotherGoesOn(t *testing.T) {
	m := newMemory()
	bob, ana := newSite(t, m, "desk", asPerson("bob")), newSite(t, m, "laptop", asPerson("ana"))
	ana.write(header(sessionID), message("00000001", "", "one"))
	ana.push()
	if done := bob.pullFrom("ana", replica.PullOptions{}); !done.Created || done.Moved() {
		t.Errorf("Pull = %+v; want a new file", done)
	}
	ana.add(message("00000002", "00000001", "two"))
	ana.push()
	done := bob.pullFrom("ana", replica.PullOptions{})
	if bob.read() != ana.read() || len(done.Others) != 0 {
		t.Errorf("Pull = %+v, and the file\n%s; want that it goes on", done, bob.read())
	}
	if done.Before != "00000001" || done.After != "00000002" || !done.Moved() {
		t.Errorf("Pull = %+v; want that it tells of 00000001 to 00000002", done)
	}
	// Bob continues it too: both have all entries, and keep their leaves.
	bob.add(message("0000000b", "00000002", "from bob"))
	ana.add(message("0000000a", "00000002", "from ana"))
	ana.push()
	if done := bob.pullFrom("ana", replica.PullOptions{}); done.Moved() || len(done.Others) != 0 {
		t.Errorf("Pull = %+v; want a union that moves nothing", done)
	}
	want := entries(ana.read())
	want[message("0000000b", "00000002", "from bob")] = true
	if !maps.Equal(entries(bob.read()), want) {
		t.Errorf("bob has\n%s", bob.read())
	}
}
