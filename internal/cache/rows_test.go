package cache_test

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/internal/cache"
)

// A touch is a row of the table touched.
type touch struct {
	path, from                 string
	reads                      bool
	call, size, result, length int64
}

var touches = cache.Table[touch]{
	Name: "touched", Columns: []string{"path", "renamed_from", "reads", "call_at", "call_size", "result_at", "result_size"},
	Fields: func(r *touch) []any {
		return []any{&r.path, &r.from, &r.reads, &r.call, &r.size, &r.result, &r.length}
	},
}

// Rows come back as they were added, in their order; one with a value of another
// type does not.
func TestTable(t *testing.T) {
	db := open(t, t.TempDir())
	rows := []touch{{path: "other", reads: true, result: -1 << 63}, {path: "\x00", call: 1<<63 - 1}, {from: "x"}}
	of := func(files string) (found map[int64][]touch) {
		t.Helper()
		if err := db.Read(t.Context(), func(tx *sql.Tx) (err error) {
			found, err = touches.Of(t.Context(), tx, files)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if err := db.Write(t.Context(), func(tx *sql.Tx) error {
		if err := touches.Add(t.Context(), tx, 7, 0, rows[:1]); err != nil {
			return err
		}
		if err := touches.Add(t.Context(), tx, 8, 0, rows[2:]); err != nil {
			return err
		}
		return touches.Add(t.Context(), tx, 7, 1, rows[1:])
	}); err != nil {
		t.Fatal(err)
	}
	if found := of("[7,9]"); len(found) != 1 || !slices.Equal(found[7], rows) {
		t.Errorf("Of = %+v", found)
	}
	if sum := touches.Sum(touches.Sum(0, rows[:1]), rows[1:]); sum != touches.Sum(0, rows) || sum == touches.Sum(0, rows[:2]) {
		t.Errorf("Sum = %d", sum)
	}
	if err := db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("UPDATE touched SET call_at = 'x' WHERE file = 7 AND n = 1")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if found := of("[7]"); len(found[7]) != 2 {
		t.Errorf("Of = %+v after damage", found)
	}
}
