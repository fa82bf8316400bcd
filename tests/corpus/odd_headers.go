package corpus

import "strings"

// oddBeginnings returns files without a header, or with nothing but one.
func oddBeginnings() []OddFile {
	return []OddFile{
		{
			Name: "empty", Pitfalls: []int{12}, Opening: Fresh,
			What: "An empty file may be initialised with a header.",
		}, {
			Name: "header-only", Pitfalls: []int{12},
			What:  "A session in which nothing has happened yet.",
			Bytes: file(oddHeader),
		}, {
			Name: "only-newlines", Pitfalls: []int{12}, Opening: Refused,
			What:  "A file that is not empty but has no header is refused and stays as it is.",
			Bytes: []byte("\n\n\n"),
		}, {
			Name: "only-nul-bytes", Pitfalls: []int{6, 12}, Opening: Refused,
			What:  "A power failure left the file's length and none of its content.",
			Bytes: make([]byte, 4096),
		}, {
			Name: "no-header", Pitfalls: []int{12}, Opening: Refused,
			What:  "Entries without a header are no session.",
			Bytes: file(talk()[1:]...),
		}, {
			Name: "other-json", Pitfalls: []int{12, 49}, Opening: Refused,
			What:  "A log file of another program, line by line JSON.",
			Bytes: file(`{"level":"info","msg":"listening","port":8080}`, `{"level":"warn","msg":"slow request","ms":912}`),
		}, {
			Name: "plain-text", Pitfalls: []int{12}, Opening: Refused,
			What:  "A text file.",
			Bytes: []byte("These are my notes.\nThey are not a session.\n"),
		}, {
			Name: "header-without-id", Pitfalls: []int{12}, Opening: Refused,
			What:  "A header whose id is missing is no header.",
			Bytes: file(append([]string{`{"type":"session","version":3,"timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/odd"}`}, talk()[1:]...)...),
		}, {
			Name: "broken-first-line", Pitfalls: []int{13}, Opening: Refused, Faulty: []int{1},
			What:  "The header is torn and entries follow. The file is refused or opened for repair, never replaced.",
			Bytes: file(append([]string{oddHeader[:60]}, talk()[1:]...)...),
		},
	}
}

// oddHeaders returns files that do not start with one valid header.
func oddHeaders() []OddFile {
	return []OddFile{
		{
			Name: "header-after-broken-line", Pitfalls: []int{14}, Entries: 4, Faulty: []int{1}, Leaf: "aaaa0004",
			What:  "The header comes after a line that is no JSON: the session opens and the line is reported.",
			Bytes: file(append([]string{`{"type":"ses`}, talk()...)...),
		}, {
			Name: "header-over-a-megabyte", Pitfalls: []int{14}, Entries: 4, Leaf: "aaaa0004",
			What:  "A header of more than 1 MiB is a header, for opening and for listing.",
			Bytes: file(append([]string{strings.TrimSuffix(oddHeader, "}") + `,"note":"` + strings.Repeat("padding ", 140_000) + `"}`}, talk()[1:]...)...),
		}, {
			Name: "duplicate-headers", Pitfalls: []int{15}, Entries: 4, Faulty: []int{2, 4}, Leaf: "aaaa0004",
			What: "More header lines, one with another id: the first counts, the others are no entries.",
			Bytes: file(insert(insert(talk(), 2, `{"type":"session","version":3,"id":"another","timestamp":"2026-02-04T10:00:00.000Z","cwd":"/elsewhere"}`),
				1, oddHeader)...),
		}, {
			Name: "bad-header-time", Pitfalls: []int{22}, Entries: 4, Leaf: "aaaa0004",
			What:  "The header's time is no time. Something sensible is shown instead, never an invalid date.",
			Bytes: []byte(strings.Replace(string(file(talk()...)), `"2026-02-03T10:00:00.000Z"`, `"yesterday"`, 1)),
		}, {
			Name: "no-header-time", Pitfalls: []int{22}, Entries: 4, Leaf: "aaaa0004",
			What:  "The header has no time.",
			Bytes: []byte(strings.Replace(string(file(talk()...)), `,"timestamp":"2026-02-03T10:00:00.000Z"`, ``, 1)),
		}, {
			Name: "no-cwd", Pitfalls: []int{23}, Entries: 4, Leaf: "aaaa0004",
			What:  "Old sessions have no cwd: it is unknown, not an error.",
			Bytes: []byte(strings.Replace(string(file(talk()...)), `,"cwd":"/home/dev/odd"`, ``, 1)),
		}, {
			Name: "cwd-of-another-type", Pitfalls: []int{23}, Entries: 4, Leaf: "aaaa0004",
			What:  "The cwd is no string: it is unknown.",
			Bytes: []byte(strings.Replace(string(file(talk()...)), `"cwd":"/home/dev/odd"`, `"cwd":null`, 1)),
		},
	}
}

