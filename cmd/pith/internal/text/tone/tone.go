// Package tone defines the meanings of pieces of text, and their colors on a
// terminal.
package tone

// A Tone is the meaning of a piece of text to the reader. It becomes a color on
// a terminal and has no effect otherwise.
type Tone uint8

const (
	None Tone = iota
	Dim
	Bold
	User
	Assistant
	Warning
	Error
	Note
	Found
)

var codes = [...]string{
	Dim:       "2",
	Bold:      "1",
	User:      "1;36",
	Assistant: "1;32",
	Warning:   "33",
	Error:     "31",
	Note:      "35",
	Found:     "1;33",
}

// A Palette colors text, if it is on.
type Palette struct{ On bool }

// Paint returns s in a tone. s must be on one line.
func (p Palette) Paint(t Tone, s string) string {
	if !p.On || t == None || s == "" {
		return s
	}
	return "\x1b[" + codes[t] + "m" + s + "\x1b[0m"
}

func (p Palette) Dim(s string) string { return p.Paint(Dim, s) }

func (p Palette) Bold(s string) string { return p.Paint(Bold, s) }
