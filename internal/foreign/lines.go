package foreign

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Lines calls take, in order, for the lines between two offsets of the session at a
// path, like [jsonl.Lines.Each]. It reads any session as a stream.
func Lines(ctx context.Context, path string, r *jsonl.Lines, from, to int64, take func(*jsonl.Line) error) (end int64, err error) {
	s := Find(path)
	if s == nil {
		in, err := os.Open(path)
		if err != nil {
			return from, err
		}
		defer in.Close() // only read
		return r.Each(ctx, in, from, to, take)
	}
	var at int64
	for data, err := range s.Lines(ctx) {
		var damaged *DamagedError
		if errors.As(err, &damaged) || at >= to {
			break
		} else if err != nil {
			return at, err
		}
		line := jsonl.Line{Data: data[:len(data):len(data)], At: at, Size: int64(len(data)) + 1, Ended: true}
		if at >= from {
			if err := take(&line); err != nil {
				return at, err
			}
		}
		at += line.Size
	}
	return at, ctx.Err()
}

// A Place is where a line is in a session.
type Place struct{ At, Size int64 }

// LinesAt returns lines of the session at a path by their offsets, with their line
// endings. Those that are not there are missing.
func LinesAt(ctx context.Context, path string, r *jsonl.Lines, places []Place) (map[int64][]byte, error) {
	out := make(map[int64][]byte, len(places))
	if Find(path) != nil {
		size := make(map[int64]int64, len(places))
		for _, p := range places {
			size[p.At] = p.Size
		}
		_, err := Lines(ctx, path, r, 0, math.MaxInt64, func(line *jsonl.Line) error {
			if size[line.At] == line.Size {
				out[line.At] = append(bytes.Clone(line.Data), '\n')
			}
			return nil
		})
		return out, err
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	for _, p := range places {
		line, err := r.At(ctx, in, p.At, p.Size)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			out[p.At] = bytes.Clone(line)
		}
	}
	return out, nil
}
