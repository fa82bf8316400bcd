package lookup

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/replica/pgteam"
)

// SearchTeam searches the team's sessions. It asks the database for lines with
// the words of the query, and reads files for the sessions whose words it does
// not have. ok is false if this run does not ask the database.
func (a *Sessions) SearchTeam(ctx context.Context, q search.Query, o search.Options, all bool) (_ search.Results, ok bool, err error) {
	if a.team == nil || a.team.facts == nil {
		return search.Results{}, false, nil
	}
	f := a.team.facts
	words, prefixes, ok := q.Needs()
	if !ok {
		if f.store != nil {
			a.Note("note: the database cannot answer this query, so the sessions are copied and searched here; a query with words, without file: and branch:, is faster")
		}
		return search.Results{}, false, a.MirrorTeam(ctx)
	}
	if f.store == nil {
		return search.Results{}, true, errAway
	}
	if f.wordless {
		if err := a.mirrorSome(ctx, func(path string) bool { return f.known[path] != nil && !f.known[path].searchable }); err != nil {
			return search.Results{}, true, err
		}
	}
	infos, err := a.List(ctx, all, o.Catalog.IncludeInternal)
	if err != nil {
		return search.Results{}, true, err
	}
	there := make([]catalog.Info, 0, len(infos))
	o.Sessions = []catalog.Info{}
	for i := range infos {
		if k := f.known[infos[i].Path]; k == nil || !k.searchable {
			o.Sessions = append(o.Sessions, infos[i])
		} else if o.Selects(&q, &infos[i]) {
			there = append(there, infos[i])
		}
	}
	for i := range o.Sessions {
		if stat, err := os.Stat(o.Sessions[i].Path); err == nil {
			o.Sessions[i].FileTime = stat.ModTime()
		}
	}
	here, err := search.Search(ctx, q, o)
	if err != nil {
		return search.Results{}, true, err
	}
	c := &candidates{f: f, sessions: there, words: words, prefixes: prefixes, wrong: map[int]bool{}, liars: map[string]int{}, person: a.team.mirror.Person}
	c.enough = cmp.Or(o.Limit, search.DefaultLimit) + 1
	if o.Order == search.Best {
		c.most = max(mostWeighed, 20*o.Limit)
	}
	r, err := search.Remote(ctx, q, o, there, c.lines(ctx), c.lies)
	if n := len(c.wrong); n > 0 && err == nil {
		a.NoteLater("note: %s could not be searched: wrong facts, pushed by %s", humanize.Count(n, "session"), c.names())
	}
	return search.Merge(here, r, o), true, ExplainStore(err)
}

// mostWalked is the number of sessions in the largest group whose lines are read
// without the index.
const mostWalked = 256

// mostWeighed is the number of the newest lines from which the best are taken.
const mostWeighed = 2000

// candidates are the lines that may match a query.
type candidates struct {
	f               *teamFacts
	sessions        []catalog.Info // newest first
	words, prefixes []string
	enough          int // how many lines are probably needed
	most            int // how many lines are read at all; 0 for any number
	person          func(path string) string
	wrong           map[int]bool   // sessions whose facts are wrong
	liars           map[string]int // by person, the number of such sessions
}

// lies records that the facts of a session are wrong.
func (c *candidates) lies(session int) {
	if !c.wrong[session] {
		c.wrong[session] = true
		c.liars[c.person(c.sessions[session].Path)]++
	}
}

// skips reports whether a session is left out because its facts, or those of
// other sessions of the same person, are wrong.
func (c *candidates) skips(session int) bool {
	return len(c.wrong) > 0 && (c.wrong[session] || c.liars[c.person(c.sessions[session].Path)] >= mostLies)
}

// mostLies is the number of sessions with wrong facts after which the others of
// the same person are left out too.
const mostLies = 3

