package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// Limits on compressed rollouts, so that a small file cannot fill the disk.
// Session text compresses to a tenth or less, rarely to a hundredth.
const (
	mostUnpacked  = 4 << 30
	leastUnpacked = 64 << 20 // allowed whatever the size of the file
	mostRatio     = 200
	mostWindow    = 64 << 20
)

// A damage is the reason why a compressed rollout is readable only up to some
// byte.
type damage struct{ error }

var errUnpacked = errors.New("the unpacked file is too large")

// damagedKind is the kind of the line added to a rollout that could not be read
// to its end.
const damagedKind = "pith-damaged"

// A line is one record of a rollout. Its bytes are valid until the next line is read.
type line struct {
	offset  int64
	kind    string
	payload sources.Object
	time    time.Time
	raw     []byte
}

var lineKeys = jsonl.NewKeys("timestamp", "type", "payload")

// lines calls each for the lines of a rollout before byte end; 0 means all of
// them.
func lines(ctx context.Context, path string, end int64, each func(l *line) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".zst") {
		unpack, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(mostWindow), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return err
		}
		defer unpack.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		in = &limited{unpack, min(max(leastUnpacked, mostRatio*info.Size()), mostUnpacked)}
	}
	var l line
	read := func(offset int64, text []byte) error {
		l.offset = offset
		switch {
		case end > 0 && offset >= end:
			return errEnd
		case l.parse(text):
			return each(&l)
		}
		return nil
	}
	err = sources.LinesOf(ctx, in, read)
	if d := (damage{}); errors.As(err, &d) {
		err = read(l.offset+1, fmt.Appendf(nil, `{"type":%q,"payload":{"error":%q}}`, damagedKind, d.Error()))
	}
	if errors.Is(err, errEnd) {
		return nil
	}
	return err
}

// errEnd stops reading a rollout early.
var errEnd = errors.New("end")

func (l *line) parse(text []byte) bool {
	var spans [3]jsonl.Span
	if shape, _ := lineKeys.Scan(text, spans[:]); shape != jsonl.Object {
		return false
	}
	at, _ := jsonl.String(spans[0].Of(text))
	l.time, _ = format.ParseTime(at)
	l.kind, _ = jsonl.String(spans[1].Of(text))
	l.payload, l.raw = spans[2].Of(text), text
	if jsonl.KindOf(l.payload) != '{' {
		l.payload = []byte("{}")
	}
	return true
}

// limited reads the decompressed bytes of a rollout. Its errors have type
// damage.
type limited struct {
	in io.Reader
	n  int64 // bytes still allowed
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	if l.n -= int64(n); l.n < 0 {
		return 0, damage{errUnpacked}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage{err}
	}
	return n, err
}

// A meta is the first record of a rollout.
type meta struct {
	time     time.Time
	cwd      string
	version  string
	provider string
	parent   string // thread that started this one as a subagent
	base     string // rollout that this one continues
	end      int64  // the byte at which it continues that
	forked   string // thread that this one was forked from
	nickname string
}

func readMeta(ctx context.Context, path string) (m meta, err error) {
	err = lines(ctx, path, 0, func(l *line) error {
		if l.kind != "session_meta" {
			return nil
		}
		p := l.payload
		m = meta{
			time: l.time, cwd: p.Text("cwd"), version: p.Text("cli_version"), provider: p.Text("model_provider"),
			parent: p.Text("parent_thread_id"), forked: p.Text("forked_from_id"), nickname: p.Text("agent_nickname"),
		}
		if at, ok := format.ParseTime(p.Text("timestamp")); ok {
			m.time = at
		}
		base := p.Object("history_base")
		m.base, m.end = base.Text("thread_id"), base.Int("end_byte_offset")
		return errEnd
	})
	return m, err
}
