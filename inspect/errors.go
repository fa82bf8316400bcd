package inspect

import "errors"

// ErrNoExchange means that a session has no exchange of that number.
var ErrNoExchange = errors.New("no such exchange")

// ErrChoice means that a choice of exchanges cannot be meant.
var ErrChoice = errors.New("invalid choice")
