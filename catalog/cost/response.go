package cost

import (
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/spending"
)

// A Kind names the purpose for which tokens were spent.
type Kind string

// The kinds of spending.
const (
	Answer        Kind = spending.Answer
	Tool          Kind = spending.Tool // a model call made by a tool
	Compaction    Kind = spending.Compaction
	BranchSummary Kind = spending.BranchSummary
	Accounting    Kind = spending.Accounting // an entry that only records spending
	CacheWarm     Kind = spending.CacheWarm  // a request that only keeps a prompt cache alive: not a response
	Subagent      Kind = spending.Subagent   // a run without a session of its own
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
