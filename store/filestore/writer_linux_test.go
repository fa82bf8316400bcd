package filestore_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/pith-sessions/pith/store/filestore"
)

// Linux reports which process of another program has a file open for writing,
// without any help, and that none has.
func TestWriterIsTold(t *testing.T) {
	file := newFile(t, "a\n")
	if pid, told := filestore.Writer(t.Context(), file); pid != 0 || !told {
		t.Errorf("Writer of a file that nobody has open = %d, %t; want 0, true", pid, told)
	}
	own, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	other := exec.Command("sleep", "600")
	other.Stdout = own
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	pid, told := filestore.Writer(t.Context(), file)
	_ = other.Process.Kill()
	_ = other.Wait()
	if pid != other.Process.Pid || !told {
		t.Errorf("Writer of a file that process %d has open = %d, %t", other.Process.Pid, pid, told)
	}
}
