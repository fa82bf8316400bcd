package inspect

import "errors"

// ErrNoExchange means that a session has no exchange with that number.
var ErrNoExchange = errors.New("no such exchange")

// ErrChoice means that a choice of exchanges is invalid.
var ErrChoice = errors.New("invalid choice")