func (c *candidates) names() string {
	var names []string
	for name := range c.liars {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// lines yields the candidates. The newest sessions are asked first: for frequent
// words they are enough.
func (c *candidates) lines(ctx context.Context) iter.Seq2[search.RemoteLine, error] {
	return func(yield func(search.RemoteLine, error) bool) {
		start, before, most, read := 0, int64(math.MaxInt64), max(64, min(2*c.enough, 4096)), 0
		walk, few, lines := true, pgteam.FewLogs, 0 // how many sessions are read at a time, and their lines
		end := min(few, len(c.sessions))
		for start < len(c.sessions) {
			byLog := map[int64]int{}
			var logs []int64
			for i := start; i < end; i++ {
				if log := c.f.known[c.sessions[i].Path].log; !c.skips(i) {
					byLog[log] = i
					logs = append(logs, log)
				}
			}
			found, err := c.find(ctx, logs, byLog, walk, most)
			if err != nil {
				yield(search.RemoteLine{}, err)
				return
			}
			full := len(found) == most
			lines += len(found)
			for part := range portions(found) {
				for line, err := range c.read(ctx, part, byLog, start, before) {
					if read++; !yield(line, err) || err != nil || read == c.most {
						return
					}
				}
			}
			if !full {
				// For words that most sessions have, reading the lines of some more sessions
				// is faster than finding all lines in the index.
				walk = walk && lines >= few && few < mostWalked
				start, before, end = end, math.MaxInt64, len(c.sessions)
				if few, lines = 4*few, 0; walk {
					end = min(start+few, end)
				}
				continue
			}
			last := found[len(found)-1]
			start, before = byLog[last.Log], last.Offset
			most = min(4*most, 1<<20)
		}
	}
}

// find asks the database for lines in some logs. walk means that it reads the
// words of all their lines instead of the index.
func (c *candidates) find(ctx context.Context, logs []int64, byLog map[int64]int, walk bool, most int) ([]pgteam.Place, error) {
	if walk {
		return c.f.store.Walk(ctx, logs, c.words, c.prefixes, most)
	}
	people := map[string]bool{}
	for _, log := range logs {
		people[c.person(c.sessions[byLog[log]].Path)] = true
	}
	return c.f.store.Seek(ctx, logs, slices.Collect(maps.Keys(people)), c.words, c.prefixes, most)
}

// portions yields places whose lines are read in one request.
func portions(found []pgteam.Place) iter.Seq[[]pgteam.Place] {
	return func(yield func([]pgteam.Place) bool) {
		for start := 0; start < len(found); {
			end := start + 1
			for size := int64(found[start].Size); end < len(found) && end < start+linesAtOnce && size < bytesAtOnce; end++ {
				size += int64(found[end].Size)
			}
			if !yield(found[start:end]) {
				return
			}
			start = end
		}
	}
}

// Limits of one request for lines.
const (
	linesAtOnce = 32
	bytesAtOnce = 4 << 20
)

// read yields the lines at places that were not yielded before.
func (c *candidates) read(ctx context.Context, found []pgteam.Place, byLog map[int64]int, start int, before int64) iter.Seq2[search.RemoteLine, error] {
	return func(yield func(search.RemoteLine, error) bool) {
		var places []pgteam.Place
		for _, p := range found {
			if i := byLog[p.Log]; !c.skips(i) && (i != start || p.Offset < before) {
				places = append(places, pgteam.Place{Log: p.Log, Offset: p.Offset - 1, Size: p.Size + 2}) // with the line endings around it
			}
		}
		if len(places) == 0 {
			return
		}
		lines, err := c.f.store.Lines(ctx, places)
		if err != nil {
			yield(search.RemoteLine{}, err)
			return
		}
		for n, p := range places {
			line := search.RemoteLine{Session: byLog[p.Log], Offset: p.Offset + 1}
			switch data := lines[n]; {
			case c.skips(line.Session):
				continue
			case p.Offset < 0 && len(data) == int(p.Size)-1 && data[len(data)-1] == '\n':
				line.Line = data[:len(data)-1]
			case p.Offset >= 0 && len(data) == int(p.Size) && data[0] == '\n' && data[len(data)-1] == '\n':
				line.Line = data[1 : len(data)-1]
			default:
				c.lies(line.Session)
				continue
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
