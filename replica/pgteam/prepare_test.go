package pgteam_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store"
)

// What was prepared is given once, and an append after a stale answer is refused.
func TestPrepare(t *testing.T) {
	ana := join(t, newTables(t), "ana")
	ana.push(text)
	prefix := "/" + ana.role + "/laptop/" + session + "/"
	name, missing := prefix+"1", "/"+ana.role+"/-deleted/"+session
	if _, err := ana.store.Prepare(t.Context(), prefix, missing, "/"+ana.role+"/laptop/-journal"); err != nil {
		t.Fatal(err)
	}
	ana.push(text + line(2, "more")) // prepares again, and forgets
	if _, err := ana.store.Open(t.Context(), missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a missing log = %v", err)
	}
	forget, err := ana.store.Prepare(t.Context(), prefix, missing, name)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := ana.store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	size, err := stale.Size(t.Context())
	if err != nil || size != int64(len(text)+len(line(2, "more"))) {
		t.Errorf("Size = %d, %v", size, err)
	}
	again, err := ana.store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Append(t.Context(), size, []byte("x\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := stale.Append(t.Context(), size, []byte("y\n")); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Append at a stale size = %v; want a conflict", err)
	}
	if now, err := stale.Size(t.Context()); now != size+2 || err != nil {
		t.Errorf("the second Size = %d, %v; want %d", now, err, size+2)
	}
	data := make([]byte, size+10)
	if n, _ := stale.ReadAt(data, 0); !strings.HasSuffix(string(data[:n]), "x\n") {
		t.Errorf("the log ends with %q", data[max(0, n-10):n])
	}
	forget()
	count := 0
	for range ana.store.List(t.Context(), prefix) {
		count++
	}
	if count != 1 {
		t.Errorf("List = %d logs", count)
	}
}
