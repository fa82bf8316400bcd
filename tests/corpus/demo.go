package corpus

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"time"
)

// A Demo is one of the sessions that `pith demo` writes.
type Demo struct {
	Name  string // the name of its file, without the extension
	Cwd   string // the project, as the header has it
	Path  string // its path below the sessions directory, with slashes, under pi's names
	Bytes []byte // the file
}

// demoNames are the demos in the order of the documentation.
var demoNames = []string{"bug-hunt", "bug-hunt-fork", "refactoring", "layout", "japanese", "old-format", "damaged"}

// Demos reads the sample sessions from the source of the command. dir is the
// sessions directory into which they will be written: the fork among them names
// its parent by path. It panics if they cannot be read, since only tests call
// it.
func Demos(dir string) []Demo {
	folder := filepath.Join(moduleRoot(), "cmd", "pith", "internal", "samples", "sessions")
	var all []Demo
	for _, name := range demoNames {
		data, err := os.ReadFile(filepath.Join(folder, name+".jsonl"))
		if err != nil {
			panic(err)
		}
		first, rest, _ := bytes.Cut(data, []byte("\n"))
		var header struct {
			ID, Cwd, ParentSession string
			Timestamp              time.Time
		}
		if err := json.Unmarshal(first, &header); err != nil {
			panic(err)
		}
		project := ProjectFolder(header.Cwd)
		if header.ParentSession != "" {
			parent := filepath.Join(dir, project, header.ParentSession)
			first = bytes.Replace(first, []byte(js(header.ParentSession)), []byte(js(parent)), 1)
		}
		all = append(all, Demo{
			Name:  name,
			Cwd:   header.Cwd,
			Path:  path.Join(project, FileName(header.Timestamp, header.ID)),
			Bytes: bytes.Join([][]byte{first, rest}, []byte("\n")),
		})
	}
	return all
}

// moduleRoot returns the directory of go.mod. Tests run in the directory of
// their package.
func moduleRoot() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		panic("no go.mod above the working directory")
	}
}
