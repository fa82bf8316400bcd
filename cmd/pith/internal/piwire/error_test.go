package piwire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/compact"
)

// The words of pi take the place of ours, and what an error matches stays.
func TestWorded(t *testing.T) {
	boom := errors.New("boom")
	tests := map[string]struct {
		err     error
		matches error
		want    string
		manual  string // at the end of a manual compaction
	}{
		"too small":         {&compact.NothingError{Why: compact.TooSmall}, compact.ErrNothing, "Nothing to compact (session too small)", "Compaction failed: Nothing to compact (session too small)"},
		"already compacted": {&compact.NothingError{Why: compact.AlreadyCompacted}, compact.ErrNothing, "Already compacted", "Compaction failed: Already compacted"},
		"cancelled":         {agent.ErrCancelled, agent.ErrCancelled, "Compaction cancelled", "Compaction failed: Compaction cancelled"},
		"aborted":           {fmt.Errorf("%w: %w", agent.ErrAborted, boom), agent.ErrAborted, "Compaction cancelled", "Compaction failed: Compaction cancelled"},
		"summary":           {fmt.Errorf("navigate to x: %w", &compact.SummaryError{Part: compact.LeftBranch, Err: boom}), boom, "Branch summarization failed: boom", "Compaction failed: Branch summarization failed: boom"},
		"case 72: summary":  {&compact.SummaryError{Part: compact.History, Err: boom}, boom, "Summarization failed: boom", "Compaction failed: Summarization failed: boom"},
		"another":           {boom, boom, "boom", "Compaction failed: boom"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := piwire.Worded(tt.err)
			if got.Error() != tt.want || !errors.Is(got, tt.matches) {
				t.Errorf("Worded(%v) = %v; want %q, which matches %v", tt.err, got, tt.want, tt.matches)
			}
			end := agent.CompactionEnd{Reason: agent.ReasonManual, Err: tt.err}
			if got := piwire.CompactionMessage(&end); got != tt.manual {
				t.Errorf("CompactionMessage(%v) = %q; want %q", tt.err, got, tt.manual)
			}
		})
	}
}

func TestWordedBusy(t *testing.T) {
	busy := &agent.BusyError{With: agent.ActivityRunning}
	if got := piwire.WordedBusy(busy); !strings.HasPrefix(got.Error(), "Agent is already processing") || !errors.Is(got, busy) {
		t.Errorf("WordedBusy(%v) = %v; want pi's words, which match ErrBusy", busy, got)
	}
	for _, err := range []error{nil, &agent.BusyError{With: agent.ActivityCompacting}, agent.ErrAborted} {
		if got := piwire.WordedBusy(err); got != err {
			t.Errorf("WordedBusy(%v) = %v; want it as it is", err, got)
		}
	}
}
