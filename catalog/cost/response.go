package cost

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Kind says what tokens were spent on.
type Kind string

// The kinds.
const (
	Answer        Kind = "answer"
	Tool          Kind = "tool" // a tool called a model itself
	Compaction    Kind = "compaction"
	BranchSummary Kind = "branchSummary"
	Accounting    Kind = "usage"    // an entry that only tells of spending
	Subagent      Kind = "subagent" // a run of whose own session nothing is left
)

// A Response is one call of a model, or what is known of several as a sum.
type Response struct {
	Session int       // index into Ledger.Sessions
	Time    time.Time // zero when the file does not say
	// Model is provider/id; "" where the entry does not say.
	Model string
	Kind  Kind
	format.Spent
}

// A fingerprint is the same for all copies of a response and, as far as anybody
// will see, for no two responses.
type fingerprint [16]byte

// A printer makes fingerprints in one buffer.
type printer struct{ buf []byte }

// of is the fingerprint of what the words and the amount say. The amount belongs
// to it because some servers give all their responses one name.
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
