package corpus

import "fmt"

// oddLinks returns files with invalid parents.
func oddLinks() []OddFile {
	return []OddFile{
		{
			Name: "cycle-self", Pitfalls: []int{72}, Entries: 3, Faulty: []int{3},
			What:  "An entry is its own parent.",
			Bytes: file(oddHeader, talk()[1], reply("aaaa0002", "aaaa0002", "me"), ask("aaaa0003", "aaaa0002", "below it")),
		}, {
			Name: "cycle-two", Pitfalls: []int{72}, Entries: 4, Faulty: []int{3},
			What:  "Two entries are each other's parent, and more hangs below them.",
			Bytes: file(oddHeader, talk()[1], ask("aaaa0002", "aaaa0003", "a"), reply("aaaa0003", "aaaa0002", "b"), ask("aaaa0004", "aaaa0003", "c")),
		}, {
			Name: "cycle-long", Pitfalls: []int{72}, Entries: 1000, Faulty: []int{2},
			What:  "A thousand entries in a circle.",
			Bytes: cycle(1000),
		}, {
			Name: "missing-parent", Pitfalls: []int{73}, Entries: 4, Faulty: []int{4}, Leaf: "aaaa0004",
			What:  "A parent is missing: the entry is an extra root, reported, and all four messages can be seen.",
			Bytes: file(oddHeader, talk()[1], talk()[2], ask("aaaa0003", "gone0000", "fix that"), talk()[4]),
		}, {
			Name: "parent-comes-later", Pitfalls: []int{73}, Entries: 4,
			What:  "A child stands before its parent, as programs leave it that reorder lines.",
			Bytes: file(oddHeader, talk()[1], talk()[3], talk()[2], talk()[4]),
		}, {
			Name: "odd-parents", Pitfalls: []int{73, 76}, Entries: 5,
			What: "Parents that are an empty string, a number, an object, or not there at all make roots.",
			Bytes: file(oddHeader, `{"type":"custom","customType":"x","id":"aaaa0001","parentId":"","timestamp":"2026-02-03T10:00:01.000Z"}`,
				`{"type":"custom","customType":"x","id":"aaaa0002","parentId":7,"timestamp":"2026-02-03T10:00:02.000Z"}`,
				`{"type":"custom","customType":"x","id":"aaaa0003","parentId":{"id":"aaaa0001"},"timestamp":"2026-02-03T10:00:03.000Z"}`,
				`{"type":"custom","customType":"x","id":"aaaa0004","timestamp":"2026-02-03T10:00:04.000Z"}`,
				ask("aaaa0005", "aaaa0004", "child of the last")),
		}, {
			Name: "several-roots", Pitfalls: []int{76}, Entries: 6, Leaf: "bbbb0002",
			What:  "The first message was edited and sent again: two roots, the second of them current.",
			Bytes: file(append(talk(), ask("cccc0001", "", "what is slow in the build?"), reply("bbbb0002", "cccc0001", "Linking."))...),
		}, {
			Name: "label-as-parent", Pitfalls: []int{79}, Entries: 6, Leaf: "aaaa0004",
			What: "Labels are parents of messages, because pi puts everything below the leaf.",
			Bytes: file(oddHeader, talk()[1], talk()[2], `{"type":"label",`+tree("llll0001", "aaaa0002")+`,"targetId":"aaaa0001","label":"start"}`,
				`{"type":"label",`+tree("llll0002", "llll0001")+`,"targetId":"aaaa0001"}`, ask("aaaa0003", "llll0002", "go on"), talk()[4]),
		}, {
			Name: "label-of-nothing", Pitfalls: []int{79}, Entries: 6, Leaf: "llll0002",
			What: "Labels whose target is not in the file, or missing.",
			Bytes: file(append(talk(), `{"type":"label",`+tree("llll0001", "aaaa0004")+`,"targetId":"gone0000","label":"lost"}`,
				`{"type":"label",`+tree("llll0002", "llll0001")+`,"label":"no target"}`)...),
		}, {
			Name: "kept-entry-missing", Pitfalls: []int{88}, Entries: 6, Leaf: "aaaa0005",
			What: "A compaction keeps from an entry that is not there: what could be kept must not vanish silently.",
			Bytes: file(append(talk(), `{"type":"compaction",`+tree("kkkk0001", "aaaa0004")+`,"summary":"Builds.","firstKeptEntryId":"gone0000","tokensBefore":500}`,
				ask("aaaa0005", "kkkk0001", "and now?"))...),
		}, {
			Name: "kept-nothing", Pitfalls: []int{89}, Entries: 6, Leaf: "aaaa0005",
			What: "A compaction whose first kept entry is itself keeps nothing.",
			Bytes: file(append(talk(), `{"type":"compaction",`+tree("kkkk0001", "aaaa0004")+`,"summary":"Builds.","firstKeptEntryId":"kkkk0001","tokensBefore":500}`,
				ask("aaaa0005", "kkkk0001", "and now?"))...),
		},
	}
}

func cycle(n int) []byte {
	lines := []string{oddHeader}
	for i := range n {
		lines = append(lines, ask(fmt.Sprintf("c%07d", i), fmt.Sprintf("c%07d", (i+n-1)%n), "round"))
	}
	return file(lines...)
}

// oddIDs returns files in which an ID does not name exactly one entry.
func oddIDs() []OddFile {
	return []OddFile{
		{
			Name: "duplicate-ids", Pitfalls: []int{62}, Entries: 5, Faulty: []int{4},
			What:  "Two entries share an id and a third hangs below it: both are kept and told apart.",
			Bytes: file(oddHeader, talk()[1], talk()[2], reply("aaaa0002", "aaaa0001", "a second answer under the same id"), talk()[3], talk()[4]),
		}, {
			Name: "duplicate-id-cycle", Pitfalls: []int{62, 72}, Entries: 3, Faulty: []int{4},
			What:  "The second entry of an id hangs below a child of the first: by id alone that is a circle.",
			Bytes: file(oddHeader, talk()[1], talk()[2], ask("aaaa0001", "aaaa0002", "same id as the root")),
		}, {
			Name: "same-line-twice", Pitfalls: []int{62}, Entries: 5, Faulty: []int{5},
			What:  "One line was written twice.",
			Bytes: file(insert(talk(), 4, talk()[3])...),
		}, {
			Name: "some-ids-missing", Pitfalls: []int{73}, Entries: 5, Leaf: "aaaa0004",
			What:  "One entry among others has no id: nobody can hang below it, and it gets one of its own.",
			Bytes: file(insert(talk(), 2, `{"type":"custom","customType":"x","data":1,"parentId":"aaaa0001","timestamp":"2026-02-03T10:00:01.000Z"}`)...),
		},
	}
}
