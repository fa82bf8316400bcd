package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine bounds a line of a stream.
const maxLine = 32 << 20

// An event is one event of a stream of server-sent events.
type event struct {
	kind string // "" where the server names none
	data []byte
}

// events reads a stream of server-sent events.
type events struct{ lines *bufio.Scanner }

func newEvents(r io.Reader) *events {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &events{lines}
}

// next is the next event; false at the end of the stream. An event that the stream
// ends in is not one.
func (s *events) next() (event, bool) {
	var e event
	for s.lines.Scan() {
		line := s.lines.Bytes()
		if len(line) == 0 {
			if e.kind == "" && len(e.data) == 0 {
				continue
			}
			return e, true
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.kind = string(value)
		case "data":
			e.data = append(append(e.data, value...), '\n')
		}
	}
	return event{}, false
}

// err is the error that the stream ended in; nil at its end.
func (s *events) err() error { return s.lines.Err() }

// decodeEvent reads JSON into v. Members of another type than expected are left at
// zero: providers add to their protocols.
func decodeEvent(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// isSet reports whether a member is there and not null.
func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
