package team

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
)

// Team returns the team command and its subcommands.
func (a *Commands) Team() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "team",
		Short: "Use sessions on several machines and of a team",
		Long: `Keep the same sessions on your own machines with pith team sync, through a
directory or a PostgreSQL database.

The other commands are for a team: a database to which people push their
sessions. Everyone sees their own sessions and the ones shared with them.`,
		Example: `  pith team sync ~/Sync/sessions
  pith team init
  pith team push --all
  pith team grant --all --to bob
  pith team ls person:bob`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&a.store, "store", "", "use the database at `DSN`, a PostgreSQL connection string (or PITH_STORE)")
	cmd.AddCommand(a.syncCommand(), a.initCommand(), a.statusCommand(), a.pushCommand(), a.grantCommand(), a.lsCommand(), a.searchCommand(), a.usageCommand(),
		a.showCommand(), a.pullCommand(), a.purgeCommand())
	return cmd
}

func (a *Commands) initCommand() *cobra.Command {
	var members string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Create or upgrade the tables of a team database",
		Long: `Create or upgrade the tables, in the schema pith_team. You become their owner.
Every user of the database can use them, or with --members only the members of a
role.`,
		Example: `  pith team init --store postgres://ana@db.example/pith
  pith team init --members developers`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dsn := a.dsn()
			if dsn == "" {
				return errNoStore
			}
			s, err := pgteam.Init(cmd.Context(), dsn, members, pgstore.Options{})
			if err != nil {
				return explain(err)
			}
			defer s.Close()
			a.Out.Printf("the team database is ready; you are %s\n", termsafe.Line(s.Person()))
			return nil
		},
	}
	cmd.Flags().StringVar(&members, "members", "", "allow only members of `ROLE`")
	return cmd
}

// A statusRecord is the status of the team database in JSON.
// docs/reference/json.md describes it.
type statusRecord struct {
	Person   string         `json:"person"`
	Machine  string         `json:"machine"`
	Machines []machineState `json:"machines"`
	Old      int            `json:"old"`
	OldBytes int64          `json:"oldBytes"`
	Deleted  int            `json:"deleted"`
	Grants   []grantRecord  `json:"grants"`
}

type machineState struct {
	Person   string `json:"person"`
	Machine  string `json:"machine"`
	Sessions int    `json:"sessions"`
	Bytes    int64  `json:"bytes"`
}

type grantRecord struct {
	Session string `json:"session" empty:"null"` // null for all
	To      string `json:"to"`
}

func (a *Commands) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show who you are, your sessions and what you share",
		Long: `Show your user, the sessions of each machine in the team database, and what you
share with whom.`,
		Example: "  pith team status\n  pith team status --json",
		Args:    flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.status(cmd.Context(), a.JSON)
		},
	}
	return cmd
}

func (a *Commands) status(ctx context.Context, asJSON bool) error {
	l, err := a.connect(ctx, redactOff)
	if err != nil {
		return err
	}
	defer l.close()
	listing, err := l.List(ctx, "", "")
	if err != nil {
		return explain(err)
	}
	grants, err := l.db.Grants(ctx)
	if err != nil {
		return explain(err)
	}
	r := statusRecord{Person: l.Person, Machine: l.Machine, Machines: []machineState{}, Grants: []grantRecord{}, Old: len(listing.Old), Deleted: len(listing.Deleted)}
	for _, x := range listing.Copies {
		i := slices.IndexFunc(r.Machines, func(m machineState) bool { return m.Person == x.Person && m.Machine == x.Machine })
		if i < 0 {
			i = len(r.Machines)
			r.Machines = append(r.Machines, machineState{Person: x.Person, Machine: x.Machine})
		}
		r.Machines[i].Sessions++
		r.Machines[i].Bytes += x.Stored
	}
	for _, x := range listing.Old {
		r.OldBytes += x.Stored
	}
	for _, g := range grants {
		r.Grants = append(r.Grants, grantRecord{g.Session, g.Grantee})
	}
	if all, err := l.db.SeesAll(ctx); err != nil {
		return explain(err)
	} else if all {
		a.Note("warning: %s can read everything in the database; use a less privileged user", l.Person)
	}
	if asJSON {
		return a.Out.JSON(r)
	}
	a.printStatus(r)
	return nil
}

func (a *Commands) printStatus(r statusRecord) {
	a.Fact("you", r.Person+" at "+r.Machine)
	for _, m := range r.Machines {
		a.Fact(m.Person, fmt.Sprintf("%s at %s, %s", humanize.Count(m.Sessions, "session"), m.Machine, humanize.Bytes(m.Bytes)))
	}
	if r.Old > 0 {
		a.Fact("old", fmt.Sprintf("%s of rewritten files, %s; delete them with pith team purge --old", humanize.Count(r.Old, "copy"), humanize.Bytes(r.OldBytes)))
	}
	for _, g := range r.Grants {
		what := "all your sessions"
		if g.Session != "" {
			what = "session " + g.Session
		}
		a.Fact("shared", what+" with "+g.To)
	}
	if len(r.Grants) == 0 {
		a.Fact("shared", "nothing; only you can read your sessions")
	}
}

type grantFlags struct {
	to          []string
	all, revoke bool
}

