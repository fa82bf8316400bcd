package lookup

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/replica"
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
	if f.partial && !(all && o.Within == nil && o.Veil == nil && q.Project == "" && len(o.Paths) == 0 && !o.Catalog.IncludeInternal) {
		if err := a.useAllFacts(ctx); err != nil {
			return search.Results{}, true, err
		}
		f = a.team.facts
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
	c := &candidates{team: a.team, sessions: map[int64]*catalog.Info{}, used: make(map[int64]int64, len(f.others.Logs)), wrong: map[int64]bool{}, liars: map[string]int{}}
	c.asked = pgteam.Search{Words: words, Prefixes: prefixes}
	o.Sessions = []catalog.Info{}
	for i := range infos {
		if k := f.known[infos[i].Path]; k == nil || !k.searchable {
			o.Sessions = append(o.Sessions, infos[i])
		} else if o.Selects(&q, &infos[i]) {
			c.sessions[k.log] = &infos[i]
			c.asked.Logs = append(c.asked.Logs, k.log)
		}
	}
	for i := range o.Sessions {
		if stat, err := os.Stat(o.Sessions[i].Path); err == nil {
			o.Sessions[i].FileTime = stat.ModTime()
		}
	}
	if f.partial {
		c.addOthers()
	}
	var here search.Results
	if len(o.Sessions) > 0 {
		o.Index, o.Catalog.Index = a.WordIndex(), a.SessionIndex() // not open until some were mirrored
		if here, err = search.Search(ctx, q, o); err != nil {
			return search.Results{}, true, err
		}
	}
	c.enough = cmp.Or(o.Limit, search.DefaultLimit) + 1
	c.asked.Most = min(c.enough, 4096) + mostWrong
	if !q.OnlyWords() {
		c.enough, c.asked.Most = linesAtOnce, max(c.asked.Most, mostDoubtful)
	}
	if o.Order == search.Best {
		c.most = max(mostWeighed, 20*o.Limit)
		c.asked.Most = min(c.most, 4096)
	}
	searched := len(c.asked.Logs)
	r, err := search.Remote(ctx, q, o, c.lines(ctx), func(s *catalog.Info) { c.lies(f.known[s.Path].log) })
	r.Sessions = searched
	if n := len(c.wrong); n > 0 && err == nil {
		a.NoteLater("note: %s could not be searched: wrong facts, pushed by %s", humanize.Count(n, "session"), c.names())
	}
	return search.Merge(here, r, o), true, ExplainStore(err)
}

// mostWeighed is the number of the newest lines from which the best are taken.
const mostWeighed = 2000

// mostWrong is how many lines without a match, such as lines with false facts,
// a first request makes up for.
const mostWrong = 3

// mostDoubtful is the number of lines that are asked for first if many of them
// may not match.
const mostDoubtful = 512

// candidates are the lines that may match a query.
type candidates struct {
	team     *team
	asked    pgteam.Search           // its logs are sorted by use, the last first
	enough   int                     // how many lines are read at first
	most     int                     // how many lines are read at all; 0 for any number
	sessions map[int64]*catalog.Info // by log; those that were found or whose facts are known
	used     map[int64]int64         // by log, for others
	wrong    map[int64]bool          // logs with wrong facts
	liars    map[string]int          // by person, the number of such logs
}

// lies records that the facts of a log are wrong.
func (c *candidates) lies(log int64) {
	if !c.wrong[log] {
		c.wrong[log] = true
		person := c.person(log)
		if c.liars[person]++; c.liars[person] == mostLies {
			c.asked.Without = append(c.asked.Without, person)
		}
	}
}

func (c *candidates) person(log int64) string { return c.team.mirror.Person(c.sessions[log].Path) }

// skips reports whether a log is left out because its facts, or those of other
// logs of the same person, are wrong.
func (c *candidates) skips(log int64) bool {
	return len(c.wrong) > 0 && (c.wrong[log] || c.sessions[log] != nil && slices.Contains(c.asked.Without, c.person(log)))
}

// mostLies is the number of sessions with wrong facts after which the others of
// the same person are left out too.
const mostLies = 3

func (c *candidates) names() string { return strings.Join(slices.Sorted(maps.Keys(c.liars)), ", ") }

