package inspect

import "github.com/pith-sessions/pith/format"

// Spent is the usage of one model call.
type Spent struct {
	// Model is provider/id, or "" if unknown.
	Model Text `json:"model,omitempty"`
	format.Spent
}

// spentOf returns the usage of one model call, or nil if it is zero.
func spentOf(u *format.Usage, model string) *Spent {
	s := Spent{Text(model), u.Spent()}
	if s.IsZero() {
		return nil
	}
	return &s
}
