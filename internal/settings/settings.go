// Package settings reads what the user set: pi's settings where they concern
// sessions, and pith's own.
//
// Files are read in this order, and a later one goes before an earlier one,
// member for member:
//
//  1. Atomic's, of the user and of the project, for those who use Atomic and not
//     pi: each counts only where pi has no such file, and where its sessions lie
//     is not taken from it;
//  2. pi's for the user, settings.json in pi's folder;
//  3. pi's for the project, .pi/settings.json in the working directory;
//  4. pith's own, pith/settings.json in the user's configuration folder.
//
// The package writes nothing, prints nothing and starts nothing. It knows the
// members that are listed with [Settings] and leaves all others alone.
//
// # Invariants
//
//	S1  Reading never fails. What is wrong with a file is a [Warning], and
//	    whatever else is in the files counts.
//	S2  A project cannot make pith run a program: members that name one are taken
//	    from pith's own file and from no other.
package settings

// Settings are what the files say together, with pi's defaults for what they do
// not say. The names of the members in the files stand behind the fields.
type Settings struct {
	// SessionDir is where sessions are kept, as written; "" when not set.
	SessionDir string // sessionDir
	// DefaultProvider and DefaultModel are the model that new conversations begin
	// with; "" when not set.
	DefaultProvider string // defaultProvider
	DefaultModel    string // defaultModel
	// DefaultThinkingLevel is one of off, minimal, low, medium, high, xhigh and
	// max; "" when not set.
	DefaultThinkingLevel string // defaultThinkingLevel
	BranchSummary        BranchSummary
	Retry                Retry
	// TreeFilter is what a tree shows at first: default, no-tools, user-only,
	// labeled-only or all.
	TreeFilter string // treeFilterMode
	// DoubleEscape is what pressing Esc twice shows: tree, fork, or none.
	DoubleEscape string // doubleEscapeAction
	// Summarizer is who writes summaries: model, extract, or cmd: and a command;
	// "" when not set. A command is taken from pith's own file alone.
	Summarizer string // summarizer
	// Handover is the command that opens a session in another agent; "" when not
	// set. It is taken from pith's own file alone.
	Handover string // handover
	// Warnings are what is wrong with the files, in the order in which they were
	// read.
	Warnings []Warning

	compaction Compaction
	overrides  map[string]override
}

// Compaction says when a conversation is compacted and how much of it stays.
type Compaction struct {
	Enabled          bool  // compaction.enabled
	ReserveTokens    int64 // compaction.reserveTokens
	KeepRecentTokens int64 // compaction.keepRecentTokens
}

// An override is what one model has of its own; nil means the ordinary value.
type override struct{ reserve, keep *int64 }

// BranchSummary is about summaries of branches that are left.
type BranchSummary struct {
	ReserveTokens int64 // branchSummary.reserveTokens
	// SkipPrompt means not to ask whether a summary is wanted, and to make none.
	SkipPrompt bool // branchSummary.skipPrompt
}

// Retry is about requests to models that failed for the moment.
type Retry struct {
	Enabled    bool  // retry.enabled
	MaxRetries int64 // retry.maxRetries
	// BaseDelayMs is the wait before the first retry. It doubles with each, up to
	// MaxDelayMs.
	BaseDelayMs int64 // retry.baseDelayMs
	MaxDelayMs  int64 // retry.maxAgentDelayMs
	// MaxRetryAfterMs is the longest wait that a provider may ask for.
	MaxRetryAfterMs int64 // retry.provider.maxRetryDelayMs
	// TimeoutMs limits one request; 0 means the client's own limit.
	TimeoutMs int64 // retry.provider.timeoutMs
}

// Defaults are the settings of pi without any file.
func Defaults() *Settings {
	return &Settings{
		compaction: defaultCompaction, BranchSummary: defaultBranchSummary, Retry: defaultRetry,
		TreeFilter: treeFilters[0], DoubleEscape: doubleEscapes[0],
	}
}

var (
	defaultCompaction    = Compaction{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: 20000}
	defaultBranchSummary = BranchSummary{ReserveTokens: 16384}
	defaultRetry         = Retry{Enabled: true, MaxRetries: 3, BaseDelayMs: 2000, MaxDelayMs: 60000, MaxRetryAfterMs: 60000}
)

// Compaction are the settings of compaction for a model. Each number that
// compaction.modelOverrides gives for exactly "provider/modelID" goes before the
// ordinary one.
func (s *Settings) Compaction(provider, modelID string) Compaction {
	c := s.compaction
	o := s.overrides[provider+"/"+modelID]
	if o.reserve != nil {
		c.ReserveTokens = *o.reserve
	}
	if o.keep != nil {
		c.KeepRecentTokens = *o.keep
	}
	return c
}

// Read reads the files.
func Read(w Where) *Settings {
	s := Defaults()
	for _, f := range w.files() {
		doc, warning := load(f)
		if warning != nil {
			s.Warnings = append(s.Warnings, *warning)
		}
		if doc == nil {
			continue
		}
		dir := s.SessionDir
		doc.apply(s)
		if f.owner == atomic {
			s.SessionDir = dir
		}
		if f.owner == piProject && s.SessionDir != dir && !w.near(s.SessionDir) {
			s.Warnings = append(s.Warnings, Warning{File: f.path, Text: "sessionDir: a project keeps its sessions inside itself or your home folder; ignored"})
			s.SessionDir = dir
		}
	}
	return s
}
