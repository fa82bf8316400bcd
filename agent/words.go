package agent

import (
	"errors"
	"strings"

	"github.com/pith-sessions/pith/compact"
)

// A WordedError is an error in the words of pi, whose clients tell errors apart by
// their text. It matches what Err matches.
type WordedError struct {
	Words string
	Err   error
}

func (e *WordedError) Error() string { return e.Words }

func (e *WordedError) Unwrap() error { return e.Err }

// WordedBusy is the error of a prompt in the words of pi, if it came while an answer was
// under way. Other errors stay as they are.
func WordedBusy(err error) error {
	if busy, ok := errors.AsType[*BusyError](err); ok && busy.With == ActivityRunning {
		return &WordedError{"Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.", err}
	}
	return err
}

// Worded is the error of a compaction or a navigation in the words of pi. An error
// for which pi has none stays as it is.
func Worded(err error) error {
	nothing, _ := errors.AsType[*compact.NothingError](err)
	summary, _ := errors.AsType[*compact.SummaryError](err)
	switch {
	case nothing != nil && nothing.Why == compact.AlreadyCompacted:
		return &WordedError{"Already compacted", err}
	case nothing != nil:
		return &WordedError{"Nothing to compact (session too small)", err}
	case errors.Is(err, ErrCancelled), errors.Is(err, ErrAborted):
		return &WordedError{"Compaction cancelled", err}
	case summary != nil:
		return &WordedError{summary.Error(), err}
	}
	return err
}

// Message is the error in the words of pi's listeners; "" when there is none.
func (e *CompactionEnd) Message() string { return failureMessage(e.Reason, e.Err) }

// Message is that of the [CompactionEnd] that came before.
func (e CompactFailedEvent) Message() string { return failureMessage(e.Reason, e.Err) }

func failureMessage(why Reason, err error) string {
	if err == nil {
		return ""
	}
	text := Worded(err).Error()
	switch {
	case errors.Is(err, ErrOverflowAgain), errors.Is(err, ErrTruncatedAgain), errors.Is(err, ErrNoProgress):
		return strings.ToUpper(text[:1]) + text[1:]
	case why == ReasonManual:
		return "Compaction failed: " + text
	case why == ReasonOverflow:
		return "Context overflow recovery failed: " + text
	}
	return "Auto-compaction failed: " + text
}
