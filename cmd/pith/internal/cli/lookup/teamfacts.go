package lookup

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
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
	partial bool              // listing does not have all sessions
	others  pgteam.Others     // those that it does not have
	lie     bool              // a log was chosen by a wrong time

	wordless bool // the facts of a session do not have its words
}

// known is a session whose facts suffice.
type known struct {
	log        int64 // number of its log
	searchable bool
	read       bool   // it is in the mirror too
	sums       string // see [cost.Alone]
}

// UseTeamFacts is like UseTeam for a command that lists, counts or searches
// sessions, or opens a few: it asks the database and mirrors only the sessions
// that the database has no facts of. newest is the number of sessions that
// suffice, besides those with marks: see [Sessions.TeamOthers]. It is negative
// if none are needed before a search, and 0 if all are needed.
func (a *Sessions) UseTeamFacts(ctx context.Context, newest int) error {
	if len(a.Sources) > 0 {
		return a.UseTeam(ctx) // facts do not tell the agents apart
	}
	file, err := a.openMirror()
	if err != nil {
		return err
	}
	list := filepath.Join(filepath.Dir(file), "facts")
	short := filepath.Join(filepath.Dir(file), "newest")
	s, err := a.ConnectTeam(ctx)
	if err == nil && !s.KeepsFacts() {
		s.Close()
		return a.refreshTeam(ctx, file)
	}
	var logs []replica.LogFacts
	var f *teamFacts
	if err == nil && newest != 0 {
		var others pgteam.Others
		if logs, others, err = s.Newest(ctx, max(0, newest), wantedSessions(a)); err == nil {
			f = a.team.setFacts(s, file, logs)
			if f.partial, f.others = true, others; f.lie {
				f = nil // one that is shown may be missing
			}
		}
	}
	if err == nil && f == nil {
		if logs, err = s.Facts(ctx); err == nil {
			a.team.setFacts(s, file, logs)
			short = list
		}
	}
	err = ExplainStore(err)
	if err != nil {
		if s != nil {
			s.Close()
		}
		_, missing := os.Stat(list)
		if older(short, list) || newest == 0 && missing == nil {
			short = list
		}
		if err := a.away(err, short); err != nil {
			return a.away(err, file)
		}
		if newest == 0 && short != list {
			a.Note("note: the copy has only the newest sessions")
		}
		data, _ := os.ReadFile(short) // its time was just read
		if logs, err = replica.UnpackFacts(data); err == nil {
			a.team.setFacts(nil, file, logs)
		}
		return nil
	}
	if newest >= 0 {
		keepFacts(short, replica.PackFacts(logs))
	}
	return a.mirrorRest(ctx)
}

// useAllFacts asks the database for the facts of all sessions, after a search
// asked for some.
func (a *Sessions) useAllFacts(ctx context.Context) error {
	f := a.team.facts
	logs, err := f.store.Facts(ctx)
	if err != nil {
		return ExplainStore(err)
	}
	a.team.setFacts(f.store, f.memory, logs)
	return a.mirrorRest(ctx)
}

// mirrorRest mirrors the sessions whose facts do not suffice.
func (a *Sessions) mirrorRest(ctx context.Context) error {
	f := a.team.facts
	if len(a.team.memory.Pulls) == 0 && len(f.infos) == len(f.listing.Sessions()) {
		a.idle = true
		return os.MkdirAll(a.team.mirror.Dir, 0o700) // nothing to mirror, and nothing to remove
	}
	return a.mirrorSome(ctx, func(path string) bool { return f.known[path] == nil })
}

// wantedSessions returns the sessions that a short list needs in any case: those
// with marks, and those in the mirror.
func wantedSessions(a *Sessions) []string {
	ids := slices.Collect(maps.Keys(a.team.memory.Had()))
	if m, err := a.OpenMarks(); err == nil {
		ids = append(ids, m.IDs()...)
	}
	return ids
}

// TeamOthers returns the number of the team's sessions that lists leave out,
// because the command needs only the newest.
func (a *Sessions) TeamOthers() int {
	if a.team == nil || a.team.facts == nil {
		return 0
	}
	return a.team.facts.others.Count
}

// older reports whether a file is missing or older than another.
func older(path, other string) bool {
	a, err := os.Stat(path)
	if err != nil {
		return true
	}
	b, err := os.Stat(other)
	return err == nil && a.ModTime().Before(b.ModTime())
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
	f := &teamFacts{store: s, memory: memory, known: make(map[string]*known, len(logs))}
	all, byName := make([]store.Info, len(logs)), make(map[string]replica.LogFacts, len(logs))
	chosen := false // by time
	for i, l := range logs {
		all[i] = store.Info{Name: l.Name, Size: l.Size}
		byName[l.Name] = l
		chosen = chosen || l.Used != 0
	}
	f.listing = replica.NewListing(all)
	sessions := f.listing.Sessions()
	infos, order := make([]catalog.Info, 0, len(sessions)), make([]int, 0, len(sessions))
	for _, copies := range sessions {
		sum, ok := replica.Summarize(copies, byName)
		if chosen {
			used := byName[copies[0].Log()].Used
			f.lie = f.lie || used != 0 && (!ok || used != replica.Used(&sum.Info))
		}
		if !ok {
			continue
		}
		t.place(f, &sum, copies)
		infos, order = append(infos, sum.Info), append(order, len(infos))
	}
	slices.SortFunc(order, func(a, b int) int { return catalog.ByRecency(&infos[a], &infos[b]) })
	f.infos = make([]catalog.Info, len(infos))
	for i, n := range order {
		f.infos[i] = infos[n]
	}
	mirrored := t.machines
	t.machines = sync.OnceValue(func() map[string][]string {
		machines := map[string][]string{}
		for _, copies := range f.listing.Sessions() {
			path := t.mirror.File(copies[0])
			for _, r := range copies {
				machines[path] = append(machines[path], r.Machine)
			}
		}
		for path, names := range mirrored() {
			if machines[path] == nil {
				machines[path] = names // a fork
			}
		}
		return machines
	})
	t.facts = f
	return f
}

