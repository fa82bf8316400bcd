package piwire

import (
	"errors"
	"strings"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
)

// An Error is an error in pi's words. pi's clients distinguish errors by their
// text.
type Error struct {
	Words string
	Err   error
}

func (e *Error) Error() string { return e.Words }

func (e *Error) Unwrap() error { return e.Err }

// WordedBusy returns the error of a prompt in pi's words if the conversation
// was busy with a response. It returns other errors unchanged.
func WordedBusy(err error) error {
	if busy, ok := errors.AsType[*agent.BusyError](err); ok && busy.With == agent.ActivityRunning {
		return &Error{"Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.", err}
	}
	return err
}

// Worded returns the error of a compaction or a navigation in pi's words. It returns
// errors for which pi has no words unchanged.
func Worded(err error) error {
	nothing, _ := errors.AsType[*compact.NothingError](err)
	summary, _ := errors.AsType[*compact.SummaryError](err)
	switch {
	case nothing != nil && nothing.Why == compact.AlreadyCompacted:
		return &Error{"Already compacted", err}
	case nothing != nil:
		return &Error{"Nothing to compact (session too small)", err}
	case errors.Is(err, agent.ErrCancelled), errors.Is(err, agent.ErrAborted):
		return &Error{"Compaction cancelled", err}
	case summary != nil:
		return &Error{summary.Error(), err}
	}
	return err
}

// CompactionMessage returns the error of a compaction in pi's words; "" if
// there is none.
func CompactionMessage(e *agent.CompactionEnd) string {
	if e.Err == nil {
		return ""
	}
	text := Worded(e.Err).Error()
	switch {
	case errors.Is(e.Err, agent.ErrOverflowAgain), errors.Is(e.Err, agent.ErrTruncatedAgain), errors.Is(e.Err, agent.ErrNoProgress):
		return strings.ToUpper(text[:1]) + text[1:]
	case e.Reason == agent.ReasonManual:
		return "Compaction failed: " + text
	case e.Reason == agent.ReasonOverflow:
		return "Context overflow recovery failed: " + text
	}
	return "Auto-compaction failed: " + text
}
