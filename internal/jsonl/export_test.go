package jsonl

// Index runs the indexer of this machine over text, whose length must be a
// multiple of 64, and returns what it found as plain words.
func Index(text []byte) []uint64 { return indexWords(text, index) }

// IndexPortable is Index with the indexer for all machines.
func IndexPortable(text []byte) []uint64 { return indexWords(text, indexPortable) }

func indexWords(text []byte, index func([]byte, []block, *carry)) []uint64 {
	blocks := make([]block, len(text)/blockSize)
	var c carry
	index(text, blocks, &c)
	words := []uint64{c.escaped, c.inString, c.suspect}
	for _, b := range blocks {
		words = append(words, b.closing, b.suspect)
	}
	return words
}
