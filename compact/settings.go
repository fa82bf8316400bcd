package compact

import "fmt"

// Settings say when a conversation is compacted and how much of it stays.
// [Defaults] are pi's; the zero Settings reserve nothing and keep as little as
// a cut allows.
type Settings struct {
	// Enabled allows automatic compaction. A plan can be made without it.
	Enabled bool
	// ReserveTokens is the part of the window that is left for the answer.
	ReserveTokens int64
	// KeepRecentTokens is how much of the end of the conversation stays.
	KeepRecentTokens int64
	// Estimator guesses the tokens of what stays.
	Estimator Estimator
}

// Defaults are the settings of pi.
func Defaults() Settings {
	return Settings{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000}
}

// ShouldCompact reports whether a context of that many tokens is to be compacted
// for a model with that window. Ask only when the window is known: as in pi, a
// window of 0 is exceeded by every context if anything is reserved.
func (s Settings) ShouldCompact(tokens, window int64) bool {
	return s.Enabled && tokens > Room(window, s.ReserveTokens)
}

// Room is how many tokens of a window may be used when some are reserved.
//
// A reserve that leaves less than an eighth of the window was meant for a
// larger model: taken as it is, every turn would be compacted, and a summary
// would have no room to be asked for. Half of the window is reserved then,
// which [Settings.CheckReserve] tells. pi takes the reserve as it is.
func Room(window, reserve int64) int64 {
	if window > 0 && window-reserve < window/8 {
		return window - window/2
	}
	return window - reserve
}

// A ReserveError says that [Room] reserves less than the settings ask for. It does
// not keep anything from working.
type ReserveError struct {
	Window, Reserve int64 // of the model, and as the settings ask
	Taken           int64 // what is reserved instead
}

func (e *ReserveError) Error() string {
	return fmt.Sprintf("a reserve of %d tokens leaves less than an eighth of the model's window of %d; %d are reserved instead", e.Reserve, e.Window, e.Taken)
}

// CheckReserve returns a *[ReserveError] when a window is too small for the reserve,
// and nil otherwise.
func (s Settings) CheckReserve(window int64) error {
	if taken := window - Room(window, s.ReserveTokens); window > 0 && taken != s.ReserveTokens {
		return &ReserveError{Window: window, Reserve: s.ReserveTokens, Taken: taken}
	}
	return nil
}

// Fit returns the settings as they can work with a window: the reserve as [Room]
// takes it, and what is kept small enough for the compacted context to lie below
// the threshold. Settings that fit are returned as they are.
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
