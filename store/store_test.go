package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store"
)

func TestErrors(t *testing.T) {
	conflict := &store.ConflictError{Name: "/a.jsonl", Want: 10, Have: 12}
	tests := map[string]struct {
		err, is error
		want    bool
	}{
		"conflict":             {conflict, store.ErrConflict, true},
		"wrapped conflict":     {fmt.Errorf("append to %w", conflict), store.ErrConflict, true},
		"conflict is not gone": {conflict, store.ErrGone, false},
		"exist":                {store.ErrExist, fs.ErrExist, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := errors.Is(tt.err, tt.is); got != tt.want {
				t.Errorf("errors.Is(%v, %v) = %t; want %t", tt.err, tt.is, got, tt.want)
			}
		})
	}
	for _, part := range []string{"/a.jsonl", "expected 10 bytes", "has 12"} {
		if !strings.Contains(conflict.Error(), part) {
			t.Errorf("Error() = %q; want that it has %q", conflict.Error(), part)
		}
	}
}

func TestBytes(t *testing.T) {
	var b bytes.Buffer
	if err := store.Bytes([]byte("abc"))(&b); err != nil || b.String() != "abc" {
		t.Errorf("Bytes wrote %q, %v; want %q, nil", b.String(), err, "abc")
	}
}
