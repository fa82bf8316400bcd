package compact

import "fmt"

// Settings determine when a conversation is compacted and how much of it is
// kept. [Defaults] returns pi's. The zero Settings reserve nothing and keep as
// little as possible.
type Settings struct {
	// Enabled allows automatic compaction. It does not affect planning.
	Enabled bool
	// ReserveTokens is the part of the context window reserved for the
	// response.
	ReserveTokens int64
	// KeepRecentTokens is how many tokens to keep at the end of the
	// conversation.
	KeepRecentTokens int64
	// Estimator estimates the tokens of the kept part.
	Estimator Estimator
}

// Defaults returns pi's settings.
func Defaults() Settings {
	return Settings{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000}
}

// ShouldCompact reports whether a context of that many tokens should be
// compacted for a model with that window. Call it only if the window is known:
// as in pi, every context exceeds a window of 0 if anything is reserved.
func (s Settings) ShouldCompact(tokens, window int64) bool {
	return s.Enabled && tokens > Room(window, s.ReserveTokens)
}

// Room returns how many tokens of a window may be used after the reserve is
// subtracted.
//
// A reserve that leaves less than an eighth of the window was meant for a
// larger model: with it, every turn would be compacted and a summary request
// would not fit. In that case Room reserves half of the window, and
// [Settings.CheckReserve] reports it. pi uses the reserve as given.
func Room(window, reserve int64) int64 {
	if window > 0 && window-reserve < window/8 {
		return window - window/2
	}
	return window - reserve
}

// A ReserveError means that [Room] reserves less than the settings ask for. It
// is a warning only.
type ReserveError struct {
	Window, Reserve int64 // the model's window and the configured reserve
	Taken           int64 // the tokens actually reserved
}

func (e *ReserveError) Error() string {
	return fmt.Sprintf("reserving %d tokens leaves less than an eighth of the context window of %d; reserving %d instead", e.Reserve, e.Window, e.Taken)
}

// CheckReserve returns a *[ReserveError] if a window is too small for the
// reserve, and nil otherwise.
func (s Settings) CheckReserve(window int64) error {
	if taken := window - Room(window, s.ReserveTokens); window > 0 && taken != s.ReserveTokens {
		return &ReserveError{Window: window, Reserve: s.ReserveTokens, Taken: taken}
	}
	return nil
}

// Fit adjusts the settings to a window: it sets the reserve that [Room] uses,
// and limits the kept tokens so that the compacted context is below the
// threshold. Settings that already fit are returned unchanged.
func (s Settings) Fit(window int64) Settings {
	if window <= 0 {
		return s
	}
	room := Room(window, s.ReserveTokens)
	s.ReserveTokens = window - room
	if s.KeepRecentTokens >= room {
		s.KeepRecentTokens = room / 2
	}
	return s
}
