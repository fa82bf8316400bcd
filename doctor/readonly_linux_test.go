package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/doctor"
)

// On a read-only disk a fix says why it cannot be, and the file stays as it was.
// Unlike a file's mode this holds for root too.
func TestReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a tmpfs: %v; this run must show a read-only disk", err)
		}
		t.Skipf("mount a tmpfs: %v; needs root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	data := session(message("a", ""), message("b", "gone"))
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if report, err := doctor.Check(path, doctor.Options{}); err != nil || report.Fixable() == 0 {
		t.Errorf("Check = %+v, %v; want findings", report, err)
	}
	if out, err := doctor.Fix(path, doctor.Options{}); err == nil {
		t.Errorf("Fix = %+v; want an error", out)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(data) {
		t.Errorf("the file is %q, %v; want it as it was", got, err)
	}
}
