package pi

import "context"

// Timings are taken inside the child, so that they exclude the communication
// between the processes. PeakRSSMB is the peak resident memory of the child,
// Node included, in units of 2^20 bytes: take each figure in a new Host.

// An OpenTiming is the time that pi took to open a session and build its views.
type OpenTiming struct {
	OpenMS    float64 `json:"openMs"`
	ContextMS float64 `json:"contextMs"`
	TreeMS    float64 `json:"treeMs"`
	Entries   int     `json:"entries"`
	Messages  int     `json:"messages"`  // of the context
	PeakRSSMB float64 `json:"peakRssMB"` // when the context was built
}

// TimeOpen measures pi opening the session file path.
func (h *Host) TimeOpen(ctx context.Context, path string) (OpenTiming, error) {
	return ask[OpenTiming](ctx, h, "timeOpen", path)
}

// A ListTiming is the time that pi took to list sessions.
type ListTiming struct {
	ListMS    float64 `json:"listMs"`
	Sessions  int     `json:"sessions"`
	PeakRSSMB float64 `json:"peakRssMB"`
}

// TimeListAll measures pi listing all project directories below root.
func (h *Host) TimeListAll(ctx context.Context, root string) (ListTiming, error) {
	return ask[ListTiming](ctx, h, "timeListAll", root)
}

// An AppendTiming is the time that pi took to append messages.
type AppendTiming struct {
	Appends     int     `json:"appends"`
	AppendMS    float64 `json:"appendMs"`
	PerAppendUS float64 `json:"perAppendUs"`
	Path        string  `json:"path"` // the session file that was written
}

// TimeAppend measures pi appending n user messages of about 400 bytes to a new
// session in directory sessionDir.
func (h *Host) TimeAppend(ctx context.Context, n int, sessionDir string) (AppendTiming, error) {
	return ask[AppendTiming](ctx, h, "timeAppend", n, sessionDir)
}
