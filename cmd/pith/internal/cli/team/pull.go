package team

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/replica"
)

type pullFlags struct {
	connectFlags
	all, asJSON   bool
	from, project string
}

func (a *Commands) pullCommand() *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull [SESSION...]",
		Short: "Download sessions from the team database",
		Long: `Download your sessions from all your machines, or with --from the sessions that
someone shares with you. Existing sessions only get the entries they lack;
nothing is rewritten. Conflicting entries, and entries that someone else added
to your session, become a fork; on a terminal, pith asks first.

Sessions are saved for the project with the same Git repository or directory
name on this machine, or the one given with --into, which is remembered.`,
		Example: `  pith team pull --all
  pith team pull 0199a1b2 --into ~/src/thing
  pith team pull 0199a1b2 --from bob`,
		Args: flags.Takes(0, -1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := chosen(args, f.all); err != nil {
				return err
			}
			return a.pull(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "pull all sessions except those deleted here")
	cmd.Flags().StringVar(&f.from, "from", "", "pull sessions of `PERSON`")
	cmd.Flags().StringVar(&f.project, "into", "", "the project is at `DIR` on this machine")
	_ = cmd.MarkFlagDirname("into") // the flag was just made
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print a JSON object")
	f.connectFlags.add(cmd, false)
	return cmd
}

// A pullSum is the result of a pull in JSON. docs/reference/json.md describes
// it.
type pullSum struct {
	Pulled int         `json:"pulled"`
	Same   int         `json:"upToDate"`
	Bytes  int64       `json:"bytes"`
	Files  []view.Text `json:"files"`
	Apart  []view.Text `json:"apart"`
	Moved  []view.Text `json:"moved"`

	unverified int
}

