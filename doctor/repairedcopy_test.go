package doctor_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store"
)

// OpenRepaired gives the same bytes that Fix writes, for every kind of fault,
// and the file does not change.
func TestMend(t *testing.T) {
	for _, f := range someKinds() {
		path := write(t, f.File, f.Bytes, 0)
		m, err := doctor.OpenRepaired(t.Context(), path, quiet)
		if f.Closed {
			if !errors.Is(err, pith.ErrNotSession) && !errors.Is(err, pith.ErrTooNew) {
				t.Errorf("%s: Mend = %v; want it left alone", f.Code, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: Mend: %v", f.Code, err)
			continue
		}
		s, err := pith.Open(t.Context(), path, pith.Options{Store: m.Store})
		if err != nil {
			t.Errorf("%s: Open of what is mended: %v", f.Code, err)
			m.Close()
			continue
		}
		var got []byte
		for line, err := range s.View().Reader().Lines() {
			if err != nil {
				t.Fatalf("%s: %v", f.Code, err)
			}
			got = append(append(got, line.Raw...), '\n')
		}
		if f.Code == "empty" {
			_ = s.Close() // a session that has not begun: nothing to compare
			m.Close()
			continue
		}
		if _, err := s.AppendThinkingLevel(t.Context(), "low"); err == nil || !errors.Is(err, store.ErrReadOnly) && !errors.Is(err, pith.ErrReadOnly) {
			t.Errorf("%s: an append to what is mended = %v; want ErrReadOnly", f.Code, err)
		}
		_ = s.Close() // refuses to note the leaf
		m.Close()
		if now := readFile(t, path); !bytes.Equal(now, f.Bytes) {
			t.Errorf("%s: Mend changed the file", f.Code)
		}
		if _, err := doctor.Fix(t.Context(), path, quiet); err != nil {
			t.Errorf("%s: Fix: %v", f.Code, err)
		}
		if fixed := readFile(t, path); !bytes.HasSuffix(bytes.TrimSpace(fixed), bytes.TrimSpace(got)) {
			t.Errorf("%s: Mend gives\n%s\nFix wrote\n%s", f.Code, got, fixed)
		}
	}
}
