package cost

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/cache/scans"
	"github.com/pith-sessions/pith/internal/prices"
	"github.com/pith-sessions/pith/internal/spending"
)

// This file saves the sums of a ledger for the next report. They are used only
// while all sessions are the same: a change of one may turn responses of another
// into copies.

const (
	// sumsKind is the kind of the saved sums.
	sumsKind = "sums"
	// sumsVersion increases with every change of its form. Its unit leaves room
	// for the versions of packed responses.
	sumsVersion = 2_000 + keptVersion
	// quarter is the time within which responses are added up, in seconds. The
	// days of a zone whose offset is a multiple of it begin between two sums.
	quarter = 15 * 60
)

// Divides reports whether a limit of [Ledger.Between] may be within a sum. The
// start of a day in most zones is not, and neither is a zero time.
func Divides(limit time.Time) bool {
	return !limit.IsZero() && (limit.Unix()%quarter != 0 || limit.Nanosecond() != 0)
}

// sums are the saved sums of some sessions. A nil *sums saves nothing.
type sums struct {
	dir      string // of the cache
	zone     *time.Location
	key      string // identifies the sessions as they are
	outdated bool   // there are none of these sessions
}

// sums returns where the sums of sessions are saved.
func (o *Options) sums(sessions []catalog.Info) *sums {
	if o.Days == nil || o.CacheDir == "" || o.Known != nil {
		return nil
	}
	var b []byte
	h := sha256.New()
	for i := range sessions {
		s := &sessions[i]
		b = pack.AppendString(b[:0], s.Path)
		for _, n := range [...]uint64{s.Inode.Device, s.Inode.Number, uint64(s.Size), uint64(s.FileTime.Unix()), uint64(s.FileTime.Nanosecond())} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		_, _ = h.Write(b) // never fails
	}
	return &sums{dir: o.CacheDir, zone: o.Days, key: string(h.Sum(nil))}
}

// load reads the sums into a ledger. It returns false if there are none for the
// same sessions, or if the days of the zone divide one.
func (s *sums) load(ctx context.Context, l *Ledger) bool {
	if s == nil {
		return false
	}
	s.outdated = true
	text, ok := scans.Load(ctx, s.dir, sumsKind, sumsVersion, "", s.key)
	if !ok {
		return false
	}
	d := pack.NewReader(text)
	s.outdated = false
	responses, ok := unpackSums(&d, s.zone)
	copied, also := unpackSums(&d, s.zone)
	ok = ok && also && d.Done() == nil
	for _, r := range slices.Concat(responses, copied) {
		ok = ok && r.Session < len(l.Sessions)
	}
	if !ok {
		return false
	}
	l.Responses, l.Copied = responses, copied
	for i := range l.Sessions {
		l.Sessions[i].Responses = ""
	}
	return true
}

// save saves the sums of a ledger, unless a file has changed since it was listed,
// or could change without a trace.
func (s *sums) save(ctx context.Context, l *Ledger) {
	if s == nil || !s.outdated {
		return
	}
	for i := range l.Sessions {
		if at := &l.Sessions[i]; time.Since(at.FileTime).Abs() < coarse || !isUnchanged(at) {
			return
		}
	}
	b := appendSums(appendSums(nil, l.Responses), l.Copied)
	scans.Save(context.WithoutCancel(ctx), s.dir, sumsKind, sumsVersion, "", s.key, string(b)) // without it, the next report takes longer
}

// appendSums encodes the sums of responses.
func appendSums(b []byte, responses []Response) []byte {
	type key struct {
		session int
		quarter int64
		model   string
		kind    Kind
		unknown int // 0 if the cost is recorded, else 1 + its class of prices
	}
	at := map[key]int{}
	models := map[string]int{}
	var names []byte
	var list []Response
	var last []int64
	for _, r := range responses {
		second := r.Time.Unix()
		k := key{r.Session, (second - (second%quarter+quarter)%quarter) / quarter, r.Model, r.Kind, 0}
		if r.Unpriced > 0 {
			k.unknown = 1 + prices.Class(r.Spent)
		}
		n, ok := at[k]
		if !ok {
			n = len(list)
			at[k] = n
			list, last = append(list, r), append(last, second)
			if _, ok := models[r.Model]; !ok {
				models[r.Model] = len(models)
				names = pack.AppendString(names, r.Model)
			}
			continue
		}
		sum := &list[n]
		sum.Count += r.Count
		sum.Spent = sum.Plus(r.Spent)
		if r.Time.Before(sum.Time) {
			sum.Time = r.Time
		}
		last[n] = max(last[n], second)
	}
	b = append(binary.AppendUvarint(b, uint64(len(models))), names...)
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		r := &list[i]
		b = binary.AppendUvarint(b, uint64(r.Session))
		b = binary.AppendUvarint(b, uint64(r.Count))
		b = binary.AppendVarint(b, r.Time.Unix())
		b = binary.AppendVarint(b, int64(r.Time.Nanosecond()))
		b = binary.AppendVarint(b, last[i])
		b = binary.AppendUvarint(b, uint64(models[r.Model]))
		b = appendSpent(pack.AppendString(b, string(r.Kind)), r.Spent)
	}
	return b
}

// unpackSums decodes what appendSums encoded. It returns false for anything
// else, and if a day of the zone begins within a sum.
func unpackSums(d *pack.Reader, zone *time.Location) ([]Response, bool) {
	var models []string
	for n := d.Uint(); n > 0 && d.Len() > 0; n-- {
		models = append(models, d.String())
	}
	n := d.Uint()
	responses := make([]Response, 0, min(n, uint64(d.Len())))
	for ; n > 0 && d.Len() > 0; n-- {
		r := Response{Session: int(d.Uint()), Count: int(d.Uint()), Time: time.Unix(d.Int(), d.Int())}
		last := time.Unix(d.Int(), 0)
		model := d.Uint()
		r.Kind, r.Spent = Kind(spending.KindOf(d.String())), readSpent(d)
		if model >= uint64(len(models)) || r.Session < 0 || r.Count < 1 {
			return nil, false
		}
		r.Model = models[model]
		_, offset := r.Time.In(zone).Zone()
		if _, later := last.In(zone).Zone(); r.Count > 1 && (offset%quarter != 0 || later != offset) {
			return nil, false
		}
		responses = append(responses, r)
	}
	return responses, n == 0
}

// coarse is the time within which two changes of a file may have the same
// timestamp.
const coarse = 2 * time.Second

func appendSpent(b []byte, u format.Spent) []byte {
	for _, n := range [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CacheWrite1h, u.Tokens, int64(u.Cost), u.Unpriced} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func readSpent(d *pack.Reader) format.Spent {
	return format.Spent{Input: d.Int(), Output: d.Int(), CacheRead: d.Int(), CacheWrite: d.Int(), CacheWrite1h: d.Int(), Tokens: d.Int(), Cost: format.Money(d.Int()), Unpriced: d.Int()}
}
