package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/testcache"
)

// This file measures searching the entries of a large team, in a directory like
// the mirror of its database.

const (
	entriesOfSession = 1_000
	wordsOfEntry     = 30
	// vocabulary is the number of words. Their frequencies follow Zipf's law.
	vocabulary = 200_000
)

// A talker generates random words, reproducibly.
type talker struct {
	random *rand.Rand
	words  *rand.Zipf
}

func newTalker(seed int) talker {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	return talker{r, rand.NewZipf(r, 1.05, 2, vocabulary-1)}
}

func (t talker) word() string { return wordOf(t.words.Uint64()) }

// oneOf returns a word in a range of ranks.
func (t talker) oneOf(from, to uint64) string { return wordOf(from + t.random.Uint64N(to-from)) }

// wordOf returns the word of a rank; the most common word has rank 0.
func wordOf(rank uint64) string {
	const letters = "etaoinshrdlucmfwypvbgkjq"
	b := []byte{letters[rank%24]}
	for rank /= 24; rank > 0; rank /= 24 {
		b = append(b, letters[rank%24])
	}
	return string(append(b, 'x'))
}

// makeCrowd writes the sessions of several people into a directory.
func makeCrowd(ctx context.Context, dir string, sessions int) error {
	for i := range sessions {
		folder := filepath.Join(dir, fmt.Sprintf("--person%02d--", i%50))
		if err := errors.Join(ctx.Err(), os.MkdirAll(folder, 0o700)); err != nil {
			return err
		}
		if err := newTalker(i).session(folder, i); err != nil {
			return err
		}
	}
	return nil
}

// session writes the n-th session into a directory.
func (t talker) session(dir string, n int) error {
	id := fmt.Sprintf("0199a1b2-c3d4-7e5f-8a9b-%012x", n)
	path := filepath.Join(dir, id+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	now := time.Unix(1_770_000_000+int64(n)*600, 0).UTC()
	w := bufio.NewWriterSize(f, 1<<16)
	fmt.Fprintf(w, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"/w/%d"}`+"\n", id, now.Format(time.RFC3339), t.random.IntN(100))
	parent := "null"
	for i := range entriesOfSession {
		now = now.Add(200 * time.Millisecond)
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"%s","message":{"role":"user","content":"`, i, parent, now.Format(time.RFC3339))
		for range wordsOfEntry {
			w.WriteString(t.word())
			w.WriteByte(' ')
		}
		w.WriteString("\"}}\n")
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Chtimes(path, now, now)
}

// indexed opens both indexes of the task and calls use with them.
func (t task) indexed(use func(search.Options) error) error {
	facts, err := catalog.OpenIndex(t.Index)
	if err != nil {
		return err
	}
	defer facts.Close()
	words, err := search.OpenIndex(t.Index)
	if err != nil {
		return err
	}
	defer words.Close()
	return use(search.Options{Catalog: t.only(catalog.Options{Index: facts}), Index: words, Limit: 20})
}

// indexWords builds the word index.
func indexWords(ctx context.Context, t task, out *sample) error {
	return t.indexed(func(o search.Options) error {
		err := out.time(func() error { return o.Index.Fill(ctx, search.Build{Catalog: o.Catalog}) })
		infos, listed := catalog.Sorted(catalog.ListAll(ctx, o.Catalog))
		out.Counts["sessions"] = len(infos)
		return errors.Join(err, listed)
	})
}

// kindsOfQuery are queries by kind.
var kindsOfQuery = []struct {
	name  string
	query func(t talker) string
}{
	{"a rare word", func(t talker) string { return t.oneOf(vocabulary/2, vocabulary) }},
	{"a word as people use them", talker.word},
	{"one of the 20 commonest words", func(t talker) string { return t.oneOf(0, 20) }},
	{"two words", func(t talker) string { return t.word() + " " + t.oneOf(0, 5_000) }},
	{"a phrase of two words", func(t talker) string { return `"` + t.word() + " " + t.oneOf(0, 200) + `"` }},
}

