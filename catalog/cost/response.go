package cost

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Kind names the purpose for which tokens were spent.
type Kind string

// The kinds of spending.
const (
	Answer        Kind = "answer"
	Tool          Kind = "tool" // a model call made by a tool
	Compaction    Kind = "compaction"
	BranchSummary Kind = "branchSummary"
	Accounting    Kind = "usage"    // an entry that only records spending
	Subagent      Kind = "subagent" // a run without a session of its own
)

// A Response is one model call, or the sum of several that are known only
// together.
type Response struct {
	Session int       // index into Ledger.Sessions
	Time    time.Time // zero if the file has none
	// Model is provider/id, or "" if the entry names none.
	Model string
	Kind  Kind
	format.Spent
}

// A fingerprint is equal for all copies of a response and, in practice,
// different for different responses.
type fingerprint [16]byte

// A printer computes fingerprints with a reused buffer.
type printer struct{ buf []byte }

// of returns the fingerprint of the words and the amount. The amount is
// included because some servers give all their responses the same name.
func (p *printer) of(a format.Spent, words ...[]byte) fingerprint {
	p.buf = p.buf[:0]
	for _, w := range words {
		p.buf = binary.AppendUvarint(p.buf, uint64(len(w)))
		p.buf = append(p.buf, w...)
	}
	for _, n := range [...]int64{a.Input, a.Output, a.CacheRead, a.CacheWrite, a.Tokens, int64(a.Cost)} {
		p.buf = binary.AppendVarint(p.buf, n)
	}
	sum := sha256.Sum256(p.buf)
	return fingerprint(sum[:16])
}
