package plain

// FitAny is Fit without the short way for ASCII.
func FitAny(s string, cells int) string { return fitAny(s, cells) }
