package compact

import (
	"errors"
	"fmt"
	"math"

	"github.com/pith-sessions/pith/internal/jsonl"
)

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
// A reserve that leaves less than an eighth of the window was meant for a larger
// model: taken as it is, every turn would be compacted, and a summary would have
// no room to be asked for. Half of the window is reserved then (pitfall 108).
func Room(window, reserve int64) int64 {
	if window > 0 && window-reserve < window/8 {
		return window - window/2
	}
	return window - reserve
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

// ErrSetting means that a setting has a value that it cannot have.
var ErrSetting = errors.New("invalid setting")

// maxSafeInteger is the largest integer that JavaScript counts exactly.
const maxSafeInteger = 1<<53 - 1

// DecodeSettings reads the "compaction" object of pi's settings for a model. A
// number of the object's modelOverrides for "provider/modelID" goes before the
// ordinary one, which must be valid all the same. raw must be valid JSON or
// empty; unknown members are left alone. An error wraps [ErrSetting], and the
// settings are then the defaults.
func DecodeSettings(raw []byte, provider, modelID string) (Settings, error) {
	s := Defaults()
	if enabled, ok := jsonl.Lookup(raw, "enabled"); ok && !jsonl.IsNull(enabled) {
		s.Enabled = truthy(enabled)
	}
	if err := s.numbers(raw, "compaction"); err != nil {
		return Defaults(), err
	}
	overrides, _ := jsonl.Lookup(raw, "modelOverrides")
	key := provider + "/" + modelID
	override, ok := jsonl.Lookup(overrides, key)
	if !ok {
		return s, nil
	}
	where := fmt.Sprintf("compaction.modelOverrides[%q]", key)
	if jsonl.KindOf(override) != '{' {
		return Defaults(), fmt.Errorf("%w: %s is %s, want an object", ErrSetting, where, clipped(override))
	}
	if err := s.numbers(override, where); err != nil {
		return Defaults(), err
	}
	return s, nil
}

// numbers takes the numbers that obj has.
func (s *Settings) numbers(obj []byte, where string) error {
	for _, field := range []struct {
		name string
		to   *int64
	}{{"reserveTokens", &s.ReserveTokens}, {"keepRecentTokens", &s.KeepRecentTokens}} {
		raw, ok := jsonl.Lookup(obj, field.name)
		if !ok {
			continue
		}
		n, ok := jsonl.Int(raw)
		if !ok || n < 0 || n > maxSafeInteger {
			return fmt.Errorf("%w: %s.%s is %s, want a whole number from 0 to %d", ErrSetting, where, field.name, clipped(raw), int64(maxSafeInteger))
		}
		*field.to = n
	}
	return nil
}

// truthy is what JavaScript takes for true.
func truthy(raw []byte) bool {
	switch jsonl.KindOf(raw) {
	case 't', '{', '[':
		return true
	case '"':
		s, _ := jsonl.String(raw)
		return s != ""
	case '0':
		f, _ := jsonl.Float(raw)
		return f != 0 && !math.IsNaN(f)
	}
	return false
}

// clipped is a value as an error shows it.
func clipped(raw []byte) string {
	if len(raw) > 60 {
		return string(raw[:60]) + "…"
	}
	return string(raw)
}
