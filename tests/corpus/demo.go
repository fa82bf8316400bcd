package corpus

import (
	"path"
	"path/filepath"
	"time"
)

// A Demo is a small session, written by hand, for people to look at.
type Demo struct {
	Name        string // a short word for it
	Description string // one sentence: what it shows
	Cwd         string // the project, as the header has it
	Path        string // where it belongs below the sessions folder, with slashes, under pi's names
	Bytes       []byte // the file
}

// Demos returns the sample sessions. dir is the sessions folder into which they
// will be written: the fork among them names its parent by path.
func Demos(dir string) []Demo {
	bugHunt := demo("bug-hunt", "A bug hunt with two attempts: a branch that was left, labels, and a cause found.", bugHunt())
	parent := filepath.Join(dir, filepath.FromSlash(bugHunt.Path))
	return []Demo{
		bugHunt,
		demo("bug-hunt-fork", "A fork of the bug hunt that takes one more question further.", bugHuntFork(parent)),
		demo("refactoring", "A long refactoring with a compaction, a branch summary, a changed model and an edited context.", refactoring()),
		demo("layout", "A layout bug with screenshots, visible thinking, failing tools and diffs.", layout()),
		demo("japanese", "A session in Japanese, with emoji and box drawing.", japanese()),
		demo("old-format", "A file of the first format version, without ids: it is migrated when it is first written to.", oldFormat()),
		demo("damaged", "A file whose last line was cut off when the disk was full.", damaged()),
	}
}

func demo(name, description string, s *script) Demo {
	return Demo{
		Name:        name,
		Description: description,
		Cwd:         s.cwd,
		Path:        path.Join(ProjectFolder(s.cwd), FileName(s.start, s.id)),
		Bytes:       s.out.Bytes(),
	}
}

// day is a time in the year of the demos.
func day(month time.Month, day, hour, minute int) time.Time {
	return time.Date(2026, month, day, hour, minute, 12, 418e6, time.UTC)
}
