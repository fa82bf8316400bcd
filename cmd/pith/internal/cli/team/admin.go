package team

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
)

// Team returns the team command and its subcommands.
func (a *Commands) Team() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "team",
		Short: "Set up a team's store, and say who may read what",
		Long: `A team's store is a PostgreSQL database. Each person is a user of it, and sees
their own sessions and those that others let them read. To set one up, see
docs/how-to/team.md.`,
		Example: `  pith team init
  pith team status
  pith team grant --all --to bob
  pith team purge 0199a1b2`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.initCommand(), a.statusCommand(), a.grantCommand(), a.purgeCommand())
	return cmd
}

func (a *Commands) initCommand() *cobra.Command {
	var members string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the tables of a team, or bring them up to date",
		Long: `Make the team's tables in the database, in the schema pith_team, or bring them
up to date. Who runs it owns them. Everybody who can log in to the database can
use them, or with --members only those who belong to that role.`,
		Example: `  pith team init --store postgres://ana@db.example/pith
  pith team init --members developers`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dsn := a.StoreDSN()
			if dsn == "" {
				return exit.Usagef("which store? name it with --store postgres://… or in PITH_STORE")
			}
			s, err := pgteam.Init(cmd.Context(), dsn, members, pgstore.Options{})
			if err != nil {
				return lookup.ExplainStore(err)
			}
			defer s.Close()
			a.Out.Printf("the team's tables are ready; you are %s\n", termsafe.Line(s.Person()))
			return nil
		},
	}
	cmd.Flags().StringVar(&members, "members", "", "let those use the tables who belong to `ROLE`, instead of everybody")
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
	Session *view.Text `json:"session"` // null for all
	To      string     `json:"to"`
}

