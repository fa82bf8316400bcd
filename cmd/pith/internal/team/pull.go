package team

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/team"
	"github.com/pith-sessions/pith/replica"
)

type pullFlags struct {
	all     bool
	project string
}

func (a *Commands) pullCommand() *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull [SESSION|QUERY...]",
		Short: "Download sessions from the team database",
		Long: `Download your sessions from your other machines, or those that others share
with you: PERSON/SESSION, or a query such as person:bob since:7d, as in
pith team ls.

Your own existing sessions only get the entries they lack; nothing is rewritten.
Conflicting entries become a fork. They are saved for the project with the same
Git repository on this machine, or the one given with --into, which is
remembered. Sessions of others are read-only: pith ls --source team.`,
		Example: `  pith team pull --all
  pith team pull 0199a1b2 --into ~/src/thing
  pith team pull bob/0199a1b2
  pith team pull person:bob since:7d`,
		Args: flags.Takes(0, -1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := chosen(args, f.all); err != nil {
				return err
			}
			return a.pull(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "pull all your own sessions")
	cmd.Flags().StringVar(&f.project, "into", "", "save your sessions for the project in `DIR`")
	_ = cmd.MarkFlagDirname("into") // the flag was just made
	return cmd
}

// A pullSum is the result of a pull in JSON. docs/reference/json.md describes
// it.
type pullSum struct {
	Pulled int      `json:"pulled"`
	Same   int      `json:"upToDate"`
	Bytes  int64    `json:"bytes"`
	Files  []string `json:"files"`
	Apart  []string `json:"apart"`
	Moved  []string `json:"moved"`

	incomplete int
}

func (a *Commands) pull(ctx context.Context, refs []string, f pullFlags) error {
	l, err := a.connect(ctx, redactOff)
	if err != nil {
		return err
	}
	defer l.close()
	p, err := a.newPulling(ctx, l, f)
	if err != nil {
		return explain(err)
	}
	sessions, err := p.chosen(ctx, refs)
	if err != nil {
		return explain(err)
	}
	sum, failed, err := p.run(ctx, sessions)
	if err != nil {
		return explain(err)
	}
	if a.JSON {
		if err := a.Out.JSON(sum); err != nil {
			return err
		}
	} else {
		a.Out.Printf("pulled %s, %s; %s up to date\n", humanize.Count(sum.Pulled, "session"), humanize.Bytes(sum.Bytes), humanize.Number(int64(sum.Same)))
	}
	p.notes(sum)
	return a.report(failed, "pulled")
}

// A pulling is the state of a pull.
type pulling struct {
	*link
	flags    pullFlags
	listing  *replica.Listing
	here     map[string]string // session files by ID
	foreign  map[string]bool   // sessions here of other agents, into whose files nothing is pulled
	homes    map[replica.Project]string
	apart    map[string]bool // forks that other machines make of our sessions
	removed  int             // number of sessions deleted here
	homeless int             // number of sessions whose project is not here
	answers  lookup.CwdAnswers
}

