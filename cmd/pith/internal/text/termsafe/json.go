package termsafe

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON makes a JSON text safe to print without changing its value: characters
// that a terminal would obey become \u escapes. In valid JSON they occur only
// in strings, where that is equivalent. Line feeds between tokens stay. A byte
// that is not UTF-8 becomes U+FFFD.
func JSON(text []byte) []byte {
	s := string(text)
	if firstHarmful(s, manyLines) < 0 {
		return text
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, size := decode(s[i:])
		switch {
		case r == '\n':
			out = append(out, '\n')
		case r == '\t' || r == '\r':
			out = append(out, ' ') // between tokens; not valid in strings
		case harmful(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		default:
			out = utf8.AppendRune(out, r)
		}
		i += size
	}
	return out
}