func (a *Commands) grantCommand() *cobra.Command {
	var f grantFlags
	cmd := &cobra.Command{
		Use:   "grant [SESSION...]",
		Short: "Share sessions with others, or stop sharing",
		Long: `Let a person, a group or everybody read your sessions in the team database: the
given ones, or with --all every session, including future ones.`,
		Example: `  pith team grant @ --to bob
  pith team grant --all --to developers
  pith team grant 0199a1b2 --to everybody
  pith team grant --all --to bob --revoke`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := chosen(args, f.all); err != nil {
				return err
			}
			if len(f.to) == 0 {
				return exit.Usagef("missing --to: a person, a group or everybody")
			}
			return a.grant(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringArrayVar(&f.to, "to", nil, "share with `WHO`: a user or group of the database, or everybody")
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "all your sessions, including future ones")
	cmd.Flags().BoolVar(&f.revoke, "revoke", false, "stop sharing")
	return cmd
}

func (a *Commands) grant(ctx context.Context, refs []string, f grantFlags) error {
	l, err := a.connect(ctx, redactOff)
	if err != nil {
		return err
	}
	defer l.close()
	listing, err := l.List(ctx, l.Person, "")
	if err != nil {
		return explain(err)
	}
	ids := []string{""}
	if !f.all {
		if ids, err = l.ownIDs(ctx, listing, refs); err != nil {
			return err
		}
	}
	var grants []pgteam.Grant
	for _, id := range ids {
		for _, who := range f.to {
			if who == "everybody" {
				who = pgteam.Everybody
			}
			grants = append(grants, pgteam.Grant{Session: id, Grantee: who})
		}
	}
	if f.revoke {
		return explain(l.db.Take(ctx, grants...))
	}
	if err := l.db.Give(ctx, grants...); err != nil {
		if errors.Is(err, pgteam.ErrNoRole) {
			return exit.Missingf("%w", err)
		}
		return explain(err)
	}
	a.notePlain(listing, ids)
	return nil
}

// notePlain notes how many copies others can now read unredacted.
func (a *Commands) notePlain(listing *replica.Listing, ids []string) {
	plain := func(copies []replica.Copy) (n int) {
		for _, c := range copies {
			if c.Policy == "" && (ids[0] == "" || slices.Contains(ids, c.Session)) {
				n++
			}
		}
		return n
	}
	if n := plain(listing.Copies); n > 0 {
		a.Note("warning: %s not redacted; others can now read secrets in them. pith team push --redact all replaces them", humanize.Count(n, "copy"))
	}
	if n := plain(listing.Old); n > 0 {
		a.Note("warning: %s of older files not redacted, and readable too; pith team purge --old deletes them", humanize.Count(n, "copy"))
	}
}

// ownIDs returns the IDs of this person's sessions that refs name, by any
// reference or by their IDs in the database.
func (l *link) ownIDs(ctx context.Context, listing *replica.Listing, refs []string) (ids []string, err error) {
	for _, ref := range refs {
		id := ""
		if !strings.HasPrefix(ref, "@") {
			id, err = named(listing, l.Person, ref)
		}
		if id == "" && err == nil {
			var here catalog.Ref
			here, err = l.app.Locate(ctx, ref)
			id = here.ID
		}
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

type purgeFlags struct{ old, yes, undelete bool }

func (a *Commands) purgeCommand() *cobra.Command {
	var f purgeFlags
	cmd := &cobra.Command{
		Use:   "purge [SESSION...]",
		Short: "Delete your sessions from the team database",
		Long: `Permanently delete all copies of your sessions from the team database. Files on
your machines stay. Deleted sessions are not pushed again until --undelete. With
--old, delete only the copies that were replaced when a file was rewritten. pith
asks first; without a terminal, pass --yes.`,
		Example: `  pith team purge 0199a1b2
  pith team purge --old --yes
  pith team purge 0199a1b2 --undelete`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.old == (len(args) > 0) {
				return exit.Usagef("specify sessions or --old")
			}
			return a.purge(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVar(&f.old, "old", false, "delete only replaced copies")
	cmd.Flags().BoolVar(&f.undelete, "undelete", false, "allow deleted sessions to be pushed again")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.Exclusive(cmd, "old", "undelete")
	return cmd
}

func (a *Commands) purge(ctx context.Context, refs []string, f purgeFlags) error {
	l, err := a.connect(ctx, redactOff)
	if err != nil {
		return err
	}
	defer l.close()
	listing, err := l.List(ctx, l.Person, "")
	if err != nil {
		return explain(err)
	}
	if f.undelete {
		return a.undelete(ctx, l, refs)
	}
	doomed := listing.Old
	var ids []string
	if !f.old {
		if ids, err = l.ownIDs(ctx, listing, refs); err != nil {
			return err
		}
		doomed = slices.DeleteFunc(slices.Concat(listing.Copies, listing.Old), func(c replica.Copy) bool { return !slices.Contains(ids, c.Session) })
	}
	var size int64
	for _, r := range doomed {
		size += r.Stored
	}
	if !f.yes {
		if !a.CanAsk() {
			return exit.Usagef("not a terminal; pass --yes to delete %s (%s) permanently", humanize.Count(len(doomed), "copy"), humanize.Bytes(size))
		}
		if err := a.Confirm(ctx, fmt.Sprintf("permanently delete %s (%s) from the team database", humanize.Count(len(doomed), "copy"), humanize.Bytes(size))); err != nil {
			return err
		}
	}
	if f.old {
		ids = []string{""}
	}
	var copies, bytes int64
	for _, id := range ids {
		n, size, err := l.db.Purge(ctx, id)
		if err != nil {
			return explain(err)
		}
		copies, bytes = copies+n, bytes+size
	}
	a.Out.Printf("deleted %s, %s\n", humanize.Count(int(copies), "copy"), humanize.Bytes(bytes))
	if !f.old {
		a.Note("note: files on your machines stay; remove them with pith rm")
	}
	return nil
}

func (a *Commands) undelete(ctx context.Context, l *link, refs []string) error {
	for _, ref := range refs {
		if was, err := l.db.Restore(ctx, ref); err != nil {
			return explain(err)
		} else if !was {
			return exit.Missingf("no deleted session %s in the team database; use the full ID", ref)
		}
	}
	return nil
}
