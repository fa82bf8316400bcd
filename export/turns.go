package export

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/page"
)

// chooseTurns restricts the plan to the messages of the requested turns. It
// leaves out everything else in them, because summaries, names and labels
// describe other turns.
func (p *Plan) chooseTurns(s *pith.Session) error {
	r, err := inspect.Open(s, inspect.Scope{Leaf: p.Leaf})
	if err != nil {
		return err
	}
	indexes, err := r.Select(p.Turns)
	if err != nil {
		return err
	}
	if len(indexes) == 0 {
		return &inspect.TurnsError{Turns: p.Turns}
	}
	p.lastTurn, p.turns, p.path = r.Number(r.Len()-1), r.Numbers(indexes), []int{}
	if r.Number(indexes[0]) == 0 { // no turn: what precedes the first message
		return &inspect.TurnsError{Turns: p.Turns, First: 1, Last: p.lastTurn}
	}
	for line, err := range r.Lines(indexes...) {
		if err != nil {
			return err
		}
		if isTalk(line.Envelope) {
			p.path = append(p.path, line.Pos)
		}
	}
	p.wanted = slices.Sorted(slices.Values(p.path))
	return nil
}

// isTalk reports whether an entry is a message of a turn itself, and not about
// other turns.
func isTalk(e pith.Envelope) bool {
	if e.Type == format.TypeCustomMessage {
		return true
	}
	switch e.Role {
	case format.RoleUser, format.RoleAssistant, format.RoleToolResult, format.RoleBashExecution, format.RoleCustom, format.RoleHookMessage,
		format.RolePythonExecution, format.RoleFileMention:
		return e.Type == format.TypeMessage
	}
	return false
}

// turnsNote describes the selected turns: "Turns 2 and 4–6 of 9".
func (p *Plan) turnsNote() string {
	word := "Turn "
	if strings.ContainsAny(p.turns, ",-") {
		word = "Turns "
	}
	text := strings.ReplaceAll(p.turns, "-", "–")
	if i := strings.LastIndexByte(text, ','); i >= 0 {
		text = strings.ReplaceAll(text[:i], ",", ", ") + " and " + text[i+1:]
	}
	return word + text + " of " + strconv.Itoa(p.lastTurn)
}

// promptTitle returns the start of the first selected user message, redacted.
// The name of the session may describe turns that are left out.
func (p *Plan) promptTitle(ctx context.Context) (string, error) {
	for e, err := range page.Entries(ctx, p.view.Reader().LinesAt(p.path), p.line) {
		if err != nil {
			return "", err
		}
		if m, ok := e.(*format.MessageEntry); ok && m.Message.Role() == format.RoleUser {
			c, _ := format.ContentOf(m.Message)
			return page.OneLine(c.PlainText(), 80), nil
		}
	}
	return "", nil
}
