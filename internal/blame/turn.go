package blame

import (
	"context"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A Turn is the part of a conversation that an edit belongs to.
type Turn struct {
	TurnID  string `json:"turnId" empty:"null"`  // entry of the user message
	Number  int    `json:"turn"`                 // among the turns of its branch, from 1; 0 before the first
	Request string `json:"request" empty:"null"` // text of the user message
	Model   string `json:"model" empty:"null"`   // provider/model of the response with the call
	Left    bool   `json:"abandoned"`            // the branch was abandoned
}

// describe fills in the turns of edits. Each session is opened once.
func describe(ctx context.Context, list []Edit) {
	bySession := map[string][]int{}
	var paths []string
	for i := range list {
		path := list[i].Session.Path
		if bySession[path] == nil {
			paths = append(paths, path)
		}
		bySession[path] = append(bySession[path], i)
	}
	work := func(ctx context.Context, _ *struct{}, k int) (done struct{}) {
		s, err := pith.Open(ctx, paths[k], pith.Options{ReadOnly: true})
		if err != nil {
			return done
		}
		defer s.Close()
		v := s.View()
		active := Active(v)
		for _, i := range bySession[paths[k]] {
			list[i].Turn = TurnOf(v, active, list[i].EntryID)
		}
		return done
	}
	for range parallel.InOrder(ctx, len(paths), work) {
	}
}

// Active returns the positions of the entries on the path to the leaf.
func Active(v *pith.View) map[int]bool {
	out := map[int]bool{}
	path, _ := v.Path("") // a session without a leaf has none
	for _, pos := range path {
		out[pos] = true
	}
	return out
}

// TurnOf describes the turn of an entry, given the active entries of its session.
func TurnOf(v *pith.View, active map[int]bool, entryID string) (t Turn) {
	path, err := v.Path(entryID)
	if err != nil || len(path) == 0 {
		return t
	}
	last := path[len(path)-1]
	t.Left = !active[last]
	request := -1
	for _, pos := range path {
		if e := v.At(pos); e.Type == format.TypeMessage && e.Role == format.RoleUser {
			t.Number++
			request = pos
		}
	}
	if request >= 0 {
		t.TurnID = v.At(request).ID
		content, _ := format.ContentOf(messageAt(v, request))
		t.Request = strings.TrimSpace(content.PlainText())
	}
	if a, ok := messageAt(v, last).(*format.Assistant); ok {
		t.Model = format.ModelName(a.Provider, a.Model)
	}
	return t
}

// messageAt returns the message of an entry, or nil.
func messageAt(v *pith.View, pos int) format.Message {
	e, _ := v.Entry(pos) // one that cannot be read has none
	if m, ok := e.(*format.MessageEntry); ok {
		return m.Message
	}
	return nil
}
