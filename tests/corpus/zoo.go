package corpus

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

// An Exhibit of the zoo is a session with subagent runs, or two sessions whose
// histories diverge, and the files that belong to them.
type Exhibit struct {
	Name string
	What string // one sentence
	// Session is the file to read first, Other the one to compare it with or
	// "". Both are paths below the directory of the zoo, with slashes.
	Session, Other string
	Files          []ZooFile
	// OwnMicros is the session's own cost and ChildMicros the cost of its runs
	// and all runs below them, in millionths, each counted once.
	OwnMicros, ChildMicros int64
}

// A ZooFile is one file of an exhibit.
type ZooFile struct {
	Path  string // below the directory of the zoo, with slashes
	Bytes []byte
}

// zooFiles holds an archive for each exhibit. Its comment is the sentence, then
// the money as "own N" and "children N" and, where there is one, the file to
// compare with. Its files are written as they are, but that
//
//   - $ZOO and what follows up to the end of a string is a path below the folder
//     of the zoo, as the machine names it;
//   - the last line `\ No newline at end of file` says that.
//
//go:embed testdata/zoo/*.txtar
var zooFiles embed.FS

// zooOrder is the order of the exhibits: by the age of their writers, then the
// sessions to compare.
var zooOrder = strings.Fields(`pi-example early late late-fork late-nested workflow background atomic oh-my-pi circle gone
	branches fork strangers continued`)

// Zoo returns the exhibits. dir is the directory into which they will be
// written: results name the files of children by their paths.
func Zoo(dir string) []Exhibit {
	all := make([]Exhibit, len(zooOrder))
	for i, name := range zooOrder {
		data, err := zooFiles.ReadFile("testdata/zoo/" + name + ".txtar")
		if err == nil {
			all[i], err = exhibit(name, dir, txtar.Parse(data))
		}
		if err != nil {
			panic(err) // The files are part of this package.
		}
	}
	return all
}

var zooPath = regexp.MustCompile(`\$ZOO(/[^"]*)`)

func exhibit(name, dir string, a *txtar.Archive) (Exhibit, error) {
	e := Exhibit{Name: name, Session: path.Join(name, "parent.jsonl")}
	what, figures, _ := strings.Cut(string(a.Comment), "\n")
	e.What = what
	for line := range strings.Lines(figures) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch key {
		case "own":
			_, err = fmt.Sscan(value, &e.OwnMicros)
		case "children":
			_, err = fmt.Sscan(value, &e.ChildMicros)
		case "compare":
			e.Other = path.Join(name, value)
		default:
			err = fmt.Errorf("unknown line %q", line)
		}
		if err != nil {
			return e, fmt.Errorf("exhibit %s: %w", name, err)
		}
	}
	for _, f := range a.Files {
		text := strings.TrimSuffix(string(f.Data), "\n\\ No newline at end of file\n")
		text = zooPath.ReplaceAllStringFunc(text, func(p string) string {
			quoted := js(filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(p, "$ZOO"))))
			return quoted[1 : len(quoted)-1]
		})
		e.Files = append(e.Files, ZooFile{path.Join(name, f.Name), []byte(text)})
	}
	return e, nil
}

// WriteZoo writes all exhibits into a directory.
func WriteZoo(dir string) ([]Exhibit, error) {
	all := Zoo(dir)
	for _, e := range all {
		for _, f := range e.Files {
			name := filepath.Join(dir, filepath.FromSlash(f.Path))
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(name, f.Bytes, 0o600); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
