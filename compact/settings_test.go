package compact_test

import (
	"errors"
	"testing"

	"github.com/pith-sessions/pith/compact"
)

func TestShouldCompact(t *testing.T) {
	tests := map[string]struct {
		tokens, window, reserve int64
		disabled                bool
		want                    bool
	}{
		"case 18: at the threshold":             {90, 100, 10, false, false},
		"case 18: above it":                     {91, 100, 10, false, true},
		"case 18: disabled":                     {91, 100, 10, true, false},
		"case 19: no window":                    {0, 0, 10, false, true},
		"case 19: no window and no reserve":     {0, 0, 0, false, false},
		"reserve above the window, small":       {4096, 8192, 16384, false, false}, // pitfall 108
		"reserve above the window, full":        {4097, 8192, 16384, false, true},  // pitfall 108
		"reserve of the whole window":           {100, 16384, 16384, false, false}, // pitfall 108
		"reserve that leaves a fifth is obeyed": {200_001, 1_000_000, 800_000, false, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := compact.Settings{Enabled: !tt.disabled, ReserveTokens: tt.reserve}
			if got := s.ShouldCompact(tt.tokens, tt.window); got != tt.want {
				t.Errorf("%+v.ShouldCompact(%d, %d) = %v, want %v", s, tt.tokens, tt.window, got, tt.want)
			}
		})
	}
}

func TestFit(t *testing.T) {
	tests := map[string]struct {
		window        int64
		reserve, keep int64 // that come out for the defaults
	}{
		"large":   {200_000, 16384, 20000},
		"unknown": {0, 16384, 20000},
		"32k":     {32_768, 16384, 8192}, // 20000 would leave the context above the threshold
		"8k":      {8192, 4096, 2048},    // pitfall 108
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := compact.Defaults().Fit(tt.window)
			if got.ReserveTokens != tt.reserve || got.KeepRecentTokens != tt.keep {
				t.Errorf("Defaults().Fit(%d) = %+v, want reserve %d, keep %d", tt.window, got, tt.reserve, tt.keep)
			}
			if tt.window > 0 && got.ShouldCompact(got.KeepRecentTokens, tt.window) {
				t.Errorf("what %+v keeps is above its threshold for a window of %d", got, tt.window)
			}
		})
	}
}

// The kept part is below the available room, not at its limit.
func TestFitAtTheLimit(t *testing.T) {
	for keep, want := range map[int64]int64{83: 83, 84: 42, 85: 42} {
		s := compact.Settings{ReserveTokens: 16, KeepRecentTokens: keep}
		if got := s.Fit(100).KeepRecentTokens; got != want {
			t.Errorf("of a room of 84 tokens %d are kept, want %d", got, want)
		}
	}
	if err := (compact.Settings{ReserveTokens: 16}).CheckReserve(0); err != nil {
		t.Errorf("CheckReserve of a window that is not known = %v", err)
	}
}

// A window that is too small for the reserve is reported, with the replacement.
func TestCheckReserve(t *testing.T) {
	for window, taken := range map[int64]int64{0: 0, 200_000: 0, 32_768: 0, 18_724: 0, 18_725: 0, 18_723: 9361, 8192: 4096} {
		err := compact.Defaults().CheckReserve(window)
		var small *compact.ReserveError
		if errors.As(err, &small) != (taken > 0) {
			t.Errorf("CheckReserve(%d) = %v; want an error: %v", window, err, taken > 0)
		} else if small != nil && (small.Taken != taken || small.Window != window || small.Reserve != 16384) {
			t.Errorf("CheckReserve(%d) = %+v; want %d taken", window, small, taken)
		}
	}
}
