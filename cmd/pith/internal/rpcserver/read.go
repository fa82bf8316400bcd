package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/format"
)

// readMethods returns the methods about a session as a whole, with those that a read-only
// server needs to have one.
func readMethods() []*method {
	return []*method{
		opening("open", open),
		onSession("close", closeSession),
		onSession("getHeader", got(getHeader)),
		onSession("getEntries", getEntries),
		onSession("getSessionName", maybe((*pith.Session).Name)),
		onSession("getSessionFile", maybe((*pith.Session).File)),
		onSession("getCwd", always((*pith.Session).Cwd)),
		onSession("getSessionDir", always((*pith.Session).Dir)),
		onSession("getSessionId", always((*pith.Session).ID)),
		onSession("isPersisted", got(func(s *pith.Session) any { return s.Persisted() })),
		onSession("getFindings", getFindings),
		onSession("refresh", refresh),
		onSession("follow", follow).whenQuiet(),
		onSession("stay", does((*pith.Session).Stay)).whenQuiet(),
	}
}

// A getter is the function of a method of a session without parameters.
type getter = func(context.Context, *call, *none) (any, error)

func got(get func(*pith.Session) any) getter {
	return func(_ context.Context, c *call, _ *none) (any, error) { return get(c.session), nil }
}

// maybe returns a method for a getter; "" becomes null.
func maybe(get func(*pith.Session) string) getter {
	return got(func(s *pith.Session) any { return orNull(get(s)) })
}

// always returns a method for a getter; "" stays a string.
func always(get func(*pith.Session) string) getter {
	return got(func(s *pith.Session) any { return get(s) })
}

// does returns a method without a result.
func does(do func(*pith.Session)) getter {
	return got(func(s *pith.Session) any { do(s); return nil })
}

func getHeader(s *pith.Session) any {
	h := s.Header()
	if h.Raw != nil {
		return h.Raw
	}
	return format.AppendHeader(nil, h)
}

func getEntries(_ context.Context, c *call, _ *none) (any, error) {
	var l list
	for line, err := range c.session.View().Reader().Lines() {
		if err != nil {
			return nil, err
		}
		l.add(line.Raw)
	}
	return l.end(), nil
}

// lineList returns the list of the lines at positions.
func lineList(v *pith.View, positions []int) ([]byte, error) {
	var l list
	lines := v.Reader()
	for _, pos := range positions {
		line, err := lines.Line(pos)
		if err != nil {
			return nil, err
		}
		l.add(line.Raw)
	}
	return l.end(), nil
}

// lineOf returns an entry as it is in the file.
func lineOf(e format.Entry) []byte {
	if raw := e.Head().Raw; raw != nil {
		return raw
	}
	return format.AppendEntry(nil, e)
}

func getFindings(_ context.Context, c *call, _ *none) (any, error) {
	return present.JSON(c.session.Findings())
}

// refresh returns the number of entries that others have added.
func refresh(ctx context.Context, c *call, _ *none) (any, error) {
	return c.session.Refresh(ctx)
}

// follow moves the leaf to the last entry, including entries that others have
// added.
func follow(ctx context.Context, c *call, _ *none) (any, error) {
	if _, err := c.session.Refresh(ctx); err != nil {
		return nil, err
	}
	c.session.Follow()
	return nil, nil
}
