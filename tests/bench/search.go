package main

import (
	"context"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// This file measures searches: what an index of words answers, and scans.

// A searchRow is a search that is measured.
type searchRow struct {
	key, title   string
	query, order string
	again        bool // in a process that has searched before
	limit        float64
}

// rareWord stands in few entries of the store or in none, a common one in most.
const (
	rareWord   = "zzzqqqxx"
	commonWord = "error"
	expression = `re:zzz\w+qqq`
)

var searchRows = []searchRow{
	{"rare", "a rare word, indexes opened and sessions listed for it", rareWord, "", false, 0.020},
	{"rare again", "a rare word, the next search of the process", rareWord, "", true, 0.020},
	{"common", "a common word, newest first, indexes opened and sessions listed for it", commonWord, "", false, 0.020},
	{"common again", "a common word, newest first, the next search", commonWord, "", true, 0.020},
	{"ranked", "a common word, best first, indexes opened and sessions listed for it", commonWord, string(search.Best), false, 0.200},
	{"ranked again", "a common word, best first, the next search", commonWord, string(search.Best), true, 0.200},
	{"regexp", "a regular expression over 500 MB", expression, "", false, 1},
}

func (b *bench) searchSection(ctx context.Context) (section, error) {
	dir, err := b.store(ctx)
	if err != nil {
		return section{}, err
	}
	index := filepath.Join(b.work, "search")
	b.logf("indexing the words of 500 MB")
	if _, err := buildWords(ctx, dir, index); err != nil {
		return section{}, err
	}
	s := section{
		title: "Searching 1,000 sessions, 500 MB",
		note:  "The rate of a scan is that of a process with one core, with the list of sessions in it. The index of words has all sessions; a regular expression reads them all the same.",
	}
	for _, r := range searchRows {
		s.trials = append(s.trials, b.searchTrial(r, dir, index))
	}
	s.trials = append(s.trials, b.scanTrial(dir, index))
	return s, nil
}

func (b *bench) searchTrial(r searchRow, dir, index string) trial {
	line := row{key: r.key, title: r.title, unit: secondsUnit}
	if r.limit > 0 {
		line.goal = atMost(r.limit, secondsUnit)
	}
	name := "search"
	if r.again {
		name = "search+again"
	}
	return trial{
		what: r.title,
		rows: []row{line},
		contenders: []contender{b.pithContender(func(ctx context.Context) (reading, error) {
			s, err := inChild(ctx, task{Name: name, Path: dir, Index: index, Query: r.query, Order: r.order})
			return reading{values: map[string]value{r.key: s.time()}, counts: map[string]int{"hits": s.Hits, "sessions": s.Sessions}}, err
		})},
	}
}

func (b *bench) scanTrial(dir, index string) trial {
	return trial{
		what: "a scan without an index",
		rows: []row{
			{key: "scan", title: "a rare word without an index of words", unit: secondsUnit},
			{key: "scan rate", title: "session a second, with one core", unit: rateUnit, goal: noLess(1.5e9, rateUnit)},
			{key: "scan peak", title: "peak memory of that", unit: bytesUnit},
		},
		contenders: []contender{b.pithContender(func(ctx context.Context) (reading, error) {
			s, err := inChild(ctx, task{Name: "scan", Path: dir, Index: index, Query: rareWord})
			if err != nil {
				return reading{}, err
			}
			// Two threads of one core are slower each than one alone.
			single, err := inChild(ctx, task{Name: "scan", Path: dir, Index: index, Query: rareWord, N: 1})
			return reading{
				values: map[string]value{"scan": s.time(), "scan rate": single.rate(), "scan peak": s.memory()},
				counts: map[string]int{"hits": s.Hits, "sessions": s.Sessions},
			}, err
		})},
	}
}

func searchTask(ctx context.Context, t task) (sample, error) { return t.search(ctx, false) }

func searchAgainTask(ctx context.Context, t task) (sample, error) { return t.search(ctx, true) }

// search runs a query with both indexes, once or a second time.
func (t task) search(ctx context.Context, again bool) (out sample, err error) {
	q, err := search.Parse(t.Query, time.Now())
	if err != nil {
		return out, err
	}
	var facts *catalog.Index
	var words *search.Index
	var found search.Results
	do := func() (err error) {
		if facts == nil {
			if facts, err = catalog.OpenIndex(t.Index); err != nil {
				return err
			}
			if words, err = search.OpenIndex(t.Index); err != nil {
				return err
			}
		}
		found, err = search.Search(ctx, q, search.Options{
			Catalog: t.only(catalog.Options{Index: facts}), Index: words, Order: search.Order(t.Order),
		})
		return err
	}
	if again {
		if err := do(); err != nil {
			return out, err
		}
	}
	if err := out.timed(do); err != nil {
		return out, err
	}
	out.Hits, out.Sessions, out.Bytes = len(found.Hits), found.Sessions, found.Scanned
	if err := words.Close(); err != nil {
		return out, err
	}
	return out, facts.Close()
}

// scanTask searches with the index of facts alone, on so many cores; 0 means all.
func scanTask(ctx context.Context, t task) (out sample, err error) {
	if t.N > 0 {
		runtime.GOMAXPROCS(t.N)
	}
	q, err := search.Parse(t.Query, time.Now())
	if err != nil {
		return out, err
	}
	facts, err := catalog.OpenIndex(t.Index)
	if err != nil {
		return out, err
	}
	defer facts.Close()
	var found search.Results
	err = out.timed(func() (err error) {
		found, err = search.Search(ctx, q, search.Options{Catalog: t.only(catalog.Options{Index: facts})})
		return err
	})
	out.Hits, out.Sessions, out.Bytes = len(found.Hits), found.Sessions, found.Scanned
	return out, err
}
