package index

import (
	"context"
	"encoding/json"
)

// Known returns the words of each set that occur in a document.
func (t *Texts) Known(ctx context.Context, sets ...[]string) ([][]string, error) {
	list, err := json.Marshal(sets)
	if err != nil {
		return nil, err
	}
	// The first instance of a word is enough. Counting its documents would walk
	// over all of them.
	rows, err := t.db.conn().QueryContext(ctx, `SELECT s.key, w.value FROM json_each(?) s, json_each(s.value) w
		WHERE EXISTS (SELECT 1 FROM word WHERE term = w.value) ORDER BY s.key, w.key`, string(list))
	if err != nil {
		return nil, verdict(err)
	}
	defer rows.Close()
	out := make([][]string, len(sets))
	for rows.Next() {
		var set int
		var word string
		if err := rows.Scan(&set, &word); err != nil {
			return nil, verdict(err)
		}
		out[set] = append(out[set], word)
	}
	return out, verdict(rows.Err())
}