func (a *Commands) newPulling(ctx context.Context, l *link, f pullFlags) (*pulling, error) {
	p := &pulling{link: l, flags: f, here: map[string]string{}, foreign: map[string]bool{}, homes: map[replica.Project]string{}, apart: map[string]bool{},
		answers: lookup.CwdAnswers{File: a.StateFile("directories.json")}}
	if f.project != "" {
		dir, err := a.ProjectDir(f.project)
		if err != nil {
			return nil, err
		}
		p.flags.project = dir
	}
	var err error
	if p.listing, err = l.List(ctx, l.Person, ""); err != nil {
		return nil, err
	}
	infos, err := a.local(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range infos {
		s := &infos[i]
		if _, twice := p.here[s.ID]; foreign.Find(s.Path) != nil {
			p.foreign[s.ID] = true
		} else if !twice {
			p.here[s.ID] = s.Path
		}
		p.apart[replica.ForkID(replica.Copy{Person: l.Person, Machine: l.Machine, Session: s.ID})] = true
		if s.Cwd == "" || seen[s.Cwd] {
			continue
		}
		seen[s.Cwd] = true
		if at := replica.ProjectAt(s.Cwd); at.Remote != "" && p.homes[at] == "" {
			p.homes[at] = s.Cwd // the most recently used one
		}
	}
	if cwd, err := a.Env.Cwd(); err == nil { // a project without sessions here yet
		if at := replica.ProjectAt(cwd); at.Remote != "" && p.homes[at] == "" {
			p.homes[at] = cwd
		}
	}
	return p, nil
}

// chosen returns the copies of the sessions that the command line selects.
func (p *pulling) chosen(ctx context.Context, args []string) ([][]replica.Copy, error) {
	if p.flags.all {
		return p.own(), nil
	}
	if strings.ContainsRune(strings.Join(args, ""), ':') {
		return p.matching(ctx, args)
	}
	var out [][]replica.Copy
	for _, ref := range args {
		found, err := p.find(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

// own returns this person's sessions, without those deleted here.
func (p *pulling) own() (out [][]replica.Copy) {
	had := p.memory.Had()
	for _, copies := range p.listing.Sessions(p.Person) {
		switch id := copies[0].Session; {
		case p.apart[id], p.foreign[id] && p.here[id] == "":
		case had[id] && p.here[id] == "":
			p.removed++
		default:
			out = append(out, copies)
		}
	}
	return out
}

// find returns the copies of the session that a reference names: SESSION of this
// person, or PERSON/SESSION.
func (p *pulling) find(ctx context.Context, ref string) ([]replica.Copy, error) {
	person, id, ok := strings.Cut(ref, "/")
	listing := p.listing
	if !ok {
		person, id = p.Person, ref
	} else if person != p.Person {
		var err error
		if listing, err = p.List(ctx, person, ""); err != nil {
			return nil, err
		}
	}
	session, err := named(listing, person, id)
	if err != nil {
		return nil, err
	}
	for _, copies := range listing.Sessions(p.Person) {
		if copies[0].Person == person && copies[0].Session == session {
			return copies, nil
		}
	}
	return nil, exit.Missingf("%s has no session %q that you may read; pith team ls lists them", person, id)
}

// named returns the ID of the session of a person that a reference names, or ""
// if there is none.
func named(l *replica.Listing, person, ref string) (string, error) {
	var found []string
	for _, c := range slices.Concat(l.Copies, l.Old) {
		switch {
		case c.Person != person:
		case c.Session == ref:
			return ref, nil
		case strings.HasPrefix(c.Session, ref) || len(ref) >= 4 && strings.HasSuffix(c.Session, ref):
			found = append(found, c.Session)
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) > 1 {
		return "", exit.Ambiguousf("%q matches %d sessions in the team database; use more of the ID", ref, len(found))
	}
	return strings.Join(found, ""), nil
}

// matching returns the copies of the sessions that match a query.
func (p *pulling) matching(ctx context.Context, args []string) (out [][]replica.Copy, err error) {
	q, err := p.app.parseQuery(args)
	if err != nil {
		return nil, err
	}
	for s, err := range q.sessions(ctx, p.db) {
		if err != nil {
			return nil, err
		}
		l, err := p.List(ctx, s.Person, s.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, l.Sessions(p.Person)...)
	}
	return out, nil
}

// run pulls sessions. After an error it does not try any further ones.
func (p *pulling) run(ctx context.Context, sessions [][]replica.Copy) (pullSum, []failure, error) {
	sum := pullSum{Files: []string{}, Apart: []string{}, Moved: []string{}}
	var total, moved int64
	for _, copies := range sessions {
		for _, r := range copies {
			total += r.Length
		}
	}
	p.moved = func(n int64) {
		moved += n
		p.app.Working("pulling", moved, total, humanize.Bytes)
	}
	var failed []failure
	for n, copies := range sessions {
		path, err := p.place(ctx, copies)
		var done replica.Pulled
		if err == nil {
			done, err = p.Pull(ctx, copies, path)
		}
		if done.Moved() {
			sum.Moved = append(sum.Moved, path)
		}
		sum.Apart = append(sum.Apart, done.Others...)
		sum.Bytes += done.Bytes
		sum.incomplete += len(done.Incomplete)
		switch {
		case err != nil && (fatal(err) || ctx.Err() != nil):
			return sum, failed, err
		case err != nil:
			failed = append(failed, failure{copies[0].String(), err})
			continue
		case done.Bytes == 0:
			sum.Same++
		default:
			sum.Pulled++
			sum.Files = append(sum.Files, path)
		}
		if n%100 == 99 {
			_ = p.save() // saved again at the end
		}
	}
	return sum, failed, nil
}

// errHomeless means that there is no directory for sessions.
var errHomeless = errors.New("no directory for sessions: HOME is not set")

// place returns the file for a session.
func (p *pulling) place(ctx context.Context, copies []replica.Copy) (string, error) {
	c := copies[0]
	if c.Person != p.Person {
		roots := team.Program{}.Roots(sources.Environment{Home: p.app.Env.Home(), Getenv: p.app.Env.Getenv})
		if len(roots) == 0 {
			return "", errHomeless
		}
		return team.Path(roots[0], c.Person, c.Session), nil
	}
	if path := p.here[c.Session]; path != "" {
		return path, nil
	}
	if p.foreign[c.Session] {
		return "", exit.Conflictf("%s is a session of another agent on this machine, and only pushed", c.Session)
	}
	if i := slices.IndexFunc(copies, func(c replica.Copy) bool { return c.Length > 0 }); i >= 0 {
		c = copies[i]
	}
	name := c.File
	if id, ok := strings.CutSuffix(name, ".jsonl"); !ok || !replica.ValidName(id) || !strings.HasSuffix(id, c.Session) {
		name = c.Session + ".jsonl"
	}
	dir := p.app.SessionDir
	if dir == "" {
		home := p.home(ctx, c)
		if place := p.app.Environment().Place(home); place.Dir != "" {
			dir = place.For(home)
		}
	}
	if dir == "" {
		return "", errHomeless
	}
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil { // another file
		path = filepath.Join(dir, c.Session+"_"+c.Machine+".jsonl")
	}
	return path, nil
}

// home returns the directory of a session's project on this machine.
func (p *pulling) home(ctx context.Context, c replica.Copy) string {
	cwd := c.Cwd
	_, missing := os.Stat(cwd)
	dir := p.flags.project
	if dir == "" && c.Project.Remote != "" {
		dir = p.homes[c.Project]
	}
	if dir != "" {
		if missing != nil {
			p.answers.Put(ctx, cwd, dir)
		}
		return dir
	}
	if missing == nil {
		return cwd
	}
	if dir, known := p.answers.Get(cwd); known {
		return dir
	}
	p.homeless++
	// A directory name from the database is untrusted.
	if !filepath.IsAbs(cwd) || len(cwd) >= 200 || !utf8.ValidString(cwd) || strings.ContainsFunc(cwd, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return p.app.Env.Home()
	}
	return cwd
}

// notes prints what a person may want to do next.
func (p *pulling) notes(sum pullSum) {
	if n := len(sum.Apart); n > 0 {
		p.app.Note("note: %s with conflicting entries saved as a fork", humanize.Count(n, "copy"))
	}
	if n := len(sum.Moved); n > 0 {
		p.app.Note("note: %s moved to entries from another machine; pith branch goes back", humanize.Count(n, "session"))
	}
	if sum.incomplete > 0 {
		p.app.Note("note: %s not complete yet; the next run continues", humanize.Count(sum.incomplete, "copy"))
	}
	if p.removed > 0 {
		p.app.Note("note: %s deleted here and not pulled; pull one by ID to restore it", humanize.Count(p.removed, "session"))
	}
	if p.homeless > 0 {
		p.app.Note("note: the project directory of %s is not on this machine; set it once with --into DIR", humanize.Count(p.homeless, "session"))
	}
}
