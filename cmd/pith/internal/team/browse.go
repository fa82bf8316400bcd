package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
)

// A selection selects sessions of a team: by a query, and by person:NAME.
type selection struct {
	query.Query
	person string
	passes func(*catalog.Info) bool
}

func (a *Commands) parseQuery(args []string) (c selection, err error) {
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		name, ok := strings.CutPrefix(arg, "person:")
		if ok {
			c.person = name
		}
		return ok
	})
	if c.Query, err = query.Parse(query.Join(args), a.QueryEnv()); err != nil {
		return c, exit.AsUsage(err)
	}
	if _, ofEntries := c.OfEntries(); ofEntries {
		return c, exit.Usagef("filters of entries work only on pulled sessions")
	}
	c.passes = (&search.Options{}).Chooser(c.Query)
	return c, nil
}

// match reports whether a session is selected.
func (c *selection) match(s *pgteam.Session) bool {
	info := infoOf(s)
	return (!info.Internal || c.Has("internal")) && (c.person == "" || s.Person == c.person) && c.passes(&info)
}

// sessions yields the selected sessions, the most recently used first.
func (c *selection) sessions(ctx context.Context, db *pgteam.Store) iter.Seq2[pgteam.Session, error] {
	return func(yield func(pgteam.Session, error) bool) {
		for s, err := range db.Sessions(ctx) {
			if (err != nil || c.match(&s)) && !yield(s, err) {
				return
			}
		}
	}
}

// infoOf returns a session as an entry of a list. Its ID names its owner.
func infoOf(s *pgteam.Session) catalog.Info {
	return s.Facts.Info(s.Person+"/"+s.ID, s.Size)
}

// withDatabase runs f with the team database.
func (a *Commands) withDatabase(ctx context.Context, f func(*pgteam.Store) error) error {
	db, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	return explain(f(db))
}

func (a *Commands) lsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "ls [QUERY...]",
		Short: "List the sessions that you may read",
		Long: `List the sessions in the team database that you may read, the most recently used
first. QUERY consists of words, the filters of pith ls and person:NAME.`,
		Example: `  pith team ls
  pith team ls person:bob since:7d parser
  pith team ls --limit 0 --json`,
		Args: flags.Takes(0, -1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return exit.Usagef("invalid --limit %d: use 0 or more", limit)
			}
			q, err := a.parseQuery(args)
			if err != nil {
				return err
			}
			return a.withDatabase(cmd.Context(), func(db *pgteam.Store) error { return a.list(cmd.Context(), db, q, limit, a.JSON) })
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 30, "list at most `N` sessions; 0 lists all")
	return cmd
}

func (a *Commands) list(ctx context.Context, db *pgteam.Store, q selection, limit int, asJSON bool) error {
	all, more := []pgteam.Session{}, false
	for s, err := range q.sessions(ctx, db) {
		if err != nil {
			return err
		}
		if limit > 0 && len(all) == limit {
			more = true
			break
		}
		all = append(all, s)
	}
	if asJSON {
		infos := make([]catalog.Info, len(all))
		for i := range all {
			infos[i] = infoOf(&all[i])
		}
		return a.Out.JSON(ops.Rows(infos, nil, func(string) marks.Marks { return marks.Marks{} }))
	}
	if len(all) == 0 {
		a.Note("no sessions that you may read; share yours with pith team push --all and pith team grant")
		return nil
	}
	g := layout.Grid{Head: []string{"used", "person", "id", "title", "project"}, Flex: 3}
	for i := range all {
		info := infoOf(&all[i])
		g.Add(tone.None, a.When(info.Modified), termsafe.Line(all[i].Person), termsafe.Line(fmt.Sprintf("%.13s", all[i].ID)), termsafe.Fit(layout.Flatten(info.Title()), layout.TitleCells), termsafe.Line(cmp.Or(a.ShortPath(info.Cwd), "unknown")))
	}
	g.Print(a.Out, a.Colors, a.Width())
	if more {
		a.Note("only the newest %d; --limit 0 lists all", limit)
	}
	return nil
}

func (a *Commands) searchCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Search the sessions that you may read",
		Long: `Search the entries of the sessions in the team database that you may read, newest
first. QUERY is one of pith search, and needs a word; file: and branch: work only
on pulled sessions.

Exit status is 0 if there is a match and 1 if there is none.`,
		Example: `  pith team search linker error
  pith team search '"connection refused"' role:user since:7d`,
		Args: flags.Takes(1, -1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			parsed, err := query.Parse(query.Join(args), a.QueryEnv())
			if err != nil {
				return exit.AsUsage(err)
			}
			q := search.For(parsed)
			if _, _, ok := q.Needs(); !ok || limit < 1 {
				return exit.Usagef("the database finds words; pull the sessions to search them in other ways, and use a --limit of 1 or more")
			}
			return a.withDatabase(cmd.Context(), func(db *pgteam.Store) error { return a.search(cmd.Context(), db, q, limit, a.JSON) })
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", search.DefaultLimit, "print at most `N` matches")
	return cmd
}

