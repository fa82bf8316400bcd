package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

const maxLine = 32 << 20

// An event is one event of a stream of server-sent events.
type event struct {
	kind string // "" if unnamed
	data []byte
}

// events reads a stream of server-sent events.
type events struct{ lines *bufio.Scanner }

func newEvents(r io.Reader) *events {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &events{lines}
}

// next returns the next event, or false at the end of the stream. It drops an
// incomplete last event.
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

func (s *events) err() error { return s.lines.Err() }

// decodeEvent decodes JSON into v. Members of an unexpected type stay zero:
// providers extend their protocols.
func decodeEvent(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

func isSet(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
