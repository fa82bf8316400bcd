package corpus

import "strings"

// oddEnds returns files with an invalid end.
func oddEnds() []OddFile {
	whole := string(file(talk()...))
	last := talk()[4]
	return []OddFile{
		{
			Name: "torn-tail", Pitfalls: []int{1}, Entries: 3, Faulty: []int{5}, Leaf: "aaaa0003",
			What:  "The last line was cut in the middle. Everything before it is there; the torn bytes stay until the first write.",
			Bytes: []byte(whole[:len(whole)-len(last)/2]),
		}, {
			Name: "torn-in-a-character", Pitfalls: []int{1, 9}, Entries: 4, Faulty: []int{6}, Leaf: "aaaa0004",
			What:  "The cut went through a character of three bytes.",
			Bytes: []byte(whole + `{"type":"message","id":"aaaa0005","parentId":"aaaa0004","message":{"role":"user","content":"` + "日本\xe8\xaa"),
		}, {
			Name: "torn-brace", Pitfalls: []int{1}, Entries: 4, Faulty: []int{6}, Leaf: "aaaa0004",
			What:  "Only the first byte of the last line was written.",
			Bytes: []byte(whole + "{"),
		}, {
			Name: "no-final-newline", Pitfalls: []int{2}, Entries: 4, Leaf: "aaaa0004",
			What:  "The last line is whole but has no newline: it is an entry, and the next one starts on a line of its own.",
			Bytes: []byte(strings.TrimSuffix(whole, "\n")),
		}, {
			Name: "fused-tail", Pitfalls: []int{4, 25}, Entries: 4, Faulty: []int{5}, Leaf: "aaaa0005",
			What:  "A full disk cut a line, and the next append went on behind it: the whole entry on that line is found, the torn one reported.",
			Bytes: []byte(whole[:len(whole)-len(last)/2] + ask("aaaa0005", "aaaa0003", "are you there?") + "\n"),
		}, {
			Name: "fused-middle", Pitfalls: []int{4, 73}, Entries: 4, Faulty: []int{3}, Leaf: "aaaa0004",
			What: "Torn and whole on one line in the middle. The torn one is the parent of nobody: the chain below is complete.",
			Bytes: file(oddHeader, ask("aaaa0001", "", "start"),
				`{"type":"message","id":"aaaa00ff","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"assist`+
					reply("aaaa0002", "aaaa0001", "again"), ask("aaaa0003", "aaaa0002", "more"), reply("aaaa0004", "aaaa0003", "end")),
		}, {
			Name: "two-on-a-line", Pitfalls: []int{4}, Entries: 4, Faulty: []int{3}, Leaf: "aaaa0004",
			What:  "The newline between two whole entries is missing: both are found.",
			Bytes: file(oddHeader, talk()[1], talk()[2]+talk()[3], talk()[4]),
		},
	}
}

// oddLines returns files with invalid lines between the entries.
func oddLines() []OddFile {
	return []OddFile{
		{
			Name: "malformed-middle", Pitfalls: []int{5}, Entries: 4, Faulty: []int{3}, Leaf: "aaaa0004",
			What:  "One line in the middle is no JSON. It is skipped alone and reported with its line and byte.",
			Bytes: file(insert(talk(), 2, `{"type":"message","id":"aaaa00ff",}`)...),
		}, {
			Name: "malformed-many", Pitfalls: []int{5}, Entries: 4, Faulty: []int{2, 4, 5, 8}, Leaf: "aaaa0004",
			What: "Several broken lines between whole ones, each reported.",
			Bytes: file(oddHeader, "<<<<<<< HEAD", talk()[1], "=======", `{'type':'message'}`, talk()[2], talk()[3],
				`{"type":"message" "id":1}`, talk()[4]),
		}, {
			Name: "malformed-parent", Pitfalls: []int{5, 73}, Entries: 3, Faulty: []int{3, 4}, Leaf: "aaaa0004",
			What: "The broken line was the parent of the next: what hangs below is shown as a root of its own and reported.",
			Bytes: file(oddHeader, talk()[1], strings.Replace(talk()[2], `"message":{`, `"message":{{`, 1),
				talk()[3], talk()[4]),
		}, {
			Name: "blank-lines", Pitfalls: []int{6}, Entries: 4, Leaf: "aaaa0004",
			What:  "Blank lines and lines of white space mean nothing.",
			Bytes: file(insert(insert(talk(), 3, "", "   ", "\t"), 1, "")...),
		}, {
			Name: "non-object-lines", Pitfalls: []int{16}, Entries: 4, Faulty: []int{3, 4, 5, 6, 7}, Leaf: "aaaa0004",
			What:  "JSON that is no object is no entry and hides nothing.",
			Bytes: file(insert(talk(), 2, "null", "42", `"text"`, `[{"type":"message"}]`, "true")...),
		}, {
			Name: "no-type", Pitfalls: []int{16}, Entries: 4, Faulty: []int{3, 4}, Leaf: "aaaa0004",
			What:  "An object without a type and an id is not an entry and hides nothing.",
			Bytes: file(insert(talk(), 2, `{"parentId":"aaaa0001"}`, `{"type":7,"id":"","parentId":"aaaa0001"}`)...),
		}, {
			Name: "no-type-with-id", Pitfalls: []int{16}, Entries: 6, Faulty: []int{3, 4}, Leaf: "aaaa0004",
			What: "An object with an id is an entry, also without a type or with one that is not a string.",
			Bytes: file(insert(talk(), 2, `{"id":"aaaa00fe","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:01.500Z"}`,
				`{"type":7,"id":"aaaa00ff","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:01.600Z"}`)...),
		}, {
			Name: "message-without-message", Pitfalls: []int{16}, Entries: 6, Faulty: []int{3, 4}, Leaf: "aaaa0004",
			What: "Entries whose message is missing or null keep their place in the tree and give nothing to the context.",
			Bytes: file(oddHeader, talk()[1], `{"type":"message",`+tree("aaaa00f1", "aaaa0001")+`}`, `{"type":"message",`+tree("aaaa00f2", "aaaa00f1")+`,"message":null}`,
				reply("aaaa0002", "aaaa00f2", "still here"), talk()[3], talk()[4]),
		},
	}
}

