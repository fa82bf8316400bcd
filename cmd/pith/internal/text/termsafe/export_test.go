package termsafe

// FitAny is Fit without the short way for ASCII.
func FitAny(s string, cells int) string { return fitAny(s, cells) }
