package compact

import "errors"

// ErrNothing matches every [NothingError].
var ErrNothing = errors.New("nothing to compact")

// Why says why there is nothing to compact.
type Why uint8

const (
	// TooSmall: all that there is would be kept.
	TooSmall Why = iota + 1
	// AlreadyCompacted: the last thing that happened was a compaction.
	AlreadyCompacted
	// NoBranch: nothing is left behind, because the new position is the old one or
	// continues it.
	NoBranch
)

// A NothingError means that there is nothing to summarise. No plan is made
// then: a summary of nothing would replace the one that is there.
type NothingError struct{ Why Why }

func (e *NothingError) Error() string {
	switch e.Why {
	case AlreadyCompacted:
		return "nothing to compact: nothing was said since the last compaction"
	case NoBranch:
		return "nothing to summarise: no entry is left behind"
	}
	return "nothing to compact: all of the conversation is small enough to be kept"
}

// Is makes every NothingError match ErrNothing.
func (e *NothingError) Is(target error) bool { return target == ErrNothing }
