package storetest

import (
	"os"
	"os/exec"
	"testing"
)

// HoldOpen starts a program that has a file open for appending, as an agent has its
// session, until the test or the returned function ends it.
func HoldOpen(t testing.TB, path string) (end func()) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() // nothing was written
	program := exec.Command("sleep", "600")
	program.Stdout = file
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	}
	t.Cleanup(end)
	return end
}