func (a *Commands) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what the store shows to you, and what you let others read",
		Long: `Say who you are in the store, which sessions of which machines it shows, and
what you let others read.`,
		Example: "  pith team status\n  pith team status --json",
		Args:    flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.status(cmd.Context(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) status(ctx context.Context, asJSON bool) error {
	l, err := a.connect(ctx, connectFlags{})
	if err != nil {
		return err
	}
	defer l.close()
	listing, err := l.List(ctx, "")
	if err != nil {
		return lookup.ExplainStore(err)
	}
	grants, err := l.store.Grants(ctx)
	if err != nil {
		return lookup.ExplainStore(err)
	}
	r := statusRecord{Person: l.Person, Machine: l.Machine, Machines: []machineState{}, Grants: []grantRecord{}, Old: len(listing.Old)}
	for _, x := range listing.Replicas {
		i := slices.IndexFunc(r.Machines, func(m machineState) bool { return m.Person == x.Person && m.Machine == x.Machine })
		if i < 0 {
			i = len(r.Machines)
			r.Machines = append(r.Machines, machineState{Person: x.Person, Machine: x.Machine})
		}
		r.Machines[i].Sessions++
		r.Machines[i].Bytes += x.Size
	}
	for _, x := range listing.Old {
		r.OldBytes += x.Size
	}
	for _, sessions := range listing.Deleted {
		r.Deleted += len(sessions)
	}
	for _, g := range grants {
		r.Grants = append(r.Grants, grantRecord{view.TextOrNull(g.Session), g.Grantee})
	}
	if l.store.SeesAll() {
		a.Note("note: %s may read everything in the database; use another user for sessions", l.Person)
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
		a.Fact("old", fmt.Sprintf("%s that were rewritten since, %s; delete them with pith team purge --old", humanize.Count(r.Old, "copy"), humanize.Bytes(r.OldBytes)))
	}
	for _, g := range r.Grants {
		what := "all your sessions"
		if g.Session != nil {
			what = "session " + string(*g.Session)
		}
		a.Fact("readable", what+" by "+g.To)
	}
	if len(r.Grants) == 0 {
		a.Fact("readable", "nobody but you reads your sessions")
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
		Short: "Let others read sessions of yours, or take that back",
		Long: `Let a person, a group or everybody read sessions of yours in the store: those
named, or with --all every one, also those that come later. A session is named
as in other commands, or by its id.`,
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
				return exit.Usagef("who? name a person, a group or everybody with --to")
			}
			return a.grant(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringArrayVar(&f.to, "to", nil, "`WHO` may read: a user or group of the database, or everybody")
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "all your sessions, also later ones")
	cmd.Flags().BoolVar(&f.revoke, "revoke", false, "take it back instead")
	return cmd
}

func (a *Commands) grant(ctx context.Context, refs []string, f grantFlags) error {
	l, err := a.connect(ctx, connectFlags{})
	if err != nil {
		return err
	}
	defer l.close()
	listing, err := l.List(ctx, l.Person)
	if err != nil {
		return lookup.ExplainStore(err)
	}
	ids := []string{""}
	if !f.all {
		if ids, err = a.ownIDs(ctx, listing, refs); err != nil {
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
		return lookup.ExplainStore(l.store.Take(ctx, grants...))
	}
	if err := l.store.Give(ctx, grants...); err != nil {
		if errors.Is(err, pgteam.ErrNoRole) {
			return exit.Missingf("%w", err)
		}
		return lookup.ExplainStore(err)
	}
	return a.notePlain(ctx, l, listing, ids)
}

// notePlain notes how many copies others can now read unencrypted and
// unredacted.
func (a *Commands) notePlain(ctx context.Context, l *link, listing *replica.Listing, ids []string) error {
	plain := func(copies []replica.Replica) (n int, err error) {
		for _, r := range copies {
			if r.Sealed || ids[0] != "" && !slices.Contains(ids, r.Session) {
				continue
			}
			facts, err := l.Facts(ctx, r)
			if err != nil {
				return 0, lookup.ExplainStore(err)
			}
			if facts.Policy == "" || facts.Generation != r.Generation {
				n++
			}
		}
		return n, nil
	}
	now, err := plain(listing.Replicas)
	if err != nil {
		return err
	}
	former, err := plain(listing.Old)
	if err != nil {
		return err
	}
	if now > 0 {
		a.Note("note: not redacted: %s; secrets in them can be read now. pith push --redact all replaces them", humanize.Count(now, "copy"))
	}
	if former > 0 {
		a.Note("note: not redacted: %s of files as they were before, which can be read too; pith team purge --old deletes all of those", humanize.Count(former, "copy"))
	}
	return nil
}

// ownIDs returns the IDs of this person's sessions that refs name, by any
// reference or by their IDs in the database.
func (a *Commands) ownIDs(ctx context.Context, listing *replica.Listing, refs []string) ([]string, error) {
	var ids []string
	for _, ref := range refs {
		var found []string
		for _, r := range slices.Concat(listing.Replicas, listing.Old) {
			if r.Session == ref || strings.HasPrefix(r.Session, ref) && !lookup.IsPath(ref) && !strings.HasPrefix(ref, "@") {
				found = append(found, r.Session)
			}
		}
		slices.Sort(found)
		found = slices.Compact(found)
		if len(found) > 1 {
			return nil, exit.Ambiguousf("%q fits %d sessions of the store; give more of the id", ref, len(found))
		}
		if len(found) == 0 {
			here, err := a.Locate(ctx, ref)
			if err != nil {
				return nil, err
			}
			found = []string{here.ID}
		}
		ids = append(ids, found[0])
	}
	return ids, nil
}

type purgeFlags struct{ old, yes, undelete bool }

func (a *Commands) purgeCommand() *cobra.Command {
	var f purgeFlags
	cmd := &cobra.Command{
		Use:   "purge [SESSION...]",
		Short: "Delete sessions of yours from the store, for good",
		Long: `Delete all copies of sessions of yours from the store, of all your machines.
The files on the machines stay; the store remembers that the session is
deleted, so that no machine pushes it again, until --undelete. With --old the
copies go that were replaced when a file was rewritten. On a terminal pith asks
first; elsewhere --yes is needed.`,
		Example: `  pith team purge 0199a1b2
  pith team purge --old --yes
  pith team purge 0199a1b2 --undelete`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.old == (len(args) > 0) {
				return exit.Usagef("what is to be deleted? name sessions, or give --old")
			}
			return a.purge(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVar(&f.old, "old", false, "copies that were replaced, of all your sessions")
	cmd.Flags().BoolVar(&f.undelete, "undelete", false, "let machines push the sessions again; delete nothing")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.Exclusive(cmd, "old", "undelete")
	return cmd
}

func (a *Commands) purge(ctx context.Context, refs []string, f purgeFlags) error {
	l, err := a.connect(ctx, connectFlags{})
	if err != nil {
		return err
	}
	defer l.close()
	listing, err := l.List(ctx, l.Person)
	if err != nil {
		return lookup.ExplainStore(err)
	}
	if f.undelete {
		return a.undelete(ctx, l, refs)
	}
	doomed := listing.Old
	var ids []string
	if !f.old {
		if ids, err = a.ownIDs(ctx, listing, refs); err != nil {
			return err
		}
		doomed = slices.DeleteFunc(slices.Concat(listing.Replicas, listing.Old), func(r replica.Replica) bool { return !slices.Contains(ids, r.Session) })
	}
	var size int64
	for _, r := range doomed {
		size += r.Size
	}
	if !f.yes {
		if !a.CanAsk() {
			return exit.Usagef("%s, %s, would be deleted for good; add --yes", humanize.Count(len(doomed), "copy"), humanize.Bytes(size))
		}
		fmt.Fprintf(a.Env.Stderr, "delete %s from the store for good, %s? [y/N] ", humanize.Count(len(doomed), "copy"), humanize.Bytes(size))
		answer, err := a.ReadLine(ctx)
		if err != nil {
			return err
		}
		if !strings.EqualFold(strings.TrimSpace(answer), "y") {
			return exit.ErrDeclined
		}
	}
	for _, id := range ids { // first, so that no machine pushes in the meantime
		if err := l.Delete(ctx, id); err != nil {
			return lookup.ExplainStore(err)
		}
	}
	if err := l.Purge(ctx, doomed...); err != nil {
		return lookup.ExplainStore(err)
	}
	a.Out.Printf("deleted %s, %s\n", humanize.Count(len(doomed), "copy"), humanize.Bytes(size))
	if !f.old {
		a.Note("note: files on machines stay; delete those with pith rm there")
	}
	return nil
}

func (a *Commands) undelete(ctx context.Context, l *link, refs []string) error {
	for _, ref := range refs {
		if err := l.Undelete(ctx, ref); errors.Is(err, fs.ErrNotExist) {
			return exit.Missingf("no session %s was deleted from the store; give its whole id", ref)
		} else if err != nil {
			return lookup.ExplainStore(err)
		}
	}
	return nil
}
