package ops

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	sessionfile "github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Ref identifies a session in the records of use cases.
type Ref struct {
	Path string `json:"path"`
	ID   string `json:"id"`
	Name string `json:"name" empty:"null"`
	Cwd  string `json:"cwd"` // "" if the file has none
}

// RefOf returns the Ref of a session in a list.
func RefOf(s *catalog.Info) Ref { return Ref{s.Path, s.ID, s.Name, s.Cwd} }

// SessionRef returns the Ref of an open session.
func SessionRef(s *pith.Session) Ref { return Ref{s.File(), s.ID(), s.Name(), s.Cwd()} }

// A Row is a session as lists encode it. Members that pi's lists also have use pi's
// names.
type Row struct {
	catalog.Info
	AllMessagesText *string  `json:"allMessagesText,omitempty"`
	Original        string   `json:"original,omitempty"` // file or database of another agent
	Project         string   `json:"project"`
	Missing         bool     `json:"missing"` // the project's directory
	Tokens          int64    `json:"tokens"`
	CostMicros      int64    `json:"costMicros"`
	Estimated       bool     `json:"estimated,omitempty"` // some of the cost
	Unpriced        int64    `json:"unpriced,omitempty"`  // calls without a known cost
	Children        []string `json:"children"`            // IDs
	Pinned          bool     `json:"pinned"`
	Archived        bool     `json:"archived"`
	Tags            []string `json:"tags"`
}

// Rows returns the rows of sessions. Their children and projects are looked up among
// others.
func Rows(sessions, among []catalog.Info, of func(id string) marks.Marks) []Row {
	children, projects := catalog.Children(among), ProjectsByCwd(among)
	out := make([]Row, len(sessions))
	for i := range sessions {
		s, m := &sessions[i], of(sessions[i].ID)
		r := Row{
			Info: *s, Original: Original(s.Path), Tokens: s.Spent.Tokens, CostMicros: s.Spent.Cost.Micros(), Estimated: s.Spent.Estimated, Unpriced: s.Spent.Unpriced,
			Pinned: m.Pinned, Archived: m.Archived || s.Archived, Tags: m.Tags,
		}
		if home := projects[s.Cwd]; home != nil {
			r.Project, r.Missing = home.Dir, home.Missing
		}
		for _, c := range children[s.Path] {
			r.Children = append(r.Children, among[c].ID)
		}
		out[i] = r
	}
	return out
}

// A Project is a directory with sessions.
type Project struct {
	project.Project
	Count int `json:"sessions"`
}

// Projects returns the projects of sessions. The worktrees of a Git repository are one.
func Projects(infos []catalog.Info) []Project {
	list := project.Group(infos, project.Options{Worktrees: true})
	out := make([]Project, len(list))
	for i, p := range list {
		out[i] = Project{p, len(p.Sessions)}
	}
	return out
}

// ProjectsByCwd returns the projects of sessions by the working directories in the
// sessions' headers.
func ProjectsByCwd(infos []catalog.Info) map[string]*project.Project {
	out := map[string]*project.Project{}
	for _, p := range project.Group(infos, project.Options{}) {
		for _, name := range append(p.Others, p.Dir) {
			out[name] = &p
		}
	}
	return out
}

// Original returns the file or database in which another agent stores the session that
// is read from path; "" for a session that needs no translation.
func Original(path string) string {
	if s := sessionfile.Find(path); s != nil {
		return s.Original
	}
	return ""
}