// oddBytes returns files with unusual bytes in which every entry is whole.
func oddBytes() []OddFile {
	return []OddFile{
		{
			Name: "nul-bytes", Pitfalls: []int{6}, Entries: 4, Faulty: []int{3, 5}, Leaf: "aaaa0004",
			What:  "A crash left NUL bytes: a line of them, and some in front of an entry, which is found.",
			Bytes: file(oddHeader, talk()[1], strings.Repeat("\x00", 512), talk()[2], strings.Repeat("\x00", 64)+talk()[3], talk()[4]),
		}, {
			Name: "nul-tail", Pitfalls: []int{1, 6}, Entries: 4, Faulty: []int{6}, Leaf: "aaaa0004",
			What:  "A power failure left a tail of NUL bytes without a newline.",
			Bytes: append(file(talk()...), make([]byte, 4096)...),
		}, {
			Name: "crlf", Pitfalls: []int{6}, Entries: 4, Leaf: "aaaa0004",
			What:  "Lines end in CR LF.",
			Bytes: []byte(strings.ReplaceAll(string(file(talk()...)), "\n", "\r\n")),
		}, {
			Name: "trailing-spaces", Pitfalls: []int{6}, Entries: 4, Leaf: "aaaa0004",
			What:  "White space before and after the entries.",
			Bytes: []byte(" " + strings.ReplaceAll(string(file(talk()...)), "\n", " \t \n  ")),
		}, {
			Name: "bom", Pitfalls: []int{7}, Entries: 4, Faulty: []int{1}, Leaf: "aaaa0004",
			What:  "A byte order mark before the header is accepted.",
			Bytes: append([]byte("\ufeff"), file(talk()...)...),
		}, {
			Name: "line-separators", Pitfalls: []int{8}, Entries: 4, Leaf: "aaaa0002",
			What: "U+2028, U+2029, U+0085 and CR inside the JSON do not end a line; only LF does.",
			Bytes: file(oddHeader, ask("aaaa0001", "", "one\u2028two\u2029three\u0085four"),
				"{\"type\":\"custom\",\r\"customType\":\"x\",\r\"data\":1,"+tree("aaaa0003", "aaaa0001")+"}",
				ask("aaaa0004", "aaaa0003", "between"), reply("aaaa0002", "aaaa0004", "\u2028")),
		}, {
			Name: "multibyte-everywhere", Pitfalls: []int{9}, Entries: 2, Leaf: "aaaa0002",
			What:  "Two lines of more than a megabyte of three-byte characters: whatever the size of a read, some characters lie across its end.",
			Bytes: file(oddHeader, ask("aaaa0001", "", strings.Repeat("枝", 400_000)), reply("aaaa0002", "aaaa0001", "x"+strings.Repeat("葉", 400_000))),
		}, {
			Name: "invalid-utf8", Pitfalls: []int{9, 18}, Entries: 4, Leaf: "aaaa0004",
			What:  "Bytes that are no UTF-8 inside a text. The line is an entry, and copies keep its bytes.",
			Bytes: []byte(strings.Replace(string(file(talk()...)), "compiled", "comp\xff\xfe\xc3iled", 1)),
		}, {
			Name: "long-line", Pitfalls: []int{10}, Entries: 3, Leaf: "aaaa0003",
			What:  "A line of three megabytes between short ones.",
			Bytes: file(oddHeader, ask("aaaa0001", "", "short"), reply("aaaa0002", "aaaa0001", strings.Repeat("0123456789abcdef", 196_608)), ask("aaaa0003", "aaaa0002", "short again")),
		},
	}
}
