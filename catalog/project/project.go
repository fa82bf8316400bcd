// Package project groups sessions by project.
//
// A session belongs to the working directory in its header, not to the
// directory of its file, because several working directories share the name of
// such a directory. Two names are the same project if the file system treats
// them as one directory: links, letter case and Unicode forms are left to it. A
// directory that is gone is known only by its name, and nothing is guessed from
// that name.
//
// The package only reads, and runs no other program. It reads git's files
// directly.
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

// A Project is a working directory with its sessions.
type Project struct {
	// Dir is the directory as named by the most recently used session, or ""
	// for sessions without a directory in their header.
	Dir string `json:"dir"`
	// Others are other names of the directory and, with Options.Worktrees, the
	// directories of other worktrees, sorted.
	Others []string `json:"others"`
	// Repository is the git directory of the repository, with
	// Options.Worktrees, or "" if there is none.
	Repository string `json:"repository" empty:"null"`
	// Missing means that none of the directories exists on this machine.
	Missing bool `json:"missing"`
	// Sessions are indexes into the given list, in its order.
	Sessions []int
	Size     int64     `json:"size"`
	LastUsed time.Time `json:"lastUsed"`
}

// Options configure how sessions are grouped.
type Options struct {
	// Worktrees treats the same directory in all worktrees of a git repository
	// as one project.
	Worktrees bool
}

// Group groups sessions by project, the most recently used project first.
func Group(infos []catalog.Info, o Options) []Project {
	now := time.Now()
	g := grouper{byName: map[string]int{}, byStamp: map[stamp][]place{}}
	if o.Worktrees {
		g.trees = newWorktrees()
		for i := range infos {
			g.trees.look(infos[i].Cwd) // so that removed worktrees are known
		}
	}
	for i := range infos {
		n := g.project(infos[i].Cwd)
		p := &g.projects[n]
		p.Sessions = append(p.Sessions, i)
		p.Size += infos[i].Size
		if used := infos[i].Recency(now); len(p.Sessions) == 1 || used.After(p.LastUsed) {
			p.LastUsed = used
			p.Dir = infos[i].Cwd
		}
	}
	g.finish()
	slices.SortStableFunc(g.projects, func(a, b Project) int { return b.LastUsed.Compare(a.LastUsed) })
	return g.projects
}

// A grouper knows projects under all names seen so far.
type grouper struct {
	projects []Project
	names    [][]string // names of each project
	byName   map[string]int
	byStamp  map[stamp][]place
	trees    *worktrees // nil unless requested
}

// A stamp is equal for all names of one directory. Other directories may have
// it too.
type stamp struct {
	changed time.Time
	size    int64
}

type place struct {
	info    fs.FileInfo
	project int
}

// project returns the number of a directory's project.
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

// fold returns the form in which names of missing directories are compared.
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

// find returns the project of a directory with a new name.
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

// directory returns a working directory if it exists on this machine.
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