// place gives a session its path in the mirror.
func (t *team) place(f *teamFacts, sum *replica.Summary, copies []replica.Replica) {
	sum.Info.Path, sum.Info.Root = t.mirror.File(copies[0]), catalog.RootCustom
	f.known[sum.Info.Path] = &known{log: sum.Log, searchable: sum.Searchable, sums: sum.Sums}
	f.wordless = f.wordless || !sum.Searchable
}

// addFacts adds the only copy of a session that a search found. ok is false if
// its facts are wrong; the result then has a path alone.
func (t *team) addFacts(log *replica.LogFacts) (_ *catalog.Info, ok bool) {
	var sum replica.Summary
	l := replica.NewListing([]store.Info{{Name: log.Name, Size: log.Size}})
	if len(l.Replicas) == 0 {
		_, rest, _ := strings.Cut(log.Name, "/")
		person, _, _ := strings.Cut(rest, "/")
		return &catalog.Info{Path: filepath.Join(t.mirror.Folder(person), "x")}, false
	}
	sum, ok = replica.Summarize(l.Replicas, map[string]replica.LogFacts{log.Name: *log})
	if ok = ok && sum.Searchable && replica.Used(&sum.Info) == log.Used; !ok {
		return &catalog.Info{Path: t.mirror.File(l.Replicas[0])}, false
	}
	f := t.facts
	t.place(f, &sum, l.Replicas)
	f.listing.Replicas = append(f.listing.Replicas, l.Replicas[0])
	f.infos = append(f.infos, sum.Info)
	return &f.infos[len(f.infos)-1], true
}

// CloseTeam closes the connection to the team database.
func (a *Sessions) CloseTeam() {
	if a.team != nil && a.team.facts != nil && a.team.facts.store != nil {
		a.team.facts.store.Close()
	}
}

// mirrorSome refreshes the files of the wanted sessions in the mirror; nil means
// none.
func (a *Sessions) mirrorSome(ctx context.Context, wanted func(path string) bool) error {
	if wanted == nil {
		return nil
	}
	a.idle = false
	key, err := a.StoreKey("")
	if err != nil {
		return err
	}
	t, f := a.team, a.team.facts
	return a.refreshing(func(progress func(int64)) error {
		return t.read(ctx, f.store, key, f.memory, progress, func(r *replica.Team) error {
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
		if a.team.facts.partial {
			if err := a.useAllFacts(ctx); err != nil {
				return err
			}
		}
		if err := a.mirrorSome(ctx, func(string) bool { return true }); err != nil {
			return err
		}
	}
	a.CloseTeam()
	a.team.facts = nil
	return nil
}

// each yields the team's sessions: those that the database describes, and those
// in the mirror.
func (f *teamFacts) each(files iter.Seq2[catalog.Info, error], wanted func(*catalog.Info) bool) iter.Seq2[catalog.Info, error] {
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
	return a.mirrorSome(ctx, f.unread(some))
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
	return a.mirrorSome(ctx, a.team.facts.unread(some))
}

// unread returns a function that reports whether a session is one of some and
// was not yet mirrored by this run, or nil if there is none.
func (f *teamFacts) unread(some map[string]bool) func(path string) bool {
	unread := func(path string) bool { return some[path] && !f.known[path].read }
	for path := range some {
		if unread(path) {
			return unread
		}
	}
	return nil
}

// mostFetched is the number of sessions that are fetched for one reference. One
// with more matches is ambiguous.
const mostFetched = 50

// TeamCosts sets the options of package cost for what sessions in the team
// database cost. It mirrors sessions whose costs the database does not know.
func (a *Sessions) TeamCosts(ctx context.Context, sessions []catalog.Info, o *cost.Options) error {
	if a.team == nil || a.team.facts == nil {
		return nil
	}
	f := a.team.facts
	if f.store == nil {
		return errAway
	}
	if o.Days != nil {
		o.Alone = cost.Alone(sessions, func(path string) string {
			if k := f.known[path]; k != nil {
				return k.sums
			}
			return ""
		}, o.Days)
	}
	var logs []int64
	shares := func(path string) bool { _, alone := o.Alone[path]; return !alone }
	for path, k := range f.known {
		if shares(path) {
			logs = append(logs, k.log)
		}
	}
	pieces, err := f.store.Costs(ctx, logs)
	if err != nil {
		return ExplainStore(err)
	}
	missing := map[string]bool{}
	for path, k := range f.known {
		if shares(path) && !cost.Usable(pieces[k.log]) {
			missing[path] = true
		}
	}
	o.Known = func(path string) ([]string, bool) {
		k := f.known[path]
		if k == nil || missing[path] {
			return nil, false
		}
		return pieces[k.log], true
	}
	if len(missing) == 0 {
		return nil
	}
	return a.mirrorSome(ctx, func(path string) bool { return missing[path] })
}

// errAway means that a command needs the team database, which cannot be
// reached. The reason was noted.
var errAway = errors.New("this needs the team database; only pith ls and sessions that were opened work without it")
