package compact

import "errors"

// ErrNothing matches every [NothingError].
var ErrNothing = errors.New("nothing to compact")

// Why is the reason why nothing can be compacted.
type Why uint8

const (
	// TooSmall means that everything would be kept.
	TooSmall Why = iota + 1
	// AlreadyCompacted means that the last entry is a compaction.
	AlreadyCompacted
	// NoBranch means that no branch is abandoned, because the new leaf is the
	// old one or continues it.
	NoBranch
)

// A NothingError means that there is nothing to summarize. No plan is made,
// because a summary of nothing would replace the existing one.
type NothingError struct{ Why Why }

func (e *NothingError) Error() string {
	switch e.Why {
	case AlreadyCompacted:
		return "nothing to compact: no messages since the last compaction"
	case NoBranch:
		return "nothing to summarize: the branch has no entries"
	}
	return "nothing to compact: the conversation fits in the tokens to keep"
}

// Is makes every NothingError match ErrNothing.
func (e *NothingError) Is(target error) bool { return target == ErrNothing }
