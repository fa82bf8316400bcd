// Package handover converts a session into a conversation that another agent
// can continue.
package handover

import (
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// Read returns the context of a session at an entry as a conversation. dir is
// for files that are given to a program by path.
func Read(s *pith.Session, at, dir string) (*sources.Conversation, error) {
	v := s.View()
	context, err := v.Context(at)
	if err != nil {
		return nil, err
	}
	h := s.Header()
	c := &sources.Conversation{ID: s.ID(), Title: s.Name(), Cwd: s.Cwd(), Dir: dir}
	c.Time, _ = h.Time()
	last := c.Time
	for m, err := range context.Messages() {
		if err != nil {
			return nil, err
		}
		message, err := format.DecodeMessage(m.Raw)
		if err != nil {
			return nil, err
		}
		handed := sources.Handed{ID: m.EntryID, Time: last, Message: message}
		if t, ok := message.Time(); ok && t.After(last) {
			handed.Time, last = t, t
		}
		c.Messages = append(c.Messages, handed)
	}
	if c.Time.IsZero() {
		c.Time = time.Unix(0, 0)
	}
	c.Branches = branches(v)
	return c, nil
}

// branches returns the number of branches of the conversation besides the one
// that is handed over.
func branches(v *pith.View) int {
	n := 0
	todo := v.Tree()
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], node.Children...)
		if !node.OnPath && len(node.Children) == 0 && !format.Bookkeeping(node.Type, "") {
			n++
		}
	}
	return n
}
