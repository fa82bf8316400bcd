package corpus

import "strings"

// oddShapes returns files whose entries are whole but unlike pi's.
func oddShapes() []OddFile {
	message := func(id, parent, body string) string {
		return `{"type":"message",` + tree(id, parent) + `,"message":` + body + `}`
	}
	return []OddFile{
		{
			Name: "content-null", Pitfalls: []int{17}, Entries: 4, Leaf: "aaaa0004",
			What: "Content is null in every role. It reads as empty, in the context and in the listing.",
			Bytes: file(oddHeader, message("aaaa0001", "", `{"role":"user","content":null,"timestamp":1}`),
				message("aaaa0002", "aaaa0001", `{"role":"assistant","content":null,"provider":"p","model":"m","stopReason":"stop","timestamp":2}`),
				message("aaaa0003", "aaaa0002", `{"role":"toolResult","toolCallId":"c1","toolName":"read","content":null,"isError":false,"timestamp":3}`),
				`{"type":"custom_message","customType":"x","content":null,"display":true,`+tree("aaaa0004", "aaaa0003")+`}`),
		}, {
			Name: "content-missing", Pitfalls: []int{17}, Entries: 3, Leaf: "aaaa0003",
			What: "Content is missing in every role.",
			Bytes: file(oddHeader, message("aaaa0001", "", `{"role":"user"}`), message("aaaa0002", "aaaa0001", `{"role":"assistant"}`),
				message("aaaa0003", "aaaa0002", `{"role":"toolResult"}`)),
		}, {
			Name: "content-string", Pitfalls: []int{17}, Entries: 3, Leaf: "aaaa0003",
			What: "Content is a string where pi writes blocks.",
			Bytes: file(oddHeader, message("aaaa0001", "", `{"role":"user","content":"plain"}`),
				message("aaaa0002", "aaaa0001", `{"role":"assistant","content":"plain"}`),
				message("aaaa0003", "aaaa0002", `{"role":"toolResult","toolCallId":"c1","content":"plain"}`)),
		}, {
			Name: "content-of-another-type", Pitfalls: []int{17}, Entries: 3, Leaf: "aaaa0003",
			What: "Content is a number, an object, a list of things that are no blocks.",
			Bytes: file(oddHeader, message("aaaa0001", "", `{"role":"user","content":7}`),
				message("aaaa0002", "aaaa0001", `{"role":"assistant","content":{"text":"x"}}`),
				message("aaaa0003", "aaaa0002", `{"role":"user","content":[null,3,"x",{"text":"no type"},{"type":"text"},{"type":"hologram","data":1}]}`)),
		}, {
			Name: "unknown-types", Pitfalls: []int{18}, Entries: 6, Leaf: "aaaa0004",
			What: "Entries of unknown types are parents like any other and survive every copy byte for byte.",
			Bytes: file(oddHeader, talk()[1], `{"type":"plan_change","v":2,`+tree("aaaa00f1", "aaaa0001")+`,"plan":{"steps":[1.0,2e3]}}`,
				`{"type":"Message",`+tree("aaaa00f2", "aaaa00f1")+`}`, reply("aaaa0002", "aaaa00f2", "below an unknown one"), talk()[3], talk()[4]),
		}, {
			Name: "unknown-fields", Pitfalls: []int{18}, Entries: 3, Leaf: "aaaa0003",
			What: "Unknown fields, roles and names that differ only in case are kept and not confused with known ones.",
			Bytes: file(oddHeader, `{"type":"message","ID":"wrong","Type":"wrong",`+tree("aaaa0001", "")+`,"PARENTID":"wrong","message":{"role":"user","content":"x","ROLE":"assistant","mood":"good"}}`,
				message("aaaa0002", "aaaa0001", `{"role":"oracle","content":"known to nobody"}`),
				`{"zeta":1,"type":"message","alpha":{"type":"session","id":"inner"},`+tree("aaaa0003", "aaaa0002")+`,"message":{"role":"user","content":"y"}}`),
		}, {
			Name: "bad-entry-times", Pitfalls: []int{22, 86}, Entries: 4, Faulty: []int{3, 4}, Leaf: "aaaa0004",
			What: "Times of entries that are no times, or missing. The order of the file stands in for them.",
			Bytes: file(oddHeader, talk()[1], `{"type":"custom","customType":"x","id":"aaaa0002","parentId":"aaaa0001","timestamp":"not a time"}`,
				`{"type":"custom","customType":"x","id":"aaaa0003","parentId":"aaaa0001"}`,
				`{"type":"message","id":"aaaa0004","parentId":"aaaa0001","timestamp":1770112801000,"message":{"role":"user","content":"a number"}}`),
		}, {
			Name: "nested-deep", Pitfalls: []int{16, 74}, Entries: 2, Leaf: "aaaa0002",
			What: "A value nested 20,000 levels deep is JSON like any other.",
			Bytes: file(oddHeader, `{"type":"custom","customType":"deep","data":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`,`+tree("aaaa0001", "")+`}`,
				ask("aaaa0002", "aaaa0001", "after it")),
		},
	}
}

// oddValues returns files with strings and numbers that are easily corrupted.
func oddValues() []OddFile {
	text := func(id, parent, literal string) string {
		return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"user","content":[{"type":"text","text":` + literal + `}]}}`
	}
	return []OddFile{
		{
			Name: "lone-surrogates", Pitfalls: []int{19}, Entries: 3, Leaf: "aaaa0003",
			What:  "Halves of surrogate pairs as escapes, in a text and in a name, stay as they are on disk.",
			Bytes: file(oddHeader, text("aaaa0001", "", `"cut \ud83d here"`), text("aaaa0002", "aaaa0001", `"\udc33\ud83c and \ud83c\udf33 whole"`), `{"type":"session_info",`+tree("aaaa0003", "aaaa0002")+`,"name":"half \uD83C"}`),
		}, {
			Name: "odd-numbers", Pitfalls: []int{20}, Entries: 2, Leaf: "aaaa0002",
			What: "Numbers that change when they are parsed and printed: copies keep their digits.",
			Bytes: file(oddHeader, `{"type":"custom","customType":"n","data":[1.0,1e3,1E+2,-0,0.1000,12345678901234567890,1e400,0.30000000000000004,1e-7],`+tree("aaaa0001", "")+`}`,
				`{"type":"compaction",`+tree("aaaa0002", "aaaa0001")+`,"summary":"s","firstKeptEntryId":"aaaa0001","tokensBefore":1.5e2}`),
		}, {
			Name: "odd-escapes", Pitfalls: []int{20}, Entries: 2, Leaf: "aaaa0002",
			What: "Escapes that nobody needs, names of fields written with escapes, HTML, white space between tokens.",
			Bytes: file(oddHeader, text("aaaa0001", "", `"\u0061\/b <b>&amp;</b> \u00e9 \u2028 \u0000"`),
				`{ "type" : "message" , "\u0069d" : "aaaa0002" , "parentId":"aaaa0001", "timestamp":"2026-02-03T10:00:01.000Z", "message" : { "role" : "user", "content" : "spaced" } }`),
		}, {
			Name: "duplicate-keys", Pitfalls: []int{20}, Entries: 2, Leaf: "aaaa0002",
			What: "A name twice in one object: the last one counts, and copies keep both.",
			Bytes: file(oddHeader, `{"type":"custom","id":"aaaa00ff","type":"message",`+tree("aaaa0001", "")+`,"message":{"role":"assistant","role":"user","content":"x"}}`,
				reply("aaaa0002", "aaaa0001", "found its parent")),
		}, {
			Name: "control-characters", Pitfalls: []int{137}, Entries: 2, Leaf: "aaaa0002",
			What:  "Escape sequences for a terminal in a text and in a name: kept on disk, harmless on a screen.",
			Bytes: file(oddHeader, text("aaaa0001", "", `"\u001b[2J\u001b]0;owned\u0007red"`), `{"type":"session_info",`+tree("aaaa0002", "aaaa0001")+`,"name":"a\u001b[31mb\nc"}`),
		},
	}
}
