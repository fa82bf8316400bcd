package subagent

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// FileSource is a file as the record of a run: a transcript, or a stream of events.
// ok is false for every other file, sessions among them.
func FileSource(path string) (s Source, ok bool) {
	var all files
	if all.check(path) != "" {
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

// mostHead is how much of a file is read to recognise it.
const mostHead = 1 << 20

// RecordKind recognises the record of a run by its first lines: FromTranscript,
// FromEvents, or "" for anything else. A stream of events may begin with the header
// of a session, but no line of it is an entry of one.
func RecordKind(r io.ReaderAt) (kind SourceKind) {
	head, _ := io.ReadAll(io.NewSectionReader(r, 0, mostHead)) // what cannot be read is not recognised
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
		case !o.has("id") && envelope.IsEvent(o.text("type")):
			kind = FromEvents
		}
		return false
	})
	return kind
}

// Session is the conversation as a session that opens like any other, for reading.
// One that is no session file is made in memory, under the name of a file: its
// messages in a row, with their numbers, from 00000001 on, as ids. The header is
// that of the new session; nil means the one that the record itself has, or one
// that is named after the file.
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
		if header.Timestamp == "" {
			header.Timestamp = at
		}
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

// header is the one of a session that is made of the record.
func (s Source) header() *format.Header {
	h := &format.Header{Version: format.Version, ID: strings.TrimSuffix(filepath.Base(s.Path), format.FileSuffix)}
	var all files
	text, err := all.read(s.Path)
	if err != nil {
		return h // who reads the messages is told
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
