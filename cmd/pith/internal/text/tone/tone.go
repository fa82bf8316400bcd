// Package tone is what a piece of text is to its reader, and its colour on a terminal.
package tone

// A Tone is what a piece of text is to the reader. It becomes a colour on a
// terminal and nothing elsewhere.
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

// A Palette paints text, or leaves it alone.
type Palette struct{ On bool }

// Paint is s in a tone. s must be on one line.
func (p Palette) Paint(t Tone, s string) string {
	if !p.On || t == None || s == "" {
		return s
	}
	return "\x1b[" + codes[t] + "m" + s + "\x1b[0m"
}

func (p Palette) Dim(s string) string { return p.Paint(Dim, s) }

func (p Palette) Bold(s string) string { return p.Paint(Bold, s) }
