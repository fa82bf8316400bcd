package ops

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/internal/housekeeping/retention"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store"
)

// CollectParams say which sessions of all projects Collect removes.
type CollectParams struct {
	Rules  retention.Rules // with the agents whose sessions go, too
	DryRun bool
}

// Collected is the plan or the outcome of Collect.
type Collected struct {
	Plan retention.Plan
	// Among are the sessions that the plan is about, as large as their files and artifacts
	// together.
	Among []catalog.Info
	// Removed are the items in the trash by the index of their session, Freed their size.
	Removed map[int]trash.Receipt
	Freed   int64
	// Kept says why sessions were not removed, by their files.
	Kept map[string]error
	// Leftovers are the unfinished files that killed commands left more than a day ago.
	Leftovers []string
}

// errChanged means that a session changed while others were removed.
var errChanged = errors.New("it changed in the meantime")

// Collect moves the sessions that the rules select to the trash, and deletes leftovers.
// After an error the result says what was done.
func Collect(ctx context.Context, a *App, p CollectParams) (*Collected, error) {
	of, err := a.MarksOf() // pins must be known before anything is removed
	if err != nil {
		return nil, err
	}
	infos, err := Infos(ctx, a, "", true)
	if err != nil {
		return nil, err
	}
	files := &AgentFiles{}
	removal := func(s *catalog.Info, to trash.Options) RemoveParams {
		return RemoveParams{Session: s.Ref(), Engine: a.Engine(), Catalog: a.Listing(), Trash: to, Files: files}
	}
	if len(p.Rules.Agents) > 0 {
		infos = slices.DeleteFunc(infos, func(s catalog.Info) bool {
			return AgentTitle(s.Root) != "" && IsPart(ctx, removal(&s, trash.Options{}))
		})
	}
	number := make([]int, len(infos))
	for n, p := range project.Group(infos, project.Options{}) {
		for _, i := range p.Sessions {
			number[i] = n
		}
	}
	c := &Collected{Among: withArtifacts(infos), Removed: map[int]trash.Receipt{}, Kept: map[string]error{}}
	c.Plan = retention.Choose(c.Among, p.Rules, func(i int) int { return number[i] }, func(i int) bool { return of(infos[i].ID).Pinned })
	if c.Leftovers, err = a.leftovers(ctx); err != nil || p.DryRun {
		return c, err
	}
	to, err := a.trashPlace()
	if err != nil {
		return c, err
	}
	for _, i := range c.Plan.Goes() {
		if err = ctx.Err(); err != nil {
			break
		}
		var r trash.Receipt
		if r, err = c.remove(ctx, removal(&infos[i], to), &infos[i]); r.ID != "" {
			c.Removed[i], c.Freed = r, c.Freed+c.Among[i].Size
		}
		if err != nil {
			break
		}
	}
	for _, path := range c.Leftovers {
		err = errors.Join(err, doctor.RemoveLeftover(path))
	}
	return c, err
}

// withArtifacts returns sessions as rules see them: as large as their files and
// artifacts together, and in use if something is written to either.
func withArtifacts(infos []catalog.Info) []catalog.Info {
	whole := slices.Clone(infos)
	for i := range whole {
		artifacts := trash.Measure(whole[i].Path)
		whole[i].Size += artifacts.Bytes
		if artifacts.Latest.After(whole[i].FileTime) {
			whole[i].FileTime = artifacts.Latest
		}
	}
	return whole
}

// remove moves a session to the trash. One that changed since it was listed stays.
func (c *Collected) remove(ctx context.Context, p RemoveParams, s *catalog.Info) (trash.Receipt, error) {
	original := Original(s.Path)
	file := cmp.Or(original, s.Path)
	now, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return trash.Receipt{}, nil
	case err != nil || !now.Mode().IsRegular() || original == "" && now.Size() != s.Size || now.ModTime().After(s.FileTime):
		c.Kept[file] = errChanged
		return trash.Receipt{}, nil
	case original == "":
		return trash.Put(file, p.Trash)
	}
	r, err := Remove(ctx, p)
	if err != nil && r.ID == "" {
		c.Kept[file] = err
		return r, nil
	}
	return r, err
}

// leftoverAge is the age from which Collect deletes unfinished files.
const leftoverAge = 24 * time.Hour

// leftovers returns the unfinished files in session directories that killed commands left
// some time ago. Backups are not among them.
func (a *App) leftovers(ctx context.Context) ([]string, error) {
	var out []string
	for _, root := range catalog.Roots(a.Listing(), a.Cwd) {
		if AgentTitle(root.Name) != "" {
			continue
		}
		for _, r := range doctor.Leftovers(ctx, root.Dir, doctor.Options{}) {
			if _, backup := store.BackupOf(r.File); backup {
				continue
			}
			if info, err := os.Lstat(r.File); err == nil && a.now().Sub(info.ModTime()) > leftoverAge {
				out = append(out, r.File)
			}
		}
	}
	return out, ctx.Err()
}
