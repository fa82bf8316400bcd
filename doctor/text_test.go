package doctor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/doctor"
)

const head = `{"type":"session","version":3,"id":"t","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/x"}` + "\n"

// Half of a surrogate pair is found wherever it is, and a whole pair or an
// escaped backslash is not reported (pitfall 19).
func TestLoneHalves(t *testing.T) {
	tests := map[string]bool{
		`\ud83d`: true, `\uD83D`: true, `\ude00`: true, `\uDE00`: true, `\ud83d\ud83d`: true, `\ude00\ud83d`: true, `\ud83dx\ude00`: true,
		`\ud83d\ude00`: false, `\uD83D\uDE00`: false, `\\ud83d`: false, `\\\\ud83d`: false, `\\\ud83d`: true, `\ud7ff`: false, `\u00e9`: false, `x`: false,
	}
	for text, want := range tests {
		for pad := range 20 {
			line := fmt.Sprintf(`{"type":"custom","customType":"x","id":"a","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","data":"%s%s"}`, strings.Repeat("p", pad), text)
			r := check(t, write(t, "", []byte(head+line+"\n"), 0), doctor.Options{Only: []doctor.Code{doctor.LoneHalf}})
			if got := len(r.Findings) > 0; got != want {
				t.Errorf("%s after %d letters: found = %t, want %t", text, pad, got, want)
			}
		}
	}
}
