package subagent

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// FileSource returns a file as the record of a run: a transcript, or a stream
// of events. ok is false for every other file, including sessions.
func FileSource(path string) (s Source, ok bool) {
	if check(path) != "" {
		return s, false
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return s, false
	}
	defer file.Close()
	kind := RecordKind(file)
	return Source{Kind: kind, Path: path}, kind != ""
}

// mostHead is the number of bytes of a file that are read to recognize it.
const mostHead = 1 << 20

// RecordKind recognizes the record of a run by its first lines: FromTranscript,
// FromEvents, or "" for anything else. A stream of events may start with a
// session header, but none of its lines is an entry.
func RecordKind(r io.ReaderAt) (kind SourceKind) {
	head, _ := io.ReadAll(io.NewSectionReader(r, 0, mostHead)) // an unreadable file is not recognized
	first := true
	lines(head, func(line []byte) bool {
		if !jsonl.Valid(line) {
			return false
		}
		o := decode(line)
		if first && o.text("type") == string(format.TypeSession) {
			first = false
			return true
		}
		switch {
		case first && o.has("recordType"):
			kind = FromTranscript
		case !o.has("id") && journal.IsEvent(o.text("type")):
			kind = FromEvents
		}
		return false
	})
	return kind
}

// Session returns the conversation as a session, for reading. If it is not a
// session file, the session is made in memory, under the name file: its
// messages in sequence, with their numbers, from 00000001 on, as ids. header is
// the header of the new session; nil means that of the record itself, or one
// named after the file.
func (s Source) Session(ctx context.Context, file string, header *format.Header) (*pith.Session, error) {
	if s.IsSession() {
		return pith.Open(ctx, s.Path, pith.Options{ReadOnly: true})
	}
	if header == nil {
		header = s.header()
	}
	var entries []byte
	parent, at, n := "", header.Timestamp, 0
	for m, err := range s.Messages(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		n++
		if ms, ok := decode(format.AppendMessage(nil, m)).integer("timestamp"); ok {
			at = format.FormatTime(time.UnixMilli(ms))
		}
		header.Timestamp = cmp.Or(header.Timestamp, at)
		id := fmt.Sprintf("%08x", n)
		entries = append(format.AppendEntry(entries, &format.MessageEntry{Base: format.Base{ID: id, ParentID: parent, Timestamp: at}, Message: m}), '\n')
		parent = id
	}
	memory := memstore.New()
	log := append(append(format.AppendHeader(nil, header), '\n'), entries...)
	if _, err := memory.Create(ctx, file, store.Bytes(log)); err != nil {
		return nil, err
	}
	return pith.Open(ctx, file, pith.Options{ReadOnly: true, Store: memory})
}

// header returns the header of a session that is made from the record.
func (s Source) header() *format.Header {
	h := &format.Header{Version: format.Version, ID: strings.TrimSuffix(filepath.Base(s.Path), format.FileSuffix)}
	text, err := read(s.Path)
	if err != nil {
		return h // reading the messages reports the error
	}
	lines(text, func(line []byte) bool {
		o := decode(line)
		h.Timestamp, h.Cwd = o.text("timestamp"), o.text("cwd")
		if id := o.text("id"); id != "" && s.Kind == FromEvents {
			h.ID = id
		}
		return false
	})
	return h
}
