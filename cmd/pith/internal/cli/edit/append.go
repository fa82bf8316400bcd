package edit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

type appendFlags struct {
	entry, parent, onConflict string
	cwd, comesFrom            string // of a new session
	create                    bool
	given                     func(name string) bool
}

func (a *Commands) Append() *cobra.Command {
	var f appendFlags
	cmd := &cobra.Command{
		Use:   "append SESSION [TEXT...]",
		Short: "Add an entry to a session",
		Long: `Add an entry after the current one, or after --parent, and print its ID.

TEXT is added as a user message; - reads it from standard input. --entry adds
any entry that pi knows, such as a response, a model change or the state of an
extension, as a line of a session file has it. It gets a new ID, parent and
timestamp.

If another process adds entries at the same time:
  follow  continue after them (default)
  refuse  add nothing and exit with status 5
  stay    start a branch next to them (default with --parent)`,
		Example: `  pith append @ "and now in Rust"
  git diff | pith append @ -
  pith append @ --parent root-cause "another idea"
  pith append @ --entry '{"type":"custom","customType":"tool","data":{"n":3}}'`,
		Args:              flags.Takes(1, -1, 1),
		ValidArgsFunction: a.CompleteSession(1),
	}
	policy := flags.Choice(cmd, "on-conflict", "`POLICY` if another process writes at the same time", "follow", "refuse", "stay")
	set := cmd.Flags()
	set.StringVar(&f.entry, "entry", "", "add an entry given as `JSON`; - reads standard input")
	set.StringVar(&f.parent, "parent", "", "add after `ENTRY`, on a new branch")
	set.BoolVar(&f.create, "create", false, "create the session file SESSION if it does not exist")
	set.StringVar(&f.cwd, "cwd", "", "with --create: the project directory `DIR`")
	set.StringVar(&f.comesFrom, "parent-session", "", "with --create: the parent `SESSION`")
	_ = cmd.MarkFlagDirname("cwd") // the flag was just made
	a.CompleteEntryFlag(cmd, "parent")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.onConflict, f.given = policy.Value, set.Changed
		if f.given("parent") && !f.given("on-conflict") {
			f.onConflict = "stay"
		}
		return a.append(cmd.Context(), args[0], args[1:], f)
	}
	return cmd
}

var policies = map[string]pith.ConflictPolicy{"follow": pith.FollowNew, "refuse": pith.Refuse, "stay": pith.StayOnBranch}

func (a *Commands) append(ctx context.Context, ref string, words []string, f appendFlags) (err error) {
	e, err := a.addition(ctx, words, f) // before anything is opened: input may take time
	if err != nil {
		return err
	}
	s, err := a.openOrBegin(ctx, ref, f)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	if f.given("parent") {
		id, err := lookup.EntryOf(s, f.parent)
		if err != nil {
			return err
		}
		if err := s.Branch(id); err != nil {
			return err
		}
	}
	id, err := ops.Append(ctx, s, e)
	if err != nil {
		s.Follow() // closing must not record a position at which nothing was added
		return err
	}
	if a.JSON {
		return a.Out.JSON(struct {
			Session string `json:"id"`
			File    string `json:"path"`
			Entry   string `json:"entryId"`
		}{s.ID(), s.File(), id})
	}
	a.Out.Print(termsafe.Line(id) + "\n")
	if !s.Written() {
		a.Note("nothing written yet: the file is created with the first message; start with a message")
	}
	return nil
}

// openOrBegin opens the session; with --create it starts one at a path without
// a file, or with an empty one. A file name in pi's form gives the session its
// id.
func (a *Commands) openOrBegin(ctx context.Context, ref string, f appendFlags) (*pith.Session, error) {
	if !f.create {
		if f.cwd != "" || f.comesFrom != "" {
			return nil, exit.Usagef("--cwd and --parent-session need --create")
		}
		s, err := a.OpenForWriting(ctx, ref, policies[f.onConflict])
		if errors.Is(err, ops.ErrNotFound) && lookup.IsPath(ref) {
			err = exit.Missingf("no such session: %s; add --create to start one", ref)
		}
		return s, err
	}
	cwd, err := a.ProjectDir("")
	if err != nil {
		return nil, err
	}
	project := sessiondir.ExpandPath(f.cwd, cwd)
	_, gone := os.Stat(project) // as that of the parent session may be
	if f.comesFrom == "" || !errors.Is(gone, fs.ErrNotExist) {
		if project, err = a.ProjectDir(f.cwd); err != nil {
			return nil, err
		}
	}
	if !lookup.IsPath(ref) {
		return nil, exit.Usagef("--create needs the path of a file, not %q", ref)
	}
	path := sessiondir.ExpandPath(ref, cwd)
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return a.OpenForWriting(ctx, ref, policies[f.onConflict])
	}
	o := a.Engine()
	o.Cwd, o.OnConflict = project, policies[f.onConflict]
	if f.comesFrom != "" {
		parent, err := a.Locate(ctx, f.comesFrom)
		if err != nil {
			return nil, err
		}
		o.ParentSession = parent.Path // recorded by its ID if it is a copy
	}
	_, o.ID, _ = format.ParseFileName(filepath.Base(path))
	return pith.OpenOrCreate(ctx, path, o)
}
