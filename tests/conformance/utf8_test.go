package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Bytes that are not UTF-8 are shown as pi shows them, which reads them with the
// decoder of JavaScript: one U+FFFD for as many of them as could begin a
// character. It holds for the entries, for what is sent to a model and for the
// list (pitfall 19).
func TestBytesThatAreNotUTF8AreShownAsInPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		path := sessionFile(t, brokenSession(r.cwd))
		theirs, err := r.open(t, path).Context(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, m := range theirs.Messages {
			want = append(want, jsonl.LookupString(m, "content"))
		}
		c, err := reopen(t, path).Context()
		if err != nil {
			t.Fatal(err)
		}
		var shown, sent []string
		for m, err := range c.Messages() {
			if err != nil {
				t.Fatal(err)
			}
			shown = append(shown, jsonl.LookupString(m.Raw, "content"))
		}
		repaired, _, err := c.Repaired()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range repaired {
			sent = append(sent, jsonl.LookupString(m.Raw, "content"))
		}
		sameLists(t, "contents", shown, want)
		sameLists(t, "contents to send", sent, want)
		r.compareListing(t, path)
	})
}

// brokenSession is a session of messages with bytes in any order that are the
// borders between those that begin, continue and break characters.
func brokenSession(cwd string) string {
	const borders = "Ax\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"
	texts := []string{"\xe2\x82", "\xf0\x9f\x92", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}
	pick := rand.New(rand.NewPCG(19, 0))
	for range 150 {
		text := make([]byte, 1+pick.IntN(24))
		for i := range text {
			text[i] = borders[pick.IntN(len(borders))]
		}
		texts = append(texts, string(text))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"broken","timestamp":"2026-02-03T10:00:00.000Z","cwd":%q}`+"\n", cwd)
	parent := "null"
	for i, text := range texts {
		id := fmt.Sprintf(`"%08x"`, i)
		fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"%s","timestamp":1770112800000}}`+"\n", id, parent, text)
		parent = id
	}
	return b.String()
}
