package inspect

import "github.com/pith-sessions/pith/format"

// Spent is what one call of a model took.
type Spent struct {
	// Model is provider/id; "" where the entry does not say.
	Model Text `json:"model,omitempty"`
	format.Spent
}

// spentOf is what one call of a model took; nil when that is nothing.
func spentOf(u *format.Usage, model string) *Spent {
	s := Spent{Text(model), u.Spent()}
	if s.IsZero() {
		return nil
	}
	return &s
}
