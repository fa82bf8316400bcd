package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store/storetest"
)

// On a read-only disk a fix says why it cannot be, and the file stays as it was.
// Unlike a file's mode this holds for root too.
func TestReadOnlyDisk(t *testing.T) {
	dir := storetest.Disk(t, "1m")
	data := session(message("a", ""), message("b", "gone"))
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	storetest.MakeReadOnly(t, dir)
	if report, err := doctor.Check(t.Context(), path, doctor.Options{}); err != nil || report.Fixable() == 0 {
		t.Errorf("Check = %+v, %v; want findings", report, err)
	}
	if out, err := doctor.Fix(t.Context(), path, doctor.Options{}); err == nil {
		t.Errorf("Fix = %+v; want an error", out)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(data) {
		t.Errorf("the file is %q, %v; want it as it was", got, err)
	}
}
