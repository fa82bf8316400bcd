package view

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Ref identifies a session.
type Ref struct {
	Path Text  `json:"path"`
	ID   Text  `json:"id"`
	Name *Text `json:"name"`
	Cwd  Text  `json:"cwd"` // "" if the file has none
}

// RefOf returns the Ref of a session in a list.
func RefOf(s *catalog.Info) Ref {
	return Ref{Text(s.Path), Text(s.ID), TextOrNull(s.Name), Text(s.Cwd)}
}

// SessionRef returns the Ref of an open session.
func SessionRef(s *pith.Session) Ref {
	return Ref{Text(s.File()), Text(s.ID()), TextOrNull(s.Name()), Text(s.Cwd())}
}

// Marks are the pins and tags of a session.
type Marks struct {
	Pinned   bool     `json:"pinned"`
	Archived bool     `json:"archived"`
	Tags     []string `json:"tags"`
}

// Marked converts the marks of a session.
func Marked(m marks.Marks) Marks {
	return Marks{m.Pinned, m.Archived, append([]string{}, m.Tags...)}
}

// A Session is one row of a list of sessions. Members that pi's lists also have
// use pi's names.
type Session struct {
	Ref
	Original          Text           `json:"original,omitempty"` // file or database of another agent
	ParentSessionPath *Text          `json:"parentSessionPath"`
	Created           Time           `json:"created"`
	Modified          Time           `json:"modified"`
	MessageCount      int            `json:"messageCount"`
	FirstMessage      Text           `json:"firstMessage"`
	AllMessagesText   *Text          `json:"allMessagesText,omitempty"`
	Model             *Text          `json:"model"`
	Size              int64          `json:"size"`
	Project           Text           `json:"project"`
	Missing           bool           `json:"missing"` // the project's directory
	Version           int            `json:"version"`
	Entries           int            `json:"entries"`
	Findings          int            `json:"findings"`
	Source            string         `json:"source"`
	Internal          bool           `json:"internal"`
	Status            catalog.Status `json:"status"`
	Branches          int            `json:"branches"`
	Tokens            int64          `json:"tokens"`
	CostMicros        int64          `json:"costMicros"`
	Estimated         bool           `json:"estimated,omitempty"` // some of the cost
	Unpriced          int64          `json:"unpriced,omitempty"`  // calls without a known cost
	Children          []Text         `json:"children"`            // IDs
	Marks
}

// Rows makes rows from sessions. Its zero value has no marks and no owners.
type Rows struct {
	// Among are the sessions in which children and projects are looked up.
	Among []catalog.Info
	// Marks returns the marks of the session with an ID; nil means there are none.
	Marks func(id string) marks.Marks

	children map[string][]int
	projects map[string]*project.Project
}

// Row returns the row of a session.
func (r *Rows) Row(s *catalog.Info) Session {
	if r.projects == nil {
		r.children, r.projects = catalog.Children(r.Among), ProjectsByCwd(r.Among)
	}
	row := Session{
		Ref: RefOf(s), Original: Text(Original(s)), ParentSessionPath: TextOrNull(s.ParentSession),
		Created: Time{Time: s.Created}, Modified: Time{Time: s.Modified},
		MessageCount: s.MessageCount, FirstMessage: Text(s.FirstMessage), Model: TextOrNull(s.Model),
		Size: s.Size, Version: s.Version, Entries: s.Entries, Findings: s.Findings, Source: s.Root, Internal: s.Internal,
		Status: s.Status, Branches: s.Branches, Tokens: s.Spent.Tokens, CostMicros: s.Spent.Cost.Micros(), Estimated: s.Spent.Estimated, Unpriced: s.Spent.Unpriced,
		Children: []Text{}, Marks: r.MarksOf(s.ID),
	}
	row.Marks.Archived = row.Marks.Archived || s.Archived
	if home := r.projects[s.Cwd]; home != nil {
		row.Project, row.Missing = Text(home.Dir), home.Missing
	}
	for _, c := range r.children[s.Path] {
		row.Children = append(row.Children, Text(r.Among[c].ID))
	}
	return row
}

// MarksOf returns the marks of the session with an ID.
func (r *Rows) MarksOf(id string) Marks {
	if r.Marks == nil {
		return Marked(marks.Marks{})
	}
	return Marked(r.Marks(id))
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

// Original returns the file or database in which another agent stores a
// session, or "" for a session that is read directly.
func Original(s *catalog.Info) string {
	if f := foreign.Find(s.Path); f != nil {
		return f.Original
	}
	return ""
}
