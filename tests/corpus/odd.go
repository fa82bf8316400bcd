package corpus

import "strings"

// An OddFile is a session file that pi would not write today: damaged, from
// another program or another time, or with invalid links. All of them were
// found in practice or can occur.
type OddFile struct {
	Name     string
	Pitfalls []int  // the pitfalls that it tests
	What     string // the expected result of reading, in a sentence
	Bytes    []byte

	Opening Opening
	// Entries is the number of entries that a reader must find, including whole
	// ones on a damaged line. Headers, title slots and objects without a type
	// and an ID do not count.
	Entries int
	// Faulty are the physical lines, from 1, that must be reported, in order. A
	// cycle is reported at its first entry, a duplicate ID at the second. Other
	// lines may be reported too.
	Faulty []int
	// Leaf is the ID of the leaf after opening. Empty means that it does not
	// matter.
	Leaf string
}

// Opening is the expected result of opening a file for reading and writing.
type Opening int

const (
	Opens    Opening = iota // for reading and writing
	ReadOnly                // can be read, must not be written
	Refused                 // must be rejected, and stay unchanged
	Fresh                   // may become a new session, since it is empty
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

// The parts of odd files. IDs are readable on purpose.

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

// ask returns a line with a user message.
func ask(id, parent, text string) string {
	return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"user","content":[` + said(text) + `],"timestamp":1770112801000}}`
}

// reply returns a line with an assistant message.
func reply(id, parent, text string) string {
	return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"assistant","content":[` + said(text) +
		`],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":` + oddUsage + `,"stopReason":"stop","timestamp":1770112801000}}`
}

// file joins lines, each with its end.
func file(lines ...string) []byte {
	return []byte(strings.Join(lines, "\n") + "\n")
}

// talk returns a header and four consecutive messages: aaaa0001 to aaaa0004.
func talk() []string {
	return []string{
		oddHeader,
		ask("aaaa0001", "", "why is the build slow?"),
		reply("aaaa0002", "aaaa0001", "Two modules are compiled twice."),
		ask("aaaa0003", "aaaa0002", "fix that"),
		reply("aaaa0004", "aaaa0003", "Done, 40 s less."),
	}
}

// insert returns lines with more inserted before index at.
func insert(lines []string, at int, more ...string) []string {
	return append(append(append([]string{}, lines[:at]...), more...), lines[at:]...)
}

// js returns a string as JavaScript prints it in JSON.
func js(s string) string { return string(appendString(nil, s)) }

// said returns a text block.
func said(text string) string { return `{"type":"text","text":` + js(text) + `}` }
