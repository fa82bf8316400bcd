package jsonl

// Index runs the indexer of this machine over text and returns what it found as
// plain words.
func Index(text []byte) []uint64 { return indexWords(text, index) }

// IndexPortable is Index with the indexer for all machines.
func IndexPortable(text []byte) []uint64 { return indexWords(text, indexPortable) }

func indexWords(text []byte, index func([]byte, int, *window)) []uint64 {
	var words []uint64
	var w window
	for start := 0; start < len(text); start += w.blocks * blockSize {
		index(text, start, &w)
		words = append(words, w.escaped, w.inString, w.suspects, uint64(w.blocks), uint64(w.count))
		for n := range w.blocks {
			if w.suspects>>n&1 != 0 {
				words = append(words, w.suspect[n])
			}
		}
		for _, end := range w.ends[:w.count] {
			words = append(words, uint64(end))
		}
	}
	return words
}
