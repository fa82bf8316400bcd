package move

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/sessiondir"
)

// artifacts plans that the artifacts directory of a session moves with it.
// Unlike in package trash, the file name need not have pi's form: in a session
// directory, only artifacts are named like a session.
func (m *maker) artifacts(step *Step) error {
	from, before := artifacts.Dir(step.Session.Path)
	to, there := artifacts.Dir(step.To)
	switch {
	case before && step.Moves() && exists(to):
		return fmt.Errorf("%w: %s", fs.ErrExist, to)
	case before:
		step.Companion, step.CompanionTo = from, to
	case there:
		step.Companion, step.CompanionTo = to, to // left by a move that was interrupted after them
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// inner plans the changes of the sessions among the artifacts of another. No
// list contains them; they are found where subagents write them. A file that
// cannot be read is not a session, or is left unchanged.
func (m *maker) inner(outer *Step) {
	if outer.Companion == "" {
		return
	}
	_ = filepath.WalkDir(outer.Companion, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != format.FileSuffix {
			return nil
		}
		info, err := headerInfo(path)
		if err != nil {
			return nil
		}
		cwd, ok := m.newCwd(info.Cwd)
		if !ok {
			return nil
		}
		rest, err := filepath.Rel(outer.Companion, path)
		if err != nil {
			return nil
		}
		step := Step{Session: info, To: filepath.Join(outer.CompanionTo, rest), Cwd: cwd, Within: outer.To}
		if err := m.look(&step); err != nil {
			m.plan.Refused = append(m.plan.Refused, Refusal{path, err})
			return nil
		}
		m.add(step)
		return nil
	})
}

// headerInfo returns the facts in the header of a session.
func headerInfo(path string) (catalog.Info, error) {
	h, err := sessiondir.HeaderOf(path)
	if err != nil {
		return catalog.Info{}, err
	}
	info := catalog.Info{Path: path, ID: h.ID, Cwd: h.Cwd, ParentSession: h.Parent(), Version: h.Version}
	info.Created, _ = h.Time()
	return info, nil
}
