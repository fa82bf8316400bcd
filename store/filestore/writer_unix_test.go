//go:build unix

package filestore_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/pith-sessions/pith/store/filestore"
)

// Processes that have a file open for writing are reported, except this one and
// readers.
func TestWriter(t *testing.T) {
	file := newFile(t, "a\n")
	if pid, told := filestore.Writer(t.Context(), file); pid != 0 {
		t.Errorf("Writer of a file that nobody has open = %d, %v", pid, told)
	}
	own, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if pid, told := filestore.Writer(t.Context(), file); pid != 0 {
		t.Errorf("Writer of a file that we have open = %d, %v", pid, told)
	}
	other := exec.Command("sleep", "600")
	other.Stdout = own // a file is passed on as it is
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	pid, told := filestore.Writer(t.Context(), file)
	_ = other.Process.Kill()
	_ = other.Wait()
	if told && pid != other.Process.Pid {
		t.Errorf("Writer of a file that process %d has open = %d", other.Process.Pid, pid)
	}
}

// lsof's answer where the system has no /proc.
func TestWriterInLsof(t *testing.T) {
	tests := map[string]struct {
		answer string
		want   int
	}{
		"nobody":           {"", 0},
		"a reader":         {"p12\ncbun\nf3\nar\n", 0},
		"a writer":         {"p12\ncbun\nf3\nar\nf4\naw\n", 12},
		"both ways":        {"p12\ncbun\nf3\nau\n", 12},
		"ourselves":        {"p7\ncpith\nf3\nau\n", 0},
		"another of ours":  {"p12\ncpith\nf3\naw\n", 0},
		"behind ourselves": {"p7\ncpith\nf3\nau\np12\ncbun\nf4\naw\n", 12},
		"no process":       {"caw\naw\nx\n", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := filestore.WriterIn(tt.answer, 7, "pith"); got != tt.want {
				t.Errorf("the writer is %d, want %d", got, tt.want)
			}
		})
	}
}
