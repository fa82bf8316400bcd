package view

import (
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/edits"
)

// A Blame says which edits wrote the lines of a file.
type Blame struct {
	File  Text        `json:"file"`
	Lines []BlameLine `json:"lines"`
	Edits []FileEdit  `json:"edits"`
}

// A BlameLine is one line of a file. Edit is an index into Blame.Edits, or null.
type BlameLine struct {
	Line int  `json:"line"`
	Text Text `json:"text"`
	Edit *int `json:"edit"`
}

// A FileEdit is a recorded edit and the turn in which it was made.
type FileEdit struct {
	Path      Text   `json:"path"`
	ID        Text   `json:"id"`
	Source    string `json:"source"`
	EntryID   *Text  `json:"entryId"`
	TurnID    *Text  `json:"turnId"`
	Turn      int    `json:"turn"`
	Request   *Text  `json:"request"`
	Model     *Text  `json:"model"`
	Time      Time   `json:"time"`
	Tool      Text   `json:"tool"`
	Abandoned bool   `json:"abandoned"`
}

// BlameOf returns the lines from first to last, from 1, and the edits that wrote them.
func BlameOf(r *blame.Report, first, last int) Blame {
	out := Blame{File: Text(r.Path), Lines: []BlameLine{}, Edits: []FileEdit{}}
	number := map[int]int{}
	for n := max(first, 1); n <= min(last, len(r.Lines)); n++ {
		l := r.Lines[n-1]
		line := BlameLine{Line: n, Text: Text(l.Text)}
		if l.Edit >= 0 {
			k, ok := number[l.Edit]
			if !ok {
				k = len(out.Edits)
				number[l.Edit] = k
				out.Edits = append(out.Edits, FileEditOf(&r.Edits[l.Edit]))
			}
			line.Edit = &k
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// FileEditOf converts an edit.
func FileEditOf(e *blame.Edit) FileEdit {
	return FileEdit{
		Path: Text(e.Session.Path), ID: Text(e.Session.ID), Source: e.Session.Root, EntryID: TextOrNull(e.EntryID), TurnID: TextOrNull(e.TurnID),
		Turn: e.Number, Request: TextOrNull(e.Request), Model: TextOrNull(e.Model), Time: Time{Time: e.Time}, Tool: Text(e.Tool), Abandoned: e.Left,
	}
}

// Files are the files that a session changed.
type Files struct {
	Root  Text          `json:"root"`
	Files []ChangedFile `json:"files"`
}

// A ChangedFile is a file that a session changed.
type ChangedFile struct {
	File    Text         `json:"file"`
	Outside bool         `json:"outside"`
	Changes []FileChange `json:"changes"`
}

// A FileChange is one change of a file in a session.
type FileChange struct {
	Kind      string `json:"kind"`
	EntryID   *Text  `json:"entryId"`
	TurnID    *Text  `json:"turnId"`
	Turn      int    `json:"turn"`
	Request   *Text  `json:"request"`
	Time      Time   `json:"time"`
	Tool      Text   `json:"tool"`
	From      *Text  `json:"from"`
	Abandoned bool   `json:"abandoned"`
}

// ChangedFiles converts the files of a session. It never returns nil.
func ChangedFiles(list []blame.Changed) []ChangedFile {
	out := make([]ChangedFile, len(list))
	for i := range list {
		f := &list[i]
		out[i] = ChangedFile{File: Text(f.Name), Outside: f.Outside, Changes: make([]FileChange, len(f.Changes))}
		for k := range f.Changes {
			c := &f.Changes[k]
			out[i].Changes[k] = FileChange{
				Kind: ChangeWord(c.Kind), EntryID: TextOrNull(c.EntryID), TurnID: TextOrNull(c.TurnID), Turn: c.Number, Request: TextOrNull(c.Request),
				Time: Time{Time: c.Time}, Tool: Text(c.Tool), From: TextOrNull(c.From), Abandoned: c.Left,
			}
		}
	}
	return out
}

// ChangeWord is the word for a kind of change.
func ChangeWord(k edits.Kind) string {
	switch k {
	case edits.Write:
		return "written"
	case edits.Remove:
		return "removed"
	case edits.Move:
		return "renamed"
	}
	return "edited"
}
