package doctor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/corpus"
)

var quiet = doctor.Options{Now: func() time.Time { return time.UnixMilli(1_780_000_000_000) }}

// write makes a private session file and returns its path.
func write(t testing.TB, name string, data []byte, mode fs.FileMode) string {
	t.Helper()
	if name == "" {
		name = "session.jsonl"
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if mode != 0 {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func check(t testing.TB, path string, o doctor.Options) *doctor.Report {
	t.Helper()
	r, err := doctor.Check(t.Context(), path, o)
	if err != nil {
		t.Fatalf("Check(%s): %v", path, err)
	}
	return r
}

// has returns the findings of a code.
func has(r *doctor.Report, code doctor.Code) []doctor.Finding {
	var out []doctor.Finding
	for _, f := range r.Findings {
		if f.Code == code {
			out = append(out, f)
		}
	}
	return out
}

// beyond are the kinds that no repair changes: they are not about a session that
// pith may write, only the user can decide, or every program treats them alike.
var beyond = map[doctor.Code]bool{doctor.TooNew: true, doctor.NotSession: true, doctor.Empty: true, doctor.Unreadable: true, doctor.HiddenHistory: true,
	doctor.TimeOrder: true, doctor.LoneHalf: true, doctor.NotUTF8: true, doctor.DanglingCall: true, doctor.LabelTarget: true,
	doctor.BranchFrom: true, doctor.EditTarget: true}

// Every kind of fault is found, explained and, with those exceptions, repaired;
// a backup is kept, and a second repair finds nothing to do.
func TestEveryKind(t *testing.T) {
	fixed := map[doctor.Code]bool{doctor.Leftover: true, doctor.Unreadable: true, // of no single file
		doctor.TooLong: true} // see TestTooLong
	for n, f := range corpus.DamageKinds() {
		code := doctor.Code(f.Code)
		if f.Stays != beyond[code] {
			t.Errorf("a file of %s stays as it is: %t, want %t", code, f.Stays, beyond[code])
		}
		fixed[code] = true
		if testing.Short() && n%fewKinds > 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s %d", f.Code, n), func(t *testing.T) {
			if f.Code == "mode" && runtime.GOOS == "windows" {
				t.Skip("Windows has no modes")
			}
			testKind(t, f)
		})
	}
	for _, code := range doctor.Codes() {
		if !fixed[code] {
			t.Errorf("no file has the fault %s", code)
		}
	}
}

// fewKinds says of how many kinds of damage one is tried with the race detector: they
// differ in what is read, not in what is done side by side.
const fewKinds = 5

func someKinds() (out []corpus.DamagedFile) {
	for n, f := range corpus.DamageKinds() {
		if !testing.Short() || n%fewKinds == 0 {
			out = append(out, f)
		}
	}
	return out
}

func testKind(t *testing.T, f corpus.DamagedFile) {
	path := write(t, f.File, f.Bytes, fs.FileMode(f.Mode))
	report := check(t, path, quiet)
	found := has(report, doctor.Code(f.Code))
	if len(found) == 0 {
		t.Fatalf("Check = %v; want a finding %s", report.Findings, f.Code)
	}
	for _, x := range found {
		if x.What == "" || x.Means == "" || x.File != path || x.Severity == 0 {
			t.Errorf("finding %+v is not explained", x)
		}
		if x.Fixable() == f.Stays {
			t.Errorf("finding %+v; want it to be fixable: %t", x, !f.Stays)
		}
	}
	if got := readFile(t, path); !bytes.Equal(got, f.Bytes) {
		t.Fatalf("Check changed the file")
	}
	preview, err := doctor.Preview(t.Context(), path, quiet)
	if f.Closed {
		if !errors.Is(err, pith.ErrTooNew) && !errors.Is(err, pith.ErrNotSession) {
			t.Errorf("Preview = %v; want a refusal", err)
		}
		if _, err := doctor.Fix(t.Context(), path, quiet); !errors.Is(err, pith.ErrTooNew) && !errors.Is(err, pith.ErrNotSession) {
			t.Errorf("Fix = %v; want a refusal", err)
		}
		if got := readFile(t, path); !bytes.Equal(got, f.Bytes) {
			t.Errorf("Fix changed a file that is to be left alone")
		}
		return
	}
	if err != nil {
		t.Fatalf("Preview: %v", err)
	}
	out, err := doctor.Fix(t.Context(), path, quiet)
	if err != nil {
		t.Fatalf("Fix: %v", err)
	}
	if left := has(out.After, doctor.Code(f.Code)); len(left) > 0 != f.Stays {
		t.Errorf("after Fix: %v", left)
	}
	if n := out.After.Fixable(); n != 0 {
		t.Errorf("after Fix %d findings are fixable: %v", n, out.After.Findings)
	}
	if fmt.Sprint(stripSize(preview.After)) != fmt.Sprint(stripSize(out.After)) {
		t.Errorf("Preview says that this would be left: %v; Fix left %v", preview.After, out.After)
	}
	kept(t, path, f.Bytes, out)
	fixed := readFile(t, path)
	again, err := doctor.Fix(t.Context(), path, quiet)
	if err != nil || again.Changed() || !bytes.Equal(readFile(t, path), fixed) {
		t.Errorf("a second Fix changed something: %v, %v", again, err)
	}
}

func stripSize(r *doctor.Report) []doctor.Finding { return r.Findings }

// kept checks the file that a repair kept.
func kept(t *testing.T, path string, was []byte, out *doctor.Outcome) {
	t.Helper()
	if bytes.Equal(readFile(t, path), was) {
		if out.Backup != "" {
			t.Errorf("a backup %s of a file that did not change", out.Backup)
		}
		return
	}
	if got := readFile(t, out.Backup); !bytes.Equal(got, was) {
		t.Errorf("the backup has %d bytes, not the %d of the former file", len(got), len(was))
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the repaired file has mode %v, %v; want 0600", info.Mode(), err)
	}
}
