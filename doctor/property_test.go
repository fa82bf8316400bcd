package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Undamaged sessions have no findings.
func TestSoundSessions(t *testing.T) {
	for seed := range uint64(8) {
		o := corpus.Options{Seed: seed, Entries: 200, Branches: 3, CompactEvery: 40, Labels: 3, Images: true, Name: "sound"}
		r := check(t, write(t, "", corpus.Bytes(o), 0), quiet)
		if len(r.Findings) > 0 {
			t.Errorf("seed %d: Check = %v; want nothing", seed, r.Findings)
		}
	}
}

// For any damage, no intact line is lost, a backup is kept, nothing hangs, and
// after a repair there is nothing left to repair.
func TestRandomDamage(t *testing.T) {
	count := uint64(300)
	if testing.Short() {
		count = 20
	}
	name := filepath.Join(t.TempDir(), "session.jsonl") // in no store but that of a seed
	for seed := range count {
		o := corpus.Options{Seed: seed % 7, Entries: 20 + int(seed%60), Branches: int(seed % 4), CompactEvery: 15, Labels: 2}
		data := corpus.Damage(corpus.Bytes(o), seed, 1+int(seed%6))
		d := damaged{t: t, seed: seed, name: name, data: data, opt: quiet}
		d.opt.Store = memstore.New()
		watch := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("seed %d: still at it after a minute", seed)) })
		d.test()
		watch.Stop()
		if t.Failed() {
			return
		}
	}
}

// A damaged session is kept in memory; other tests use files.
type damaged struct {
	t    *testing.T
	seed uint64
	name string
	data []byte
	opt  doctor.Options
}

func (d damaged) errorf(format string, args ...any) {
	d.t.Helper()
	d.t.Errorf("seed %d: "+format, append([]any{d.seed}, args...)...)
}

func (d damaged) test() {
	if _, err := d.opt.Store.Create(context.Background(), d.name, store.Bytes(d.data)); err != nil {
		d.t.Fatal(err)
	}
	out, err := doctor.Fix(context.Background(), d.name, d.opt)
	if errors.Is(err, pith.ErrNotSession) || errors.Is(err, pith.ErrTooNew) {
		if !bytes.Equal(d.read(d.name), d.data) {
			d.errorf("Fix = %v, and the file changed", err)
		}
		return
	}
	if err != nil {
		d.errorf("Fix: %v", err)
		return
	}
	if n := out.After.Fixable(); n > 0 {
		d.errorf("%d findings can still be fixed: %.2000v", n, fmt.Sprint(out.After.Findings))
	}
	fixed := d.read(d.name)
	switch {
	case out.Backup != "" && !bytes.Equal(d.read(out.Backup), d.data):
		d.errorf("the backup is not the former file")
	case out.Backup == "" && !bytes.Equal(fixed, d.data):
		d.errorf("the file changed and no backup was kept")
	}
	if again, err := doctor.Fix(context.Background(), d.name, d.opt); err != nil || again.Changed() || !bytes.Equal(d.read(d.name), fixed) {
		d.errorf("a second Fix changed something: %v", err)
	}
	if missing := lostLines(d.data, fixed); len(missing) > 0 {
		d.errorf("%d sound lines are lost; the first: %.300s", len(missing), missing[0])
	}
	d.contextsGrew(out.Backup)
}

