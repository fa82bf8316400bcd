package conformance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The doctor finds in PostgreSQL what it finds in a file, repairs it alike, and keeps
// what was there before.
func TestDoctorInPostgres(t *testing.T) {
	files, database, repaired := keeper{}, inPostgres(t), 0
	try := func(name string, data []byte) {
		t.Run(name, func(t *testing.T) {
			want, got := files.examine(t, data), database.examine(t, data)
			same(t, "findings", got.findings, want.findings)
			same(t, "what Fix says", got.verdict, want.verdict)
			same(t, "after Fix", got.text, want.text)
			if want.backup != "" {
				repaired++
			}
			if got.backup != want.backup {
				t.Errorf("the former session is kept as %q; want %q", got.backup, want.backup)
			}
		})
	}
	for n, f := range corpus.DamageKinds() {
		if f.File == "" && f.Mode == 0 && f.Code != "missing-header" { // the others are about files
			try(fmt.Sprintf("%s %d", f.Code, n), f.Bytes)
		}
	}
	for seed := range uint64(20) {
		o := corpus.Options{Seed: seed, Entries: 20 + int(seed), Branches: int(seed % 4), CompactEvery: 15, Labels: 2}
		try(fmt.Sprintf("seed %d", seed), corpus.Damage(corpus.Bytes(o), seed, 1+int(seed%6)))
	}
	if repaired < 20 {
		t.Errorf("only %d sessions were repaired", repaired)
	}
}

// An examination is what the doctor did with a session.
type examination struct {
	findings              []string
	verdict, text, backup string
}

func (k keeper) examine(t *testing.T, data []byte) (e examination) {
	t.Helper()
	o := doctor.Options{Store: k.store, Now: func() time.Time { return time.UnixMilli(1_780_000_000_000) }}
	name := k.put(t, string(data))
	if r, err := doctor.Check(t.Context(), name, o); err == nil {
		for _, f := range r.Findings {
			e.findings = append(e.findings, f.String()+" "+f.EntryID+" "+f.Fix)
		}
	}
	out, err := doctor.Fix(t.Context(), name, o)
	if err == nil {
		e.verdict = fmt.Sprint(out.Changed(), out.After.Findings)
		if out.Backup != "" {
			e.backup = k.read(t, out.Backup)
		}
	} else {
		e.verdict = "refused"
	}
	e.text = k.read(t, name)
	return e
}
