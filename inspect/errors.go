package inspect

import "errors"

// ErrNoTurn means that a session has no turn with that number.
var ErrNoTurn = errors.New("no such turn")

// ErrChoice means that a choice of turns is invalid.
var ErrChoice = errors.New("invalid choice")