func (d damaged) read(name string) []byte {
	d.t.Helper()
	log, err := d.opt.Store.Open(context.Background(), name)
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	size, err := log.Size(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	data := make([]byte, size)
	if n, err := log.ReadAt(data, 0); int64(n) < size {
		d.t.Fatal(err)
	}
	return data
}

// lostLines are the lines that JavaScript would have taken for entries and that
// are not in the repaired file, without what a repair may change in a line.
func lostLines(was, now []byte) []string {
	have := map[string]int{}
	for line := range bytes.Lines(now) {
		have[essence(line)]++
	}
	var lost []string
	for line := range bytes.Lines(was) {
		if e := essence(line); e != "" {
			if have[e]--; have[e] < 0 {
				lost = append(lost, string(line))
			}
		}
	}
	return lost
}

// essence returns a line without the parts that a repair may change; "" for a
// line that is not an entry.
func essence(line []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || fields["type"] == nil || fields["type"][0] != '"' || string(fields["type"]) == `"session"` {
		return ""
	}
	if m := fields["message"]; string(fields["type"]) == `"message"` && (m == nil || m[0] != '{') {
		delete(fields, "type")
	}
	switch string(fields["customType"]) {
	case `"pith/no-message"`:
		delete(fields, "type")
		delete(fields, "customType")
	case `"pith/tool-result"`:
		fields["type"], fields["message"] = []byte(`"message"`), fields["details"]
		for _, name := range []string{"customType", "content", "display", "details"} {
			delete(fields, name)
		}
	}
	for _, name := range []string{"id", "parentId", "timestamp", "firstKeptEntryId", "firstKeptEntryIndex"} {
		delete(fields, name)
	}
	switch string(fields["type"]) {
	case `"label"`, `"context_edit"`:
		delete(fields, "targetId")
	case `"branch_summary"`:
		delete(fields, "fromId")
	}
	names := []string{}
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s=%s;", name, strings.ReplaceAll(sound(fields[name]), "hookMessage", "custom"))
	}
	return sound([]byte(b.String()))
}

var (
	escapedHalf  = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}`)
	replacements = regexp.MustCompile(`(\\ufffd|\x{FFFD})+`)
)

// sound is text in which every run of characters that cannot be sent is one
// replacement character: readers do not agree on how many there are.
func sound(raw []byte) string {
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte("\ufffd")) && !bytes.Contains(raw, []byte(`\u`)) {
		return string(raw) // nearly all
	}
	text := escapedHalf.ReplaceAllStringFunc(strings.ToValidUTF8(string(raw), "\ufffd"), func(found string) string {
		if len(found) == len(`\ud83d\ude00`) {
			return found
		}
		return "\ufffd"
	})
	return replacements.ReplaceAllString(text, "\ufffd")
}

// contextsGrew compares what pith itself shows before and after: the messages of
// before are there, in their order.
func (d damaged) contextsGrew(backup string) {
	d.t.Helper()
	if backup == "" {
		return
	}
	o := pith.Options{ReadOnly: true, Store: d.opt.Store}
	was, err := pith.Open(context.Background(), backup, o)
	if err != nil {
		return // it had no header
	}
	defer was.Close()
	now, err := pith.Open(context.Background(), d.name, o)
	if err != nil {
		d.errorf("the repaired file does not open: %v", err)
		return
	}
	defer now.Close()
	if len(now.Findings()) > 0 || now.View().Len() < was.View().Len() {
		d.errorf("the repaired file has %d entries of %d and findings %v", now.View().Len(), was.View().Len(), now.Findings())
		return
	}
	before, after := messages(d.t, was), messages(d.t, now)
	n := 0
	for _, m := range before {
		i := slices.Index(after[n:], m)
		if i < 0 {
			d.errorf("the context lacks %.200s", m)
			return
		}
		n += i + 1
	}
}

// messages are those that user, assistant and tools have in the context, and what
// tools said that is quoted there.
func messages(t *testing.T, s *pith.Session) []string {
	t.Helper()
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			Role, CustomType string
			Details          json.RawMessage
		}
		_ = json.Unmarshal(m.Raw, &head) // only messages have a role
		switch {
		case head.CustomType == "pith/tool-result":
			m.Raw = head.Details
		case head.Role != "user" && head.Role != "assistant" && head.Role != "toolResult":
			continue
		}
		out = append(out, strings.Replace(sound(m.Raw), `,"content":[]`, "", 1)) // which a context adds where there is none
	}
	return out
}
