package sources

import (
	"fmt"
	"slices"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// ConversationOf returns the context of a session at an entry as a conversation
// that another agent can continue. dir is for files that are given to a program by
// path.
func ConversationOf(s *pith.Session, at, dir string) (*Conversation, error) {
	v := s.View()
	context, err := v.Context(at)
	if err != nil {
		return nil, err
	}
	h := s.Header()
	c := &Conversation{ID: s.ID(), Title: s.Name(), Cwd: s.Cwd(), Dir: dir}
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
		handed := Handed{ID: m.EntryID, Time: last, Message: message}
		if t, ok := message.Time(); ok && t.After(last) {
			handed.Time, last = t, t
		}
		c.Messages = append(c.Messages, handed)
	}
	if c.Time.IsZero() {
		c.Time = time.Unix(0, 0)
	}
	return c, addOthers(v, c)
}

// addOthers adds the branches of a session that are not handed over as its context.
func addOthers(v *pith.View, c *Conversation) error {
	handed := map[string]bool{}
	for i := range c.Messages {
		handed[c.Messages[i].ID] = true
	}
	type place struct {
		node    *pith.Node
		after   string
		stretch int // index in c.Others that a message is added to; -1 to begin a new one
	}
	var todo []place
	for _, root := range slices.Backward(v.Tree()) {
		todo = append(todo, place{root, "", -1})
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := at.node
		if !n.OnPath && len(n.Children) == 0 && !format.Bookkeeping(n.Type, "") {
			c.Branches++
		}
		switch {
		case handed[n.ID]:
			at.after, at.stretch = n.ID, -1
		case !n.OnPath && n.Type == format.TypeMessage:
			h, err := handedMessage(v, n, c.Time)
			if err != nil {
				return err
			}
			if at.stretch < 0 {
				at.stretch = len(c.Others)
				c.Others = append(c.Others, Stretch{After: at.after})
			}
			s := &c.Others[at.stretch]
			s.Messages = append(s.Messages, h)
			at.after = n.ID
		}
		if len(n.Children) > 1 {
			at.stretch = -1
		}
		for _, child := range slices.Backward(n.Children) {
			todo = append(todo, place{child, at.after, at.stretch})
		}
	}
	return nil
}

func handedMessage(v *pith.View, n *pith.Node, otherwise time.Time) (Handed, error) {
	e, err := v.Entry(n.Pos)
	if err != nil {
		return Handed{}, err
	}
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return Handed{}, fmt.Errorf("entry %s is not a message", n.ID)
	}
	h := Handed{ID: n.ID, Time: otherwise, Message: m.Message}
	if t, ok := m.Message.Time(); ok {
		h.Time = t
	}
	return h, nil
}
