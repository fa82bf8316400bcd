package cli

import (
	"strings"

	"github.com/pith-sessions/pith/internal/gist"
	"github.com/pith-sessions/pith/internal/plain"
)

// gistTones are the tones of a gist in the colours of this command.
var gistTones = [...]tone{
	gist.Plain: toneNone, gist.Dim: toneDim, gist.User: toneUser, gist.Assistant: toneAssistant,
	gist.Warning: toneWarning, gist.Error: toneError, gist.Note: toneNote,
}

func (p palette) gist(g gist.Gist) string {
	return p.paint(gistTones[g.HeadTone], g.Head) + p.paint(gistTones[g.TextTone], g.Text)
}

// oneLineCells is how much of a text one line holds at most.
const oneLineCells = 200

// oneLine is text without breaks at its ends, harmless and not too long.
func oneLine(s string) string {
	return strings.TrimSpace(plain.Fit(strings.TrimSpace(s), oneLineCells))
}
