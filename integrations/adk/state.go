package adksession

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"google.golang.org/adk/v2/session"

	"github.com/pith-sessions/pith/store"
)

// values is state as JSON, by key. A returned values must not be modified.
type values map[string]json.RawMessage

func (v values) with(delta values) values {
	if len(delta) == 0 {
		return v
	}
	out := make(values, len(v)+len(delta))
	maps.Copy(out, v)
	maps.Copy(out, delta)
	return out
}

// decodeInto adds the values to out, their keys with a prefix. Each call makes
// new Go values.
func (v values) decodeInto(out map[string]any, prefix string) error {
	for k, raw := range v {
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return fmt.Errorf("state %q: %w", k, err)
		}
		out[prefix+k] = value
	}
	return nil
}

// scopes is state by scope. The keys of app and user have no prefixes.
type scopes struct{ app, user, session values }

// split sorts the keys of a state by scope and leaves out the temporary ones.
func split(state map[string]any) (scopes, error) {
	out := scopes{values{}, values{}, values{}}
	for k, value := range state {
		to, name := out.session, k
		if rest, ok := strings.CutPrefix(k, session.KeyPrefixApp); ok {
			to, name = out.app, rest
		} else if rest, ok := strings.CutPrefix(k, session.KeyPrefixUser); ok {
			to, name = out.user, rest
		} else if strings.HasPrefix(k, session.KeyPrefixTemp) {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return scopes{}, fmt.Errorf("state %q: %w", k, err)
		}
		to[name] = raw
	}
	return out, nil
}

func (s scopes) decode() (map[string]any, error) {
	out := make(map[string]any, len(s.app)+len(s.user)+len(s.session))
	return out, errors.Join(s.session.decodeInto(out, ""), s.app.decodeInto(out, session.KeyPrefixApp), s.user.decodeInto(out, session.KeyPrefixUser))
}

// A SharedStateError means that an event, or a session, was stored but its
// "app:" or "user:" state was not.
type SharedStateError struct{ Err error }

func (e *SharedStateError) Error() string {
	return "stored, but not its shared state: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SharedStateError) Unwrap() error { return e.Err }

// share writes the shared part of a state.
func (s *Service) share(ctx context.Context, k key, delta scopes) error {
	err := s.addShared(ctx, s.appStateName(k.App), delta.app)
	if err == nil {
		err = s.addShared(ctx, s.userStateName(k.App, k.User), delta.user)
	}
	if err != nil {
		return &SharedStateError{err}
	}
	return nil
}

// addShared appends a delta to a log of state, which starts with its first
// delta.
func (s *Service) addShared(ctx context.Context, name string, delta values) error {
	if len(delta) == 0 {
		return nil
	}
	line, err := json.Marshal(delta)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	c, err := s.acquire(ctx, name)
	if err != nil {
		return err
	}
	defer s.release(c)
	for {
		err := c.refreshShared(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			if c.log, err = s.store.Create(ctx, name, store.Bytes(line)); err == nil {
				c.loaded, c.size, c.state = true, int64(len(line)), delta
				return nil
			}
			if errors.Is(err, store.ErrExist) {
				continue
			}
		}
		if err != nil {
			return err
		}
		out := line
		if c.torn {
			out = append([]byte{'\n'}, line...)
		}
		at, err := c.log.Append(ctx, c.size, out)
		if err == nil && at == c.size {
			c.size, c.state, c.torn = c.size+int64(len(out)), c.state.with(delta), false
			return nil
		}
		c.forget()
		if err == nil || !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			return err
		}
	}
}

// shared returns the sum of a log of state, or nil if the log does not exist.
func (s *Service) shared(ctx context.Context, name string) (values, error) {
	c, err := s.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.release(c)
	if err := c.refreshShared(ctx); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return c.state, nil
}

// refreshShared reads what was appended to a log of state since.
func (c *conversation) refreshShared(ctx context.Context) error {
	size, err := c.currentSize(ctx)
	if err != nil {
		return err
	}
	if !c.loaded {
		c.size, c.state = 0, nil
	}
	if c.loaded && size == c.size {
		return nil
	}
	from := c.size
	if c.torn || size < from {
		from, c.state = 0, nil
	}
	text := make([]byte, size-from)
	if err := readAt(ctx, c.log, text, from); err != nil {
		c.forget()
		return err
	}
	c.torn = len(text) > 0 && text[len(text)-1] != '\n'
	for line := range strings.Lines(string(text)) {
		var delta values
		if json.Unmarshal([]byte(line), &delta) == nil { // a torn write is not a delta
			c.state = c.state.with(delta)
		}
	}
	c.size, c.loaded = size, true
	return nil
}