// search asks for more lines until enough of them match, since the database
// knows nothing of roles, tools and times.
func (a *Commands) search(ctx context.Context, db *pgteam.Store, q search.Query, limit int, asJSON bool) error {
	words, prefixes, _ := q.Needs()
	var r search.Results
	cut := false
	for most := limit + 1; ; most *= 8 {
		lines, err := db.Search(ctx, words, prefixes, most)
		if err != nil {
			return err
		}
		candidates := func(yield func(search.RemoteLine, error) bool) {
			for i := range lines {
				info := infoOf(&lines[i].Session)
				if q.Filters.Without("since", "until").MatchSession(&query.Session{Info: &info}) &&
					!yield(search.RemoteLine{Session: &info, Offset: lines[i].Offset, Line: lines[i].Line}, nil) {
					return
				}
			}
		}
		r, err = search.Remote(ctx, q, search.Options{Limit: limit}, candidates)
		if err != nil {
			return err
		}
		if cut = len(lines) == most; !cut || len(r.Hits) == limit || most >= 20_000 { // candidates
			break
		}
	}
	r.More = r.More || cut
	if asJSON {
		if err := a.Out.JSON(ops.MatchesOf(&r)); err != nil {
			return err
		}
	} else {
		a.printHits(r.Hits)
		if cut {
			a.Note("there may be more matches in older sessions")
		}
	}
	if len(r.Hits) == 0 {
		return exit.ErrNoMatch
	}
	return nil
}

func (a *Commands) printHits(hits []search.Hit) {
	last := ""
	for i := range hits {
		h := &hits[i]
		if h.Session.ID != last {
			last = h.Session.ID
			a.Out.Print(a.Colors.Bold(termsafe.Fit(layout.Flatten(h.Session.Title()), layout.TitleCells)) + "  " + termsafe.Line(last) + "  " + a.When(h.Session.Modified) + "\n")
		}
		a.Out.Print("  " + termsafe.Fit(cmp.Or(h.EntryID, "-"), 12) + "  " + termsafe.Fit(cmp.Or(h.Role, string(h.Type)), 24) + "  " + termsafe.Line(h.Snippet.Text) + "\n")
	}
}

func (a *Commands) usageCommand() *cobra.Command {
	var by *flags.OneOf
	var since, until string
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show tokens and cost of the sessions that you may read",
		Long: `Show the tokens and cost recorded in the sessions in the team database that you
may read. A response that a person has in several sessions counts once. Days and
months are those of UTC.`,
		Example: `  pith team usage --by person
  pith team usage --by model --since 30d --json`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var text []string
			for key, value := range map[string]string{"since": since, "until": until} {
				if value != "" {
					text = append(text, query.Quote(key, value))
				}
			}
			q, err := a.parseQuery(text)
			if err != nil {
				return err
			}
			from, to := q.Range()
			return a.withDatabase(cmd.Context(), func(db *pgteam.Store) error {
				return a.usage(cmd.Context(), db, by.Value, from, to, a.JSON)
			})
		},
	}
	by = flags.Choice(cmd, "by", "group by `KEY`", "day", "month", "model", "person", "session")
	cmd.Flags().StringVar(&since, "since", "", "only responses since `TIME`")
	cmd.Flags().StringVar(&until, "until", "", "only responses until `TIME`")
	return cmd
}

func (a *Commands) usage(ctx context.Context, db *pgteam.Store, by string, since, until time.Time, asJSON bool) error {
	groups, err := db.Usage(ctx, by, since, until)
	if err != nil {
		return err
	}
	slices.SortFunc(groups, func(x, y pgteam.Usage) int {
		if by == "day" || by == "month" {
			return cmp.Compare(x.Key, y.Key)
		}
		return cmp.Or(cmp.Compare(y.Cost, x.Cost), cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(x.Key, y.Key))
	})
	if asJSON {
		return a.Out.JSON(slices.Concat([]pgteam.Usage{}, groups)) // not null
	}
	g := layout.Grid{Head: []string{by, "responses", "tokens", "cost"}, Right: []bool{false, true, true, true}}
	for _, x := range groups {
		g.Add(tone.None, termsafe.Line(cmp.Or(x.Key, "unknown")), strconv.FormatInt(x.Responses, 10), humanize.Number(x.Tokens), "$"+strconv.FormatFloat(float64(x.Cost)/1e6, 'f', 2, 64))
	}
	g.Print(a.Out, a.Colors, a.Width())
	return nil
}

func (a *Commands) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show SESSION",
		Short: "Pull a session and show it",
		Long: `Pull one of your sessions, or PERSON/SESSION that someone shares with you, and
show it.`,
		Example: "  pith team show bob/0199a1b2",
		Args:    flags.Takes(1, 1, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := a.fetch(cmd.Context(), args[0])
			if err != nil {
				return explain(err)
			}
			return a.Open(cmd.Context(), ref)
		},
	}
}

// fetch pulls one session and returns its ID here.
func (a *Commands) fetch(ctx context.Context, ref string) (string, error) {
	l, err := a.connect(ctx, redactOff)
	if err != nil {
		return "", err
	}
	defer l.close()
	p, err := a.newPulling(ctx, l, pullFlags{})
	if err != nil {
		return "", err
	}
	copies, err := p.find(ctx, ref)
	if err != nil {
		return "", err
	}
	sum, failed, err := p.run(ctx, [][]replica.Copy{copies})
	switch {
	case err != nil:
		return "", err
	case len(failed) > 0:
		return "", failed[0].err
	case sum.incomplete > 0:
		return "", errors.New("its machine is still pushing it; try again later")
	}
	if c := copies[0]; c.Person != l.Person {
		return c.Person + "/" + c.Session, nil
	}
	return copies[0].Session, nil
}
