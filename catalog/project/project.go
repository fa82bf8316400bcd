// Package project says which sessions belong to one project.
//
// A session belongs to the working directory that its header names, and never
// to the folder in which its file lies, because several directories share the
// name of a folder. Two names are one project when the file system says that
// they are one directory: links, letter case and Unicode forms are its
// business. Of a directory that is gone only its name is left, and nothing is
// guessed from that: that it is gone does not say where it went.
//
// The package only reads, and runs no other program: what it knows of git it
// reads from git's files.
//
// Stability: outside the core. Its exported names may still change.
package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// A Project is a working directory and its sessions.
type Project struct {
	// Dir is the directory as the session used last names it; "" for sessions
	// whose header names none.
	Dir string
	// Others are further names of the directory, and with Options.Worktrees the
	// directories of other worktrees, sorted.
	Others []string
	// Repository is git's folder of the repository, with Options.Worktrees; ""
	// where there is none.
	Repository string
	// Missing says that none of the directories exists on this machine.
	Missing bool
	// Sessions are indexes into the list that was given, in its order.
	Sessions []int
	Size     int64
	LastUsed time.Time
}

// Options change how sessions are put together.
type Options struct {
	// Worktrees makes one project of the same directory in all worktrees of a
	// git repository.
	Worktrees bool
}

// Group puts sessions together by project, the project used last first.
func Group(infos []catalog.Info, o Options) []Project {
	g := grouper{byName: map[string]int{}, byStamp: map[stamp][]place{}}
	if o.Worktrees {
		g.trees = newWorktrees()
		for i := range infos {
			g.trees.look(infos[i].Cwd) // so that worktrees that are gone are known
		}
	}
	for i := range infos {
		n := g.project(infos[i].Cwd)
		p := &g.projects[n]
		p.Sessions = append(p.Sessions, i)
		p.Size += infos[i].Size
		if len(p.Sessions) == 1 || infos[i].Modified.After(p.LastUsed) {
			p.LastUsed = infos[i].Modified
			p.Dir = infos[i].Cwd
		}
	}
	g.finish()
	slices.SortStableFunc(g.projects, func(a, b Project) int { return b.LastUsed.Compare(a.LastUsed) })
	return g.projects
}

// A grouper knows projects under all names that were seen.
type grouper struct {
	projects []Project
	names    [][]string // of the projects
	byName   map[string]int
	byStamp  map[stamp][]place
	trees    *worktrees // nil unless asked for
}

// A stamp is what the entries of one directory have in common under all its
// names. Others may have it too.
type stamp struct {
	changed time.Time
	size    int64
}

type place struct {
	info    fs.FileInfo
	project int
}

// project is the number of a directory's project.
func (g *grouper) project(cwd string) int {
	name := fold(cwd)
	n, known := g.byName[name]
	if !known {
		n = g.find(cwd)
		g.byName[name] = n
	}
	if !slices.Contains(g.names[n], cwd) {
		g.names[n] = append(g.names[n], cwd)
	}
	return n
}

// fold is a name in the form in which names of one directory that is gone are
// compared.
func fold(cwd string) string {
	if cwd == "" {
		return ""
	}
	cwd = filepath.Clean(cwd)
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		cwd = strings.ToLower(cwd)
	}
	return cwd
}

// find is the project of a directory whose name is new.
func (g *grouper) find(cwd string) int {
	if g.trees != nil {
		if common, inside, ok := g.trees.of(cwd); ok {
			key := "repository\x00" + common + "\x00" + inside
			n, known := g.byName[key]
			if !known {
				n = g.add(Project{Repository: common, Missing: true})
				g.byName[key] = n
			}
			_, exists := directory(cwd)
			g.projects[n].Missing = g.projects[n].Missing && !exists
			return n
		}
	}
	info, exists := directory(cwd)
	if !exists {
		return g.add(Project{Missing: cwd != ""})
	}
	s := stamp{info.ModTime(), info.Size()}
	for _, p := range g.byStamp[s] {
		if os.SameFile(p.info, info) {
			return p.project
		}
	}
	n := g.add(Project{})
	g.byStamp[s] = append(g.byStamp[s], place{info, n})
	return n
}

func (g *grouper) add(p Project) int {
	g.projects = append(g.projects, p)
	g.names = append(g.names, nil)
	return len(g.projects) - 1
}

// directory is a working directory that exists on this machine.
func directory(cwd string) (_ fs.FileInfo, exists bool) {
	info, err := os.Stat(cwd)
	return info, filepath.IsAbs(cwd) && err == nil && info.IsDir()
}

func (g *grouper) finish() {
	for i := range g.projects {
		p := &g.projects[i]
		for _, name := range g.names[i] {
			if name != p.Dir {
				p.Others = append(p.Others, name)
			}
		}
		slices.Sort(p.Others)
	}
}
