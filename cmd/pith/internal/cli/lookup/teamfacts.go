package lookup

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// teamFacts are the team's sessions as the database describes them. Sessions
// whose facts suffice have no file in the mirror until they are opened.
type teamFacts struct {
	store   *pgteam.Store // nil while the database cannot be reached
	memory  string        // file of the mirror's memory
	listing *replica.Listing
	infos   []catalog.Info    // of the sessions whose facts suffice, newest first
	known   map[string]*known // by path
}

// known is a session whose facts suffice.
type known struct {
	log        int64 // number of its log
	searchable bool
	read       bool // it is in the mirror too
}

// UseTeamFacts is like UseTeam for a command that lists, counts or searches
// sessions, or opens a few: it asks the database and mirrors only the sessions
// that the database has no facts of.
func (a *Sessions) UseTeamFacts(ctx context.Context) error {
	if len(a.Sources) > 0 {
		return a.UseTeam(ctx) // facts do not tell the agents apart
	}
	file, err := a.openMirror()
	if err != nil {
		return err
	}
	list := filepath.Join(filepath.Dir(file), "facts")
	s, err := a.ConnectTeam(ctx)
	if err == nil && !s.KeepsFacts() {
		s.Close()
		return a.away(a.refreshTeam(ctx, file), file)
	}
	var logs []replica.LogFacts
	if err == nil {
		logs, err = s.Facts(ctx)
		err = ExplainStore(err)
	}
	if err != nil {
		if s != nil {
			s.Close()
		}
		if err := a.away(err, list); err != nil {
			return a.away(err, file)
		}
		data, _ := os.ReadFile(list) // its time was just read
		if logs, err = replica.UnpackFacts(data); err == nil {
			a.team.setFacts(nil, file, logs)
		}
		return nil
	}
	f := a.team.setFacts(s, file, logs)
	keepFacts(list, replica.PackFacts(logs))
	return a.mirrorSome(ctx, func(path string) bool { return f.known[path] == nil })
}

// keepFacts writes a list for use while the database is away. It is a cache, so
// errors do not matter.
func keepFacts(path string, data []byte) {
	now := time.Now()
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) && os.Chtimes(path, now, now) == nil {
		return
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = filestore.WriteFile(path, data)
	}
}

// setFacts decides which sessions need no mirror.
func (t *team) setFacts(s *pgteam.Store, memory string, logs []replica.LogFacts) *teamFacts {
	f := &teamFacts{store: s, memory: memory, known: map[string]*known{}}
	all, byName := make([]store.Info, len(logs)), make(map[string]replica.LogFacts, len(logs))
	for i, l := range logs {
		all[i] = store.Info{Name: l.Name, Size: l.Size}
		byName[l.Name] = l
	}
	f.listing = replica.NewListing(all)
	machines := map[string][]string{}
	for _, copies := range f.listing.Sessions() {
		path := t.mirror.File(copies[0])
		for _, r := range copies {
			machines[path] = append(machines[path], r.Machine)
		}
		sum, ok := replica.Summarize(copies, byName)
		if !ok {
			continue
		}
		info := sum.Info
		info.Path, info.Root = path, catalog.RootCustom
		f.infos = append(f.infos, info)
		f.known[path] = &known{log: sum.Log, searchable: sum.Searchable}
	}
	slices.SortFunc(f.infos, func(a, b catalog.Info) int { return catalog.ByRecency(&a, &b) })
	mirrored := t.machines
	t.machines = func() map[string][]string {
		for path, names := range mirrored() {
			if machines[path] == nil {
				machines[path] = names // a fork
			}
		}
		return machines
	}
	t.facts = f
	return f
}

// CloseTeam closes the connection to the team database.
func (a *Sessions) CloseTeam() {
	if a.team != nil && a.team.facts != nil && a.team.facts.store != nil {
		a.team.facts.store.Close()
	}
}

// mirrorSome refreshes the files of sessions in the mirror.
func (a *Sessions) mirrorSome(ctx context.Context, wanted func(path string) bool) error {
	t, f := a.team, a.team.facts
	return a.refreshing(func(progress func(int64)) error {
		return a.readMirror(ctx, f.store, t, f.memory, progress, func(r *replica.Team) error {
			return t.mirror.RefreshSome(ctx, r, f.listing, func(copies []replica.Replica) bool {
				path := t.mirror.File(copies[0])
				if !wanted(path) {
					return false
				}
				if k := f.known[path]; k != nil {
					k.read = true
				}
				return true
			})
		})
	})
}

// MirrorTeam mirrors all sessions, for a command that needs their files.
func (a *Sessions) MirrorTeam(ctx context.Context) error {
	if a.team == nil || a.team.facts == nil {
		return nil
	}
	if a.team.facts.store != nil {
		if err := a.mirrorSome(ctx, func(string) bool { return true }); err != nil {
			return err
		}
	}
	a.CloseTeam()
	a.team.facts = nil
	return nil
}

// eachOfTeam yields the team's sessions: those that the database describes, and
// those in the mirror.
func (a *Sessions) eachOfTeam(files iter.Seq2[catalog.Info, error], wanted func(*catalog.Info) bool) iter.Seq2[catalog.Info, error] {
	f := a.team.facts
	return func(yield func(catalog.Info, error) bool) {
		for i := range f.infos {
			if wanted(&f.infos[i]) && !yield(f.infos[i], nil) {
				return
			}
		}
		if len(f.infos) == len(f.listing.Sessions()) {
			return
		}
		for info, err := range files {
			if f.known[info.Path] == nil && !yield(info, err) {
				return
			}
		}
	}
}

