package pi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// A RemoteError is an exception that pi threw.
type RemoteError struct {
	Version Version
	Method  string
	Name    string // the JavaScript class, such as TypeError
	Message string
}

func (e *RemoteError) Error() string {
	return fmt.Sprintf("pi %s: %s: %s: %s", e.Version, e.Method, e.Name, e.Message)
}

// Call runs a method of the host script and decodes its result into out, which
// may be nil. A result of undefined leaves out unchanged. To keep the bytes as
// pi printed them, pass a *json.RawMessage.
//
// The methods are create, open and forkFrom with pi's own arguments, which
// return a handle; release, flatTree and context on a handle; call with a
// handle, a method of pi's SessionManager and its arguments; list, listAll,
// restringify, node, and the timings; plan, compact and leaveBranch, which run
// pi's compaction on a file. Most of them have a Go method of Host or Session.
//
// If ctx ends first, Call returns, but pi continues: only Close stops a pi that
// hangs.
func (h *Host) Call(ctx context.Context, out any, method string, args ...any) error {
	if args == nil {
		args = []any{}
	}
	answer := make(chan response, 1)
	id, err := h.expect(answer)
	if err != nil {
		return err
	}
	if err := h.send(id, method, args); err != nil {
		h.forget(id)
		return err
	}
	select {
	case <-ctx.Done():
		h.forget(id)
		return ctx.Err()
	case r, ok := <-answer:
		if !ok {
			h.mu.Lock()
			defer h.mu.Unlock()
			return fmt.Errorf("%s: %w", method, h.ended)
		}
		return h.decode(r, out, method, args)
	}
}

// ask is Call with a typed result.
func ask[T any](ctx context.Context, h *Host, method string, args ...any) (out T, err error) {
	err = h.Call(ctx, &out, method, args...)
	return out, err
}

// expect registers a caller and returns the ID of its request.
func (h *Host) expect(answer chan<- response) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended != nil {
		return 0, h.ended
	}
	h.nextID++
	h.waiting[h.nextID] = answer
	return h.nextID, nil
}

func (h *Host) forget(id int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, id)
}

func (h *Host) send(id int64, method string, args []any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"id": id, "method": method, "params": args}); err != nil {
		return fmt.Errorf("pi %s: %s: arguments: %w", h.version, method, err)
	}
	h.writeMu.Lock()
	defer h.writeMu.Unlock()
	if _, err := h.stdin.Write(line.Bytes()); err != nil {
		// The child's last output is more specific than a broken pipe.
		<-h.done
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.ended
	}
	return nil
}

func (h *Host) decode(r response, out any, method string, args []any) error {
	if r.Error != nil {
		if method == "call" && len(args) > 1 {
			method = fmt.Sprint(args[1])
		}
		return &RemoteError{Version: h.version, Method: method, Name: r.Error.Name, Message: r.Error.Message}
	}
	if out == nil || r.Result == nil {
		return nil
	}
	if err := json.Unmarshal(r.Result, out); err != nil {
		return fmt.Errorf("pi %s: %s returned %.200q: %w", h.version, method, r.Result, err)
	}
	return nil
}
