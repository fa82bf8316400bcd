package cli

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

// stateDir is a folder of pith's own for what people said about sessions. It is
// not created here.
func (a *app) stateDir() (string, error) {
	if base := a.env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) { // the specification has relative ones ignored
		return filepath.Join(base, "pith"), nil
	}
	if home := a.env.home(); home != "" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		return filepath.Join(home, ".local", "state", "pith"), nil
	}
	return a.dataDir("state")
}

// shelf opens the marks of sessions, to change them.
func (a *app) shelf() (*marks.Shelf, error) {
	dir, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	return marks.Open(dir)
}

// marks are what is kept about sessions, for lists: what cannot be read is told
// and counts as none.
func (a *app) marks() func(id string) marks.Marks {
	of, err := a.readMarks()
	if err != nil {
		if _, nowhere := a.stateDir(); nowhere == nil {
			a.note("note: pins, archive flags and tags are not known: %v", err)
		}
	}
	return of
}

// readMarks are the marks, and none beside an error. It may be called from several
// goroutines.
func (a *app) readMarks() (func(id string) marks.Marks, error) {
	s, err := a.shelf()
	if err != nil {
		return func(string) marks.Marks { return marks.Marks{} }, err
	}
	return s.Of, nil
}

// shelfFlags choose among sessions by their marks.
type shelfFlags struct {
	tags     []string
	archived bool
}

func (f *shelfFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.tags, "tag", nil, "only sessions with this `TAG`, or with all of several")
	cmd.Flags().BoolVar(&f.archived, "archived", false, "list archived sessions instead of the others")
}

// choose leaves the sessions with all tags that are, or are not, archived. hidden
// counts those that it left out for being archived alone.
func (f *shelfFlags) choose(infos []catalog.Info, of func(id string) marks.Marks) (chosen []catalog.Info, hidden int) {
	chosen = slices.DeleteFunc(infos, func(i catalog.Info) bool {
		m := of(i.ID)
		if slices.ContainsFunc(f.tags, func(tag string) bool { return !m.Has(tag) }) {
			return true
		}
		if m.Archived && !f.archived {
			hidden++
		}
		return m.Archived != f.archived
	})
	return chosen, hidden
}

// arguments are the flags as a command line has them.
func (f *shelfFlags) arguments() []string {
	var args []string
	if len(f.tags) > 0 {
		args = append(args, "--tag", strings.Join(f.tags, ","))
	}
	if f.archived {
		args = append(args, "--archived")
	}
	return args
}

// showPins puts pinned sessions first, with a star before their titles.
func showPins(infos []catalog.Info, of func(id string) marks.Marks) {
	pinnedFirst(infos, of)
	for i := range infos {
		s := &infos[i]
		switch {
		case !of(s.ID).Pinned:
			return // and none of those that follow is
		case s.Name != "":
			s.Name = "* " + s.Name
		default:
			s.FirstMessage = "* " + s.FirstMessage
		}
	}
}

// mark puts what is kept about a session into its record.
func (r *sessionRecord) mark(m marks.Marks) {
	r.Pinned, r.Archived, r.Tags = m.Pinned, m.Archived, append([]string{}, m.Tags...) // none is an empty array
}

// pinnedFirst puts pinned sessions before the others, in the order in which they
// are.
func pinnedFirst(infos []catalog.Info, of func(id string) marks.Marks) {
	rank := func(i catalog.Info) int {
		if of(i.ID).Pinned {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(infos, func(a, b catalog.Info) int { return rank(a) - rank(b) })
}

// markRecord is what is kept about a session, in JSON.
type markRecord struct {
	ID       jsText   `json:"id"`
	Path     jsText   `json:"path"`
	Pinned   bool     `json:"pinned"`
	Archived bool     `json:"archived"`
	Tags     []string `json:"tags"`
}

func markRecordOf(of *catalog.Ref, m marks.Marks) markRecord {
	return markRecord{jsText(of.ID), jsText(of.Path), m.Pinned, m.Archived, append([]string{}, m.Tags...)}
}