func (a *Commands) pull(ctx context.Context, refs []string, f pullFlags) error {
	l, err := a.connect(ctx, f.connectFlags)
	if err != nil {
		return err
	}
	defer l.close()
	p, err := a.newPulling(ctx, l, f)
	if err != nil {
		return explain(err)
	}
	sessions, err := p.chosen(refs)
	if err != nil {
		return err
	}
	sum, failed, err := p.run(ctx, sessions)
	if err != nil {
		return explain(err)
	}
	if f.asJSON {
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
	person   string
	sessions [][]replica.Replica
	here     map[string]string // session files by ID
	homes    map[replica.Project]string
	apart    map[string]bool // forks that other machines make of our sessions
	removed  int             // number of sessions deleted here
	homeless int             // number of sessions whose project is not here
	answers  lookup.CwdAnswers
}

func (a *Commands) newPulling(ctx context.Context, l *link, f pullFlags) (*pulling, error) {
	p := &pulling{link: l, flags: f, person: l.Person, here: map[string]string{}, homes: map[replica.Project]string{}, apart: map[string]bool{},
		answers: lookup.CwdAnswers{File: a.StateFile("directories.json")}}
	if f.from != "" {
		p.person = f.from
	}
	if f.project != "" {
		dir, err := a.ProjectDir(f.project)
		if err != nil {
			return nil, err
		}
		p.flags.project = dir
	}
	listing, err := l.List(ctx, p.person)
	if err != nil {
		return nil, err
	}
	p.sessions = listing.Sessions()
	infos, err := a.local(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range infos {
		s := &infos[i]
		if _, twice := p.here[s.ID]; !twice {
			p.here[s.ID] = s.Path
		}
		p.apart[replica.ForkID(replica.Replica{Person: l.Person, Machine: l.Machine, Session: s.ID})] = true
		if s.Cwd == "" || seen[s.Cwd] {
			continue
		}
		seen[s.Cwd] = true
		if at := replica.ProjectAt(s.Cwd); at.Known() && p.homes[at] == "" {
			p.homes[at] = s.Cwd // the most recently used one
		}
	}
	if cwd, err := a.Env.Cwd(); err == nil { // a project without sessions here yet
		if at := replica.ProjectAt(cwd); at.Known() && p.homes[at] == "" {
			p.homes[at] = cwd
		}
	}
	return p, nil
}

// chosen returns the sessions that the command line selects.
func (p *pulling) chosen(refs []string) ([][]replica.Replica, error) {
	var out [][]replica.Replica
	if p.flags.all {
		had := p.memory.Had()
		for _, copies := range p.sessions {
			id := copies[0].Session
			switch {
			case p.apart[id]:
			case had[id] && p.here[id] == "":
				p.removed++
			default:
				out = append(out, copies)
			}
		}
		return out, nil
	}
	for _, ref := range refs {
		var found [][]replica.Replica
		for _, copies := range p.sessions {
			if id := copies[0].Session; id == ref {
				found = [][]replica.Replica{copies}
				break
			} else if strings.HasPrefix(id, ref) || len(ref) >= 4 && strings.HasSuffix(id, ref) {
				found = append(found, copies)
			}
		}
		switch len(found) {
		case 0:
			return nil, exit.Missingf("%s has no session %q that you may read; pith team status shows what there is", p.person, ref)
		case 1:
			out = append(out, found[0])
		default:
			return nil, exit.Ambiguousf("%q matches %d sessions in the team database; use more of the ID", ref, len(found))
		}
	}
	return out, nil
}

// run pulls sessions. After an error it does not try any further ones.
func (p *pulling) run(ctx context.Context, sessions [][]replica.Replica) (pullSum, []failure, error) {
	sum := pullSum{Files: []view.Text{}, Apart: []view.Text{}, Moved: []view.Text{}}
	bar := p.app.Progress("pulling")
	defer bar.Done()
	var total, moved int64
	for _, copies := range sessions {
		for _, r := range copies {
			total += r.Size
		}
	}
	p.moved = func(n int64) {
		moved += n
		bar.At(moved, total, humanize.Bytes)
	}
	var failed []failure
	for n, copies := range sessions {
		path := p.here[copies[0].Session]
		if path == "" {
			var err error
			if path, err = p.place(ctx, copies[0]); err != nil {
				if fatal(err) || ctx.Err() != nil {
					return sum, failed, err
				}
				failed = append(failed, failure{copies[0].String(), err})
				continue
			}
		}
		done, err := p.Pull(ctx, copies, path, replica.PullOptions{Ask: p.ask(ctx, path)})
		if done.Moved() {
			sum.Moved = append(sum.Moved, view.Text(path))
		}
		for _, other := range done.Others {
			sum.Apart = append(sum.Apart, view.Text(other))
		}
		sum.Bytes += done.Bytes
		sum.unverified += len(done.Unverified)
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
			sum.Files = append(sum.Files, view.Text(path))
		}
		if n%100 == 99 {
			_ = p.save() // saved again at the end
		}
	}
	return sum, failed, nil
}

// ask returns a function that asks about entries that another person wrote into
// a session; nil if there is no one to ask.
func (p *pulling) ask(ctx context.Context, path string) func(replica.Replica, int) (replica.Choice, error) {
	if !p.app.CanAsk() {
		return nil
	}
	return func(r replica.Replica, entries int) (replica.Choice, error) {
		fmt.Fprintf(p.app.Env.Stderr, "%s added %s to your session %s: fork, merge or skip? [F/m/s] ",
			r.Person, humanize.Count(entries, "entry"), path)
		answer, err := p.app.ReadLine(ctx)
		if err != nil {
			return replica.Skip, err
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "m":
			return replica.Merge, nil
		case "s":
			return replica.Skip, nil
		}
		return replica.Fork, nil
	}
}

// place returns the file for a session that is not here.
func (p *pulling) place(ctx context.Context, r replica.Replica) (string, error) {
	facts, err := p.Facts(ctx, r)
	if err != nil {
		return "", err
	}
	h, err := p.Header(ctx, r)
	if err != nil {
		return "", err
	}
	name := facts.File
	if id, ok := strings.CutSuffix(name, ".jsonl"); !ok || !replica.ValidName(id) || !strings.HasSuffix(id, r.Session) {
		name = r.Session + ".jsonl"
	}
	dir := p.app.SessionDir
	if dir == "" {
		home := p.home(ctx, facts, h.Cwd)
		if place := p.app.Environment().Place(home); place.Dir != "" {
			dir = place.For(home)
		}
	}
	if dir == "" {
		return "", errors.New("no directory for sessions: HOME is not set")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil { // another file
		path = filepath.Join(dir, r.Session+"_"+r.Machine+".jsonl")
	}
	return path, nil
}

// home returns the directory of a session's project on this machine.
func (p *pulling) home(ctx context.Context, facts replica.Facts, cwd string) string {
	_, missing := os.Stat(cwd)
	if dir := p.flags.project; dir != "" {
		if missing != nil {
			p.answers.Put(ctx, cwd, dir)
		}
		return dir
	}
	if dir := p.homes[facts.Project]; facts.Project.Known() && dir != "" {
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
	if !plainFolder(cwd) {
		return p.app.Env.Home()
	}
	return cwd
}

// plainFolder reports whether a directory name from the database is safe to use
// here, since it is untrusted.
func plainFolder(cwd string) bool {
	return filepath.IsAbs(cwd) && len(cwd) < 200 && utf8.ValidString(cwd) && strings.IndexFunc(cwd, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// notes prints what a person may want to do next.
func (p *pulling) notes(sum pullSum) {
	if n := len(sum.Apart); n > 0 {
		p.app.Note("note: %s from others, or with conflicting entries, saved as a fork", humanize.Count(n, "copy"))
	}
	if n := len(sum.Moved); n > 0 {
		p.app.Note("note: %s moved to entries from another machine; pith branch goes back", humanize.Count(n, "session"))
	}
	if sum.unverified > 0 {
		p.app.Note("%s", unverifiedNote(sum.unverified))
	}
	if p.removed > 0 {
		p.app.Note("note: %s deleted here and not pulled; pull one by ID to restore it", humanize.Count(p.removed, "session"))
	}
	if p.homeless > 0 {
		p.app.Note("note: the project directory of %s is not on this machine; set it once with --into DIR", humanize.Count(p.homeless, "session"))
	}
}
