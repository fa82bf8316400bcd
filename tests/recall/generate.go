package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The size of the benchmark.
const (
	sessionCount = 1000
	perSession   = 10 // exchanges
	factCount    = 1400
	corrected    = 400 // facts that are corrected later
	questions    = 500
)

// A kind is the kind of a question.
type kind string

const (
	byUser    kind = "said by the user"
	byModel   kind = "said by the model"
	updated   kind = "corrected later"
	inForms        = "other forms"
	inSame         = "same words"
	inOther        = "aspect in other words"
	inAllOver      = "aspect and component in other words"
)

// A fact is a value stated in one exchange.
type fact struct {
	component, place int
	aspect           int
	value            string
	kind             kind
	session          int    // in which it was last stated
	entry            string // the first entry of that exchange
}

// A question asks for a fact.
type question struct {
	text    string
	kind    kind
	wording string
	session string // the ID of the session with the answer
	entries []string
}

// A slot is an unused exchange.
type slot struct{ session, exchange int }

type generator struct {
	rng  *rand.Rand
	said map[slot]telling
}

// A telling is the text of an exchange.
type telling struct{ user, model string }

// generate writes the sessions into a directory and returns the questions. The
// same seed gives the same result.
func generate(dir string, seed uint64) ([]question, error) {
	g := &generator{rand.New(rand.NewPCG(seed, 15)), map[slot]telling{}}
	facts := g.facts()
	for s := range sessionCount {
		if err := g.write(dir, s); err != nil {
			return nil, err
		}
	}
	return g.questions(facts), nil
}

// facts states facts in unused exchanges: no two about the same thing, many
// that differ in one word.
func (g *generator) facts() []fact {
	all := len(components) * len(aspects) * len(places)
	order := g.rng.Perm(all)
	var out []fact
	for i, n := range order[:min(all, factCount)] {
		f := fact{component: n % len(components), aspect: n / len(components) % len(aspects), place: n / len(components) / len(aspects)}
		f.kind = byUser
		if i%5 >= 3 {
			f.kind = byModel
		}
		f.value = pick(g.rng, aspects[f.aspect].values)
		last := sessionCount
		if i < corrected {
			last = sessionCount / 2 // corrections come later
		}
		g.tell(&f, g.free(0, last), false)
		if i < corrected {
			f.kind = updated
			for old := f.value; f.value == old; {
				f.value = pick(g.rng, aspects[f.aspect].values)
			}
			g.tell(&f, g.free(f.session+1, sessionCount), true)
		}
		out = append(out, f)
	}
	return out
}

// free returns an unused exchange of the sessions in a range.
func (g *generator) free(from, to int) slot {
	for {
		s := slot{from + g.rng.IntN(to-from), g.rng.IntN(perSession)}
		if _, taken := g.said[s]; !taken {
			return s
		}
	}
}

func (g *generator) tell(f *fact, at slot, again bool) {
	words := []any{aspects[f.aspect].said, components[f.component].said, places[f.place].said, f.value}
	t := telling{fmt.Sprintf(pick(g.rng, saidByUser), words...), "Done, and the tests pass."}
	switch {
	case again:
		t.user = fmt.Sprintf(pick(g.rng, correctedByUser), words...)
	case f.kind == byModel:
		t = telling{fmt.Sprintf("can you settle the %s?", components[f.component].said), fmt.Sprintf(pick(g.rng, saidByModel), words...)}
	}
	g.said[at] = t
	f.session, f.entry = at.session, entryID(at, 0)
}

