package conformance_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/corpus"
)

// For every kind of fault: doctor finds, explains and repairs it, and then both
// releases of pi open the file, change nothing in it, and see the same as pith,
// at every entry.
func TestDoctorAndPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for n, f := range corpus.DamageKinds() {
			if f.Closed || f.Code == "empty" || f.Code == "mode" && runtime.GOOS == "windows" {
				continue // not a session that pi reads, or a fault that this system does not have
			}
			t.Run(fmt.Sprintf("%s %d", f.Code, n), func(t *testing.T) {
				r.in(t).mend(t, f)
			})
		}
	})
}

func (r rig) mend(t *testing.T, f corpus.DamagedFile) {
	path := r.damaged(t, f)
	before, err := doctor.Check(t.Context(), path, doctor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	explained(t, before, f)
	out, err := doctor.Fix(t.Context(), path, doctor.Options{})
	if err != nil {
		t.Fatalf("Fix: %v", err)
	}
	if out.After.Fixable() > 0 || !f.Stays && slices.ContainsFunc(out.After.Findings, func(x doctor.Finding) bool { return string(x.Code) == f.Code }) {
		t.Errorf("after Fix: %v; want nothing that can be fixed, and no %s", out.After.Findings, f.Code)
	}
	if code := doctor.Code(f.Code); code == doctor.LoneHalf || code == doctor.NotUTF8 {
		if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, f.Bytes) {
			t.Errorf("Fix changed characters that every program replaces as it shows them: %v", err)
		}
		return
	}
	r.compare(t, path, atEntries)
}

func (r rig) damaged(t *testing.T, f corpus.DamagedFile) string {
	t.Helper()
	name := f.File
	if f.Code == "missing-header" { // the project is known from a neighbour
		r.dir = filepath.Join(r.dir, "--home-dev-odd--")
		if err := os.Mkdir(r.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(r.dir, "neighbour.jsonl"), corpus.Bytes(corpus.Options{Entries: 5, Cwd: "/home/dev/odd"}), 0o600)
	}
	if name == "" {
		name = "2026-02-03T10-00-00-000Z_0195f1a0-0000-7000-8000-00000000000d.jsonl"
	}
	path := filepath.Join(r.dir, name)
	mode := fs.FileMode(f.Mode)
	if mode == 0 {
		mode = 0o600
	}
	writeFile(t, path, f.Bytes, mode)
	hourAgo := time.Now().Add(-time.Hour) // the session is no longer in use
	if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeFile(t *testing.T, path string, data []byte, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, data, 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func explained(t *testing.T, r *doctor.Report, f corpus.DamagedFile) {
	t.Helper()
	i := slices.IndexFunc(r.Findings, func(x doctor.Finding) bool { return string(x.Code) == f.Code })
	if i < 0 {
		t.Fatalf("Check = %v; want a finding %s", r.Findings, f.Code)
	}
	if x := r.Findings[i]; x.What == "" || x.Means == "" || x.Fixable() == f.Stays {
		t.Errorf("finding %+v; want it explained, and fixable: %t", x, !f.Stays)
	}
}

// Random damage, repaired, is read by pi as by pith.
func TestDoctorAndPiRandom(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for seed := range uint64(40) {
			o := corpus.Options{Seed: seed, Entries: 30, Branches: 2, CompactEvery: 12, Labels: 2}
			data := corpus.Damage(corpus.Bytes(o), seed, 1+int(seed%5))
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { r.in(t).mendAny(t, data) })
		}
	})
}

// The odd files of the corpus, repaired, are read by pi as by pith, except for
// lines that pi itself cannot read, and for files that mean something else in
// their own program.
func TestDoctorAndPiOdd(t *testing.T) {
	const most = 1 << 20
	eachPi(t, func(t *testing.T, r rig) {
		for _, f := range corpus.Odd() {
			foreign := strings.HasPrefix(f.Name, "oh-my-pi") || f.Name == "atomic" || f.Name == "pi-agent-rust" || strings.HasPrefix(f.Name, "content-") && !r.modern()
			if foreign || len(f.Bytes) > most || f.Opening == corpus.Fresh || f.Opening == corpus.ReadOnly {
				continue
			}
			t.Run(f.Name, func(t *testing.T) { r.in(t).mendAny(t, f.Bytes) })
		}
	})
}

// mendAny repairs a file, if it is a session, and compares both programs.
func (r rig) mendAny(t *testing.T, data []byte) {
	path := r.damaged(t, corpus.DamagedFile{Bytes: data})
	out, err := doctor.Fix(t.Context(), path, doctor.Options{})
	if errors.Is(err, pith.ErrNotSession) || errors.Is(err, pith.ErrTooNew) {
		return
	}
	if err != nil {
		t.Fatalf("Fix: %v", err)
	}
	s := openPith(t, path, pith.Options{ReadOnly: true})
	theirs := r.open(t, path)
	if found := s.Findings(); len(found) > 0 || out.After.Fixable() > 0 {
		t.Errorf("after Fix: %v, %v", found, out.After.Findings)
	}
	if !r.printsAlike(t, path) || !utf8.ValidString(readFile(t, path)) {
		return
	}
	ours, said := pithAccount(t, s, atEntries), piAccount(t, theirs, atEntries)
	if ours.Cwd == "" {
		said.Cwd = "" // pi takes its own
	}
	agree(t, ours, said)
}

// printsAlike reports whether JavaScript prints every line as it is in the
// file, so that both programs can be compared byte for byte.
func (r rig) printsAlike(t *testing.T, path string) bool {
	t.Helper()
	report, err := r.Restringify(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return report.Changed == 0
}
