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
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/testcache"
)

// This file measures searching millions of entries.

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

// kindsOfQuery make queries.
var kindsOfQuery = []func(t talker) string{
	func(t talker) string { return t.oneOf(vocabulary/2, vocabulary) }, // a rare word
	talker.word,
	func(t talker) string { return t.oneOf(0, 20) }, // a common word
	func(t talker) string { return t.word() + " " + t.oneOf(0, 5_000) },
	func(t talker) string { return `"` + t.word() + " " + t.oneOf(0, 200) + `"` },
}

// searchWords runs t.N queries of each kind, and records for each order the 95th
// percentile of the slowest kind.
func searchWords(ctx context.Context, t task, out *sample) error {
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
	o := search.Options{Index: words, Limit: 20, Catalog: catalog.Options{
		Index: facts, Home: filepath.Dir(t.Path),
		Getenv: func(name string) string {
			if name == "PI_CODING_AGENT_DIR" {
				return filepath.Dir(t.Path)
			}
			return ""
		},
	}}
	if o.Sessions, err = catalog.Sorted(catalog.ListAll(ctx, o.Catalog)); err != nil {
		return err
	}
	out.Counts["sessions"] = len(o.Sessions)
	out.Times = map[string]time.Duration{}
	for _, o.Order = range []search.Order{search.Newest, search.Best} {
		for i, query := range kindsOfQuery {
			times, err := ask(ctx, newTalker(i), query, max(1, t.N), o)
			if err != nil {
				return err
			}
			for _, d := range times {
				out.Took += d
			}
			order := string(o.Order)
			out.Times[order] = max(out.Times[order], p95(times))
		}
	}
	return nil
}

// ask runs n queries and returns their times.
func ask(ctx context.Context, t talker, text func(talker) string, n int, o search.Options) (times []time.Duration, err error) {
	for range n {
		q, err := query.Parse(text(t), query.Env{})
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		if _, err := search.Search(ctx, search.For(q), o); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}

// p95 sorts times and returns their 95th percentile.
func p95(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)*95/100]
}

// searchTrials keeps the sessions and their index in the test cache. An index of
// another version is built again.
func (b *bench) searchTrials(ctx context.Context) ([]trial, error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	millions := 10
	if b.quick {
		millions = 1
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
	if _, _, err := process(command(ctx, home, agentDir, pith, "doctor", "--reindex")); err != nil {
		return nil, err
	}
	t := task{Name: "search words", Path: filepath.Join(agentDir, "sessions"), Index: filepath.Join(home, ".cache", "pith"), N: 100}
	return []trial{{{"pith", 1, func(ctx context.Context) (r reading, err error) {
		s, err := inChild(ctx, t)
		if err != nil {
			return r, err
		}
		return reading{[]figure{
			took("newest first, 95 of 100 of every kind", s.Times[string(search.Newest)]).with(within(50 * time.Millisecond)),
			took("best first, 95 of 100 of every kind", s.Times[string(search.Best)]).with(within(250 * time.Millisecond)),
			resident("peak memory of searching", s.Peak).with(atMost(memoryGoal)),
		}, s.Counts}, nil
	}}}}, nil
}