// fetch mirrors the sessions that a reference may name, so that it can be
// resolved among files. Sessions that were mirrored before are refreshed,
// because they may have changed their names.
func (a *Sessions) fetch(ctx context.Context, ref string) error {
	f := a.team.facts
	if f == nil || f.store == nil {
		return nil
	}
	if _, rest, cut := strings.Cut(ref, "/"); cut && rest != "" {
		ref = rest
	}
	here := map[string]bool{}
	if strings.HasPrefix(ref, "@") {
		if cwd, err := a.Env.Cwd(); err == nil {
			of := ProjectAt(cwd)
			for i := range f.infos {
				if len(here) < mostFetched && !f.infos[i].Internal && of(f.infos[i].Cwd) {
					here[f.infos[i].Path] = true
				}
			}
		}
	}
	ref = strings.TrimSuffix(ref, ".jsonl")
	some := map[string]bool{}
	for i := range f.infos {
		s := &f.infos[i]
		_, err := os.Stat(s.Path)
		named := s.Name == ref || strings.HasPrefix(s.ID, ref) || strings.HasSuffix(s.ID, ref) || here[s.Path]
		if err == nil || named && len(some) < mostFetched {
			some[s.Path] = true
		}
	}
	return a.fetchFiles(ctx, some)
}

// FetchTeam mirrors sessions of a list whose files a command reads.
func (a *Sessions) FetchTeam(ctx context.Context, infos []catalog.Info) error {
	if a.team == nil || a.team.facts == nil {
		return nil
	}
	if a.team.facts.store == nil {
		return errAway
	}
	some := map[string]bool{}
	for i := range infos {
		some[infos[i].Path] = a.team.facts.known[infos[i].Path] != nil
	}
	return a.fetchFiles(ctx, some)
}

// fetchFiles mirrors sessions that the database describes, unless this run did
// so already.
func (a *Sessions) fetchFiles(ctx context.Context, some map[string]bool) error {
	fresh := func(path string) bool { return some[path] && !a.team.facts.known[path].read }
	for path := range some {
		if fresh(path) {
			return a.mirrorSome(ctx, fresh)
		}
	}
	return nil
}

// mostFetched is the number of sessions that are fetched for one reference. One
// with more matches is ambiguous.
const mostFetched = 50

// TeamCosts returns what the sessions of a list cost, for cost.Options.Known.
// It mirrors sessions whose costs the database does not know.
func (a *Sessions) TeamCosts(ctx context.Context) (func(path string) ([]string, bool), error) {
	if a.team == nil || a.team.facts == nil {
		return nil, nil
	}
	f := a.team.facts
	if f.store == nil {
		return nil, errAway
	}
	logs := make([]int64, 0, len(f.known))
	for _, k := range f.known {
		logs = append(logs, k.log)
	}
	pieces, err := f.store.Costs(ctx, logs)
	if err != nil {
		return nil, ExplainStore(err)
	}
	missing := map[string]bool{}
	for path, k := range f.known {
		missing[path] = !cost.Usable(pieces[k.log])
	}
	if err := a.mirrorSome(ctx, func(path string) bool { return missing[path] }); err != nil {
		return nil, err
	}
	return func(path string) ([]string, bool) {
		k := f.known[path]
		if k == nil || missing[path] {
			return nil, false
		}
		return pieces[k.log], true
	}, nil
}

// errAway means that a command needs the team database, which cannot be
// reached. The reason was noted.
var errAway = errors.New("this needs the team database; only pith ls and sessions that were opened work without it")

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
	if err := a.mirrorSome(ctx, func(path string) bool { return f.known[path] != nil && !f.known[path].searchable }); err != nil {
		return search.Results{}, true, err
	}
	infos, err := a.List(ctx, all, o.Catalog.IncludeInternal)
	if err != nil {
		return search.Results{}, true, err
	}
	there := []catalog.Info{}
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
	r, err := search.Elsewhere(ctx, q, o, there, c.lines(ctx), c.lies)
	if n := len(c.wrong); n > 0 && err == nil {
		a.NoteLater("note: %s could not be searched: what %s pushed about them is wrong", humanize.Count(n, "session"), c.names())
	}
	return search.Merge(here, r, o), true, ExplainStore(err)
}

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
		start, before := 0, int64(math.MaxInt64)
		end, most, read := min(pgteam.FewLogs, len(c.sessions)), max(64, min(2*c.enough, 4096)), 0
		for start < len(c.sessions) {
			byLog := map[int64]int{}
			var logs []int64
			for i := start; i < end; i++ {
				if log := c.f.known[c.sessions[i].Path].log; !c.skips(i) {
					byLog[log] = i
					logs = append(logs, log)
				}
			}
			found, err := c.f.store.Seek(ctx, logs, c.words, c.prefixes, most)
			if err != nil {
				yield(search.RemoteLine{}, err)
				return
			}
			full := len(found) == most
			for part := range portions(found) {
				for line, err := range c.read(ctx, part, byLog, start, before) {
					if read++; !yield(line, err) || err != nil || read == c.most {
						return
					}
				}
			}
			if !full {
				start, before, end = end, math.MaxInt64, len(c.sessions)
				continue
			}
			last := found[len(found)-1]
			start, before = byLog[last.Log], last.Offset
			most = min(4*most, 1<<20)
		}
	}
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