// idle returns an exchange without a fact, about the subjects of facts.
func (g *generator) idle() telling {
	words := []any{pick(g.rng, aspects).said, pick(g.rng, components).said, pick(g.rng, places).said}
	return telling{strings.Split(fmt.Sprintf(pick(g.rng, idleUser), words...), "%!")[0], strings.Split(fmt.Sprintf(pick(g.rng, idleModel), words...), "%!")[0]}
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func sessionID(s int) string { return fmt.Sprintf("%08x-%04x-7000-8000-%012x", 0x019b0000+s*17, s, s) }

func entryID(at slot, n int) string { return fmt.Sprintf("%05x%x%02x", at.session, at.exchange, n) }

// begun returns the start time of a session: one every few hours, for a year.
func begun(s int) time.Time {
	return time.Date(2025, 8, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(s) * 8 * time.Hour)
}

// write writes a session: exchanges with facts, without facts, and with tools.
func (g *generator) write(dir string, s int) error {
	var b strings.Builder
	at := begun(s)
	stamp := func() string { return at.Format("2006-01-02T15:04:05.000Z") }
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":"/home/me/project-%d"}`+"\n", sessionID(s), stamp(), s%20)
	name := strings.NewReplacer(":", "-", ".", "-").Replace(stamp()) + "_" + sessionID(s) + ".jsonl"
	parent := "null"
	add := func(id, message string) {
		at = at.Add(37 * time.Second)
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":%s}`+"\n", id, parent, stamp(), message)
		parent = `"` + id + `"`
	}
	for x := range perSession {
		where := slot{s, x}
		t, ok := g.said[where]
		if !ok {
			t = g.idle()
		}
		add(entryID(where, 0), fmt.Sprintf(`{"role":"user","content":%s,"timestamp":%d}`, quoted(t.user), at.UnixMilli()))
		if g.rng.IntN(3) == 0 {
			call := fmt.Sprintf("c%s", entryID(where, 1))
			words := g.idle()
			add(entryID(where, 1), fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":%s}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":%d}`,
				call, quoted("grep -rn "+quoted(words.user)+" ."), at.UnixMilli()))
			add(entryID(where, 2), fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"bash","isError":false,"content":[{"type":"text","text":%s}],"timestamp":%d}`,
				call, quoted(g.output()), at.UnixMilli()))
		}
		add(entryID(where, 3), fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%s}],"provider":"p","model":"m","stopReason":"stop","timestamp":%d}`, quoted(t.model), at.UnixMilli()))
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Chtimes(path, at, at)
}

// output returns tool output: lines that name many things.
func (g *generator) output() string {
	var b strings.Builder
	for n := range 5 + g.rng.IntN(30) {
		fmt.Fprintf(&b, "src/%s.go:%d: %s = %s\n", strings.ReplaceAll(pick(g.rng, components).said, " ", "_"), n*13, pick(g.rng, aspects).said, pick(g.rng, pick(g.rng, aspects).values))
	}
	return b.String()
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(b)
}

// questions returns questions for facts, a fixed number of each kind, in words
// more or less different from those of the session.
func (g *generator) questions(facts []fact) []question {
	var out []question
	want := map[kind]int{byUser: 200, byModel: 150, updated: 150}
	for _, i := range g.rng.Perm(len(facts)) {
		f := &facts[i]
		if want[f.kind] == 0 || len(out) == questions {
			continue
		}
		want[f.kind]--
		q := question{kind: f.kind, session: sessionID(f.session)}
		for n := range 4 {
			q.entries = append(q.entries, f.entry[:len(f.entry)-2]+fmt.Sprintf("%02x", n))
		}
		a, c, p := aspects[f.aspect].notion, components[f.component], places[f.place]
		words := []any{a.said, c.said, p.said}
		switch n := len(out) % 20; {
		case n < 6:
			q.wording = inSame
		case n < 16:
			q.wording = inForms
			words = []any{pick(g.rng, a.same), pick(g.rng, c.same), pick(g.rng, p.same)}
		case n < 19:
			q.wording = inOther
			words[0] = pick(g.rng, a.other)
		default:
			q.wording = inAllOver
			words[0], words[1] = pick(g.rng, a.other), pick(g.rng, c.other)
		}
		q.text = fmt.Sprintf(pick(g.rng, asked), words...)
		out = append(out, q)
	}
	return out
}