// lines yields the candidates.
func (c *candidates) lines(ctx context.Context) iter.Seq2[search.RemoteLine, error] {
	return func(yield func(search.RemoteLine, error) bool) {
		var last pgteam.Place
		read := 0
		for {
			found, err := c.team.facts.store.Search(ctx, c.asked)
			if err != nil {
				yield(search.RemoteLine{}, err)
				return
			}
			for _, p := range found {
				if p.Facts != nil {
					c.meet(p.Facts)
				}
			}
			for part := range portions(found, c.enough-read) {
				for line, err := range c.read(ctx, part, last) {
					if read++; !yield(line, err) || err != nil || read == c.most {
						return
					}
				}
			}
			if len(found) < c.asked.Most {
				return
			}
			last = found[len(found)-1]
			c.asked.Most = min(4*c.asked.Most, 1<<20)
			c.asked.Logs = slices.DeleteFunc(c.asked.Logs[slices.Index(c.asked.Logs, last.Log):], c.skips)
		}
	}
}

// addOthers adds the logs of the sessions whose facts are not known yet.
func (c *candidates) addOthers() {
	type use struct{ log, at int64 }
	others := &c.team.facts.others
	uses := make([]use, 0, len(c.sessions)+len(others.Logs))
	for log, info := range c.sessions {
		uses = append(uses, use{log, replica.Used(info)})
	}
	for i, log := range others.Logs {
		uses = append(uses, use{log, others.Used[i]})
	}
	slices.SortFunc(uses, func(a, b use) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.log, b.log)) })
	c.asked.Logs = c.asked.Logs[:0]
	for _, u := range uses {
		c.used[u.log] = u.at
		c.asked.Logs = append(c.asked.Logs, u.log)
	}
}

// meet adds a session that was found to the facts.
func (c *candidates) meet(f *replica.LogFacts) {
	if c.sessions[f.Number] == nil {
		f.Used = c.used[f.Number]
		info, ok := c.team.addFacts(f)
		if c.sessions[f.Number] = info; !ok {
			c.lies(f.Number)
		}
	}
}

// portions yields places whose lines are read in one request, at first not
// more than enough.
func portions(found []pgteam.Place, enough int) iter.Seq[[]pgteam.Place] {
	return func(yield func([]pgteam.Place) bool) {
		most := linesAtOnce
		if enough > 0 {
			most = min(enough, most)
		}
		for start := 0; start < len(found); {
			end := start + 1
			for size := int64(found[start].Size); end < len(found) && end < start+most && size < bytesAtOnce; end++ {
				size += int64(found[end].Size)
			}
			if !yield(found[start:end]) {
				return
			}
			start, most = end, linesAtOnce
		}
	}
}

// Limits of one request for lines.
const (
	linesAtOnce = 128
	bytesAtOnce = 4 << 20
)

// read yields the lines at places after the last one of an earlier result.
func (c *candidates) read(ctx context.Context, found []pgteam.Place, last pgteam.Place) iter.Seq2[search.RemoteLine, error] {
	return func(yield func(search.RemoteLine, error) bool) {
		var places []pgteam.Place
		for _, p := range found {
			if !c.skips(p.Log) && (p.Log != last.Log || p.Offset < last.Offset) {
				places = append(places, pgteam.Place{Log: p.Log, Offset: p.Offset - 1, Size: p.Size + 2}) // with the line endings around it
			}
		}
		if len(places) == 0 {
			return
		}
		lines, err := c.team.facts.store.Lines(ctx, places)
		if err != nil {
			yield(search.RemoteLine{}, err)
			return
		}
		for n, p := range places {
			line := search.RemoteLine{Session: c.sessions[p.Log], Offset: p.Offset + 1}
			switch data := lines[n]; {
			case c.skips(p.Log):
				continue
			case p.Offset < 0 && len(data) == int(p.Size)-1 && data[len(data)-1] == '\n':
				line.Line = data[:len(data)-1]
			case p.Offset >= 0 && len(data) == int(p.Size) && data[0] == '\n' && data[len(data)-1] == '\n':
				line.Line = data[1 : len(data)-1]
			default:
				c.lies(p.Log)
				continue
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
