package corpus

import "strings"

// An OddFile is a session file that is not as pi writes it today: damaged, of
// another program, of another time, or wrong in its links. All of them were
// met in the wild or can be.
type OddFile struct {
	Name     string
	Pitfalls []int  // the pitfalls that it is about
	What     string // what a reader must find, in a sentence
	Bytes    []byte

	Opening Opening
	// Entries is how many entries a reader must find, whole ones on a damaged
	// line included. Headers, title slots and objects without a type and an id are none.
	Entries int
	// Faulty are the physical lines, from 1, of which something must be
	// reported, in order. A circle is reported at its first entry, an id that
	// comes twice at the second. More may be reported of other lines.
	Faulty []int
	// Leaf is the id of the leaf after opening. Empty means that What does not
	// depend on it.
	Leaf string
}

// Opening is what must come of opening a file for reading and writing.
type Opening int

const (
	Opens    Opening = iota // for reading and writing
	ReadOnly                // may be read, must not be written
	Refused                 // must be refused, and stay as it is
	Fresh                   // may become a new session: there is nothing in it
)

// Odd returns all odd files. None is larger than a few megabytes; for those
// that only matter when they are huge see Chain, Fan and LongLine.
func Odd() []OddFile {
	var all []OddFile
	for _, group := range [][]OddFile{
		oddEnds(), oddLines(), oddBytes(), oddBeginnings(), oddHeaders(), oddVersions(), oddShapes(), oddValues(), oddWriters(), oddLinks(), oddIDs(), oddLeaves(),
	} {
		all = append(all, group...)
	}
	return all
}

// The pieces that odd files are made of. Ids are readable on purpose.

const (
	oddHeader = `{"type":"session","version":3,"id":"0195f1a0-0000-7000-8000-00000000000d","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/odd"}`
	oddUsage  = `{"input":4,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":13,"cost":{"input":0.00002,"output":0.000225,"cacheRead":0,"cacheWrite":0,"total":0.000245}}`
)

// tree writes the fields that place an entry. An empty parent is null.
func tree(id, parent string) string {
	if parent == "" {
		return `"id":` + js(id) + `,"parentId":null,"timestamp":"2026-02-03T10:00:01.000Z"`
	}
	return `"id":` + js(id) + `,"parentId":` + js(parent) + `,"timestamp":"2026-02-03T10:00:01.000Z"`
}

// ask is a line with a user's message.
func ask(id, parent, text string) string {
	return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"user","content":[` + said(text) + `],"timestamp":1770112801000}}`
}

// reply is a line with an assistant's message.
func reply(id, parent, text string) string {
	return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"assistant","content":[` + said(text) +
		`],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":` + oddUsage + `,"stopReason":"stop","timestamp":1770112801000}}`
}

// file joins lines, each with its end.
func file(lines ...string) []byte {
	return []byte(strings.Join(lines, "\n") + "\n")
}

// talk is a header and four messages in a row: aaaa0001 to aaaa0004.
func talk() []string {
	return []string{
		oddHeader,
		ask("aaaa0001", "", "why is the build slow?"),
		reply("aaaa0002", "aaaa0001", "Two modules are compiled twice."),
		ask("aaaa0003", "aaaa0002", "fix that"),
		reply("aaaa0004", "aaaa0003", "Done, 40 s less."),
	}
}

// insert returns lines with more put in before position at.
func insert(lines []string, at int, more ...string) []string {
	return append(append(append([]string{}, lines[:at]...), more...), lines[at:]...)
}

// js is a string as JavaScript prints it in JSON.
func js(s string) string { return string(appendString(nil, s)) }

// said is a block of text.
func said(text string) string { return `{"type":"text","text":` + js(text) + `}` }
