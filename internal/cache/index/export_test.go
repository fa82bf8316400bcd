package index

// Leaves returns the pages of a segment with one word, whose documents are that
// many words long and that far apart, by number.
func Leaves(word string, count int, distance int64, length int) (pages map[int64][]byte, err error) {
	positions := appendVarint(nil, 2)
	for range length - 1 {
		positions = appendVarint(positions, 3)
	}
	var doclist []byte
	for range count {
		doclist = appendDocument(doclist, uint64(distance), positions)
	}
	pages = map[int64][]byte{}
	w := newLeafWriter(1)
	w.put = func(id int64, page []byte) error {
		pages[id] = append([]byte(nil), page...)
		return nil
	}
	w.first = func([]byte, int64) error { return nil }
	w.add(append([]byte{mainIndex}, word...), doclist)
	_, err = w.close()
	return pages, err
}