// oddVersions returns files of other versions of the format.
func oddVersions() []OddFile {
	withVersion := func(v string) []byte {
		return []byte(strings.Replace(string(file(talk()...)), `"version":3`, `"version":`+v, 1))
	}
	return []OddFile{
		{
			Name: "version-4", Pitfalls: []int{21}, Opening: ReadOnly, Entries: 4, Leaf: "aaaa0004",
			What:  "A version above the known one may be read with a warning and must not be written.",
			Bytes: withVersion("4"),
		}, {
			Name: "version-5", Pitfalls: []int{21}, Opening: ReadOnly, Entries: 4, Leaf: "aaaa0004",
			What:  "Nor may any later one.",
			Bytes: withVersion("5"),
		}, {
			Name: "v4-header", Pitfalls: []int{21}, Opening: Refused,
			What: "The lane-based format of pi-agent-core is recognised by its first line and named in the error.",
			Bytes: file(`{"v":4,"kind":"header","id":"0198aa00-0000-7000-8000-000000000001","storageVersion":1,"createdAt":1770112800000,"cwd":"/home/dev/odd"}`,
				`{"kind":"entry","id":"e1","parentId":null,"type":"message","message":{"role":"user","content":"hi"},"seq":1,"timestamp":1770112801000}`),
		}, {
			Name: "version-1", Pitfalls: []int{34, 98}, Entries: 6,
			What:  "No version, no ids, a compaction that counts lines: migrated in memory, and on disk with the first write.",
			Bytes: file(append([]string{strings.Replace(oddHeader, `"version":3,`, ``, 1)}, linear()...)...),
		}, {
			Name: "version-2", Pitfalls: []int{34, 98}, Entries: 3, Leaf: "aaaa0003",
			What: "Version 2 has ids and the old role hookMessage.",
			Bytes: file(strings.Replace(oddHeader, `"version":3`, `"version":2`, 1), talk()[1],
				`{"type":"message",`+tree("aaaa0002", "aaaa0001")+`,"message":{"role":"hookMessage","customType":"lint","content":"clean","display":true,"timestamp":1770112801000}}`,
				reply("aaaa0003", "aaaa0002", "Nothing to do.")),
		}, {
			Name: "v1-under-a-v3-header", Pitfalls: []int{73, 99}, Entries: 6,
			What:  "A fork that pi made of a v1 file: the header says 3, the entries have no ids. They are one conversation in file order.",
			Bytes: file(append([]string{oddHeader}, linear()...)...),
		},
	}
}

// linear returns six entries of a v1 file.
func linear() []string {
	entry := func(second, rest string) string {
		return `{"type":"message","timestamp":"2026-02-03T10:00:0` + second + `.000Z","message":` + rest + `}`
	}
	return []string{
		entry("1", `{"role":"user","content":"first","timestamp":1770112801000}`),
		entry("2", `{"role":"assistant","content":[{"type":"text","text":"one"}],"provider":"anthropic","model":"claude-opus-4-5","usage":`+oddUsage+`,"stopReason":"stop","timestamp":1770112802000}`),
		entry("3", `{"role":"user","content":"second","timestamp":1770112803000}`),
		`{"type":"compaction","timestamp":"2026-02-03T10:00:04.000Z","summary":"They counted.","firstKeptEntryIndex":3,"tokensBefore":900}`,
		entry("5", `{"role":"hookMessage","customType":"lint","content":"clean","display":true,"timestamp":1770112805000}`),
		entry("6", `{"role":"assistant","content":[{"type":"text","text":"two"}],"provider":"anthropic","model":"claude-opus-4-5","usage":`+oddUsage+`,"stopReason":"stop","timestamp":1770112806000}`),
	}
}