// searchWords runs t.N queries of each kind, and records the 95th percentile of
// their times.
func searchWords(ctx context.Context, t task, out *sample) error {
	return t.indexed(func(o search.Options) (err error) {
		if o.Sessions, err = catalog.Sorted(catalog.ListAll(ctx, o.Catalog)); err != nil {
			return err
		}
		out.Counts["sessions"] = len(o.Sessions)
		out.Times = map[string]time.Duration{}
		for _, o.Order = range []search.Order{search.Newest, search.Best} {
			for i, kind := range kindsOfQuery {
				times, err := ask(ctx, newTalker(i), kind.query, max(1, t.N), o)
				if err != nil {
					return err
				}
				for _, d := range times {
					out.Took += d
				}
				out.Times[timesOf(kind.name, o.Order)] = times[len(times)*95/100]
			}
		}
		return nil
	})
}

func timesOf(kind string, order search.Order) string { return kind + ", " + string(order) + " first" }

// ask runs n queries and returns their times, the shortest first.
func ask(ctx context.Context, t talker, query func(talker) string, n int, o search.Options) (times []time.Duration, err error) {
	for range n {
		q, err := search.Parse(query(t), time.Now())
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		if _, err := search.Search(ctx, q, o); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return times, nil
}

// Labels that the tables of limits and growth refer to, for a number of million
// entries.
const (
	bestOf    = "%d million entries: best first, 95 of 100 of every kind"
	newestOf  = "%d million entries: newest first, 95 of 100 of every kind"
	mcpFirst  = "%d million entries: the first question to pith mcp"
	mcpNext   = "%d million entries: a question to pith mcp, median of 10"
	crowdPeak = "%d million entries: peak memory of searching"
)

// millionsTrials measures searches over 1 and 10 million entries. The sessions
// and their index are kept in the test cache. An index of another version is
// built again.
func (b *bench) millionsTrials(ctx context.Context) (trials []trial, err error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	for _, millions := range []int{1, 10} {
		if b.quick && millions > 1 {
			continue
		}
		sessions := millions * 1_000_000 / entriesOfSession
		agentDir, err := testcache.Folder(ctx, fmt.Sprintf("bench-v%d-people-%d", corpus.ContentVersion, sessions), func(ctx context.Context, dir string) error {
			b.logf("making %d sessions of %d entries", sessions, entriesOfSession)
			return makeCrowd(ctx, filepath.Join(dir, "sessions"), sessions)
		})
		if err != nil {
			return nil, err
		}
		home := filepath.Join(agentDir, "home")
		if err := os.MkdirAll(home, 0o700); err != nil {
			return nil, err
		}
		b.logf("indexing %d million entries, unless they are: minutes", millions)
		if _, err := process(ctx, home, agentDir, pith, "doctor", "--reindex"); err != nil {
			return nil, err
		}
		t := task{Name: "search words", Path: filepath.Join(agentDir, "sessions"), Index: filepath.Join(home, ".cache", "pith"), N: 100}
		trials = append(trials, trial{{"pith", 1, func(ctx context.Context) (r reading, err error) {
			s, err := inChild(ctx, t)
			if err != nil {
				return r, err
			}
			for _, order := range []search.Order{search.Newest, search.Best} {
				slowest := time.Duration(0)
				for _, kind := range kindsOfQuery {
					what := timesOf(kind.name, order)
					slowest = max(slowest, s.Times[what])
					r.figures = append(r.figures, took(fmt.Sprintf("%d million entries: %s, 95 of 100", millions, what), s.Times[what]))
				}
				label := newestOf
				if order == search.Best {
					label = bestOf
				}
				r.figures = append(r.figures, took(fmt.Sprintf(label, millions), slowest))
			}
			asked, err := askMCP(ctx, pith, home, agentDir)
			if err != nil {
				return r, err
			}
			for i, label := range []string{mcpFirst, mcpNext} {
				f := asked.figures[i+1] // after that of the start
				f.what = fmt.Sprintf(label, millions)
				r.figures = append(r.figures, f)
			}
			return reading{append(r.figures, resident(fmt.Sprintf(crowdPeak, millions), s.Peak)), s.Counts}, nil
		}}})
	}
	return trials, nil
}
