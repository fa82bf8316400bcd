package cli

// A tone is what a piece of text is to the reader. It becomes a colour on a
// terminal and nothing elsewhere.
type tone uint8

const (
	toneNone tone = iota
	toneDim
	toneBold
	toneUser
	toneAssistant
	toneWarning
	toneError
	toneNote
	toneFound
)

var toneCodes = [...]string{
	toneDim:       "2",
	toneBold:      "1",
	toneUser:      "1;36",
	toneAssistant: "1;32",
	toneWarning:   "33",
	toneError:     "31",
	toneNote:      "35",
	toneFound:     "1;33",
}

// A palette paints text, or leaves it alone.
type palette struct{ on bool }

// paint is s in a tone. s must be on one line.
func (p palette) paint(t tone, s string) string {
	if !p.on || t == toneNone || s == "" {
		return s
	}
	return "\x1b[" + toneCodes[t] + "m" + s + "\x1b[0m"
}

func (p palette) dim(s string) string  { return p.paint(toneDim, s) }
func (p palette) bold(s string) string { return p.paint(toneBold, s) }
