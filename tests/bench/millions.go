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

// millionsTrials measures searches. Making the sessions and the index takes
// most of the time.
func (b *bench) millionsTrials(ctx context.Context) ([]trial, error) {
	sessions := 10_000
	if b.quick {
		sessions = 1_000
	}
	t := task{Path: filepath.Join(b.work, "crowd", "sessions"), Index: filepath.Join(b.work, "crowd-index")}
	b.logf("making %d sessions of %d entries", sessions, entriesOfSession)
	if err := makeCrowd(ctx, t.Path, sessions); err != nil {
		return nil, err
	}
	t.Name = "index words"
	made, err := inChild(ctx, t)
	if err != nil {
		return nil, err
	}
	t.Name, t.N = "search words", 100
	return []trial{{{"pith", b.runs, func(ctx context.Context) (r reading, err error) {
		s, err := inChild(ctx, t)
		r.figures = append(r.figures, took("the index, once", made.Took), took("the index, once, time of the processor", made.CPU))
		for _, order := range []search.Order{search.Newest, search.Best} {
			for _, kind := range kindsOfQuery {
				what := timesOf(kind.name, order)
				r.figures = append(r.figures, took(what+", p95 of 100", s.Times[what]))
			}
		}
		each := s.CPU / time.Duration(2*t.N*len(kindsOfQuery))
		return reading{append(r.figures, took("a search, time of the processor, mean of all", each), resident("peak memory of searching", s.Peak)), s.Counts}, err
	}}}}, nil
}
