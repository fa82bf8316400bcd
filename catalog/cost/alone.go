package cost

import (
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/spending"
)

// This file adds up the responses of one session, for a store that keeps sums
// with the session. They can be used only if no response of it is counted in
// another session.

// sumVersion is the version of what Sum returns.
const sumVersion = 3

// firstSize is the length of the part of a fingerprint that tells sessions
// apart.
const firstSize = 8

// Sum encodes the sums of the responses of a session, from
// [catalog.Info.Responses], for [Alone]. It has no sums if the session has
// results of subagents, whose costs are found only in the file, or a response
// twice.
func Sum(responses string) []byte {
	var s spending.Scanner
	if s.Unpack(responses) != nil {
		return nil
	}
	b := append(make([]byte, 0, 256), sumVersion)
	if len(s.Found) == 0 {
		b = append(b, noFirst...)
	} else {
		b = append(b, s.Found[0].Key[:firstSize]...)
	}
	seen := newKeySet(len(s.Found))
	all := make([]Response, 0, len(s.Found))
	for i := range s.Found {
		f := &s.Found[i]
		if s.Runs || !seen.add(f.Key) {
			return b
		}
		all = append(all, Response{Count: 1, Time: f.Time, Model: f.Model, Kind: Kind(f.Kind), Spent: f.Spent})
	}
	return appendSums(b, all)
}

// Alone returns, by path, the sums of those sessions whose responses are in no
// other session. sums returns what [Sum] made of a session, or "". It need not
// be trusted. Days are those of a zone: see Options.Days.
//
// A fork or a copy starts with the first response of its original, names it as
// its parent or has its ID. Sessions for which one of these holds are not
// alone.
func Alone(sessions []catalog.Info, sums func(path string) string, zone *time.Location) map[string][]Response {
	type mark struct{ kind, text string }
	marks := make(map[mark]int, 2*len(sessions))
	for i := range sessions {
		s := &sessions[i]
		marks[mark{"id", s.ID}]++
		if first, ok := firstOf(sums(s.Path)); ok {
			marks[mark{"first", first}]++
		}
		if s.ParentSession != "" {
			name := strings.TrimSuffix(path.Base(strings.ReplaceAll(s.ParentSession, `\`, "/")), ".jsonl")
			marks[mark{"id", name}]++
			marks[mark{"id", name[strings.LastIndexByte(name, '_')+1:]}]++
		}
	}
	alone := make(map[string][]Response, len(sessions))
	for i := range sessions {
		s := &sessions[i]
		text := sums(s.Path)
		first, ok := firstOf(text)
		if !ok || s.ParentSession != "" || marks[mark{"id", s.ID}] > 1 || first != noFirst && marks[mark{"first", first}] > 1 {
			continue
		}
		d := pack.NewReader(text[1+firstSize:])
		if responses, ok := unpackSums(&d, zone); ok && d.Done() == nil && !slices.ContainsFunc(responses, isUnusual) {
			alone[s.Path] = responses
		}
	}
	return alone
}

// isUnusual reports whether a sum is one that Sum does not make.
func isUnusual(r Response) bool {
	y, s := r.Time.Year(), &r.Spent
	return r.Count > math.MaxInt32 || y < -mostYear || y > mostYear || min(s.Input, s.Output, s.CacheRead, s.CacheWrite, s.CacheWrite1h, s.Tokens, int64(s.Cost), s.Unpriced) < 0
}

// noFirst stands for the first response of a session without responses.
var noFirst = string(make([]byte, firstSize))

// firstOf returns the start of the fingerprint of the first response.
func firstOf(sum string) (string, bool) {
	if len(sum) < 1+firstSize || sum[0] != sumVersion {
		return "", false
	}
	return sum[1 : 1+firstSize], true
}
