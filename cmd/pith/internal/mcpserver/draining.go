package mcpserver

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A drainingTransport reports the end of the input only after all earlier
// requests are answered: a client may close its side as soon as it has sent
// them.
type drainingTransport struct{ mcp.Transport }

// Connect implements mcp.Transport.
func (p *drainingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainingConn{Connection: c, open: map[jsonrpc.ID]bool{}, changed: make(chan struct{}, 1), gone: make(chan struct{})}, nil
}

type drainingConn struct {
	mcp.Connection
	changed chan struct{} // has an element after an answer
	gone    chan struct{}
	once    sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // requests without an answer; a client may use an ID twice
}

// Read implements mcp.Connection.
func (c *drainingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); err == nil && ok && r.IsCall() {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	for err != nil && c.waiting() { // the input ended, perhaps in the middle of a message
		select {
		case <-c.changed:
		case <-ctx.Done():
			return m, err
		case <-c.gone:
			return m, err
		}
	}
	return m, err
}

func (c *drainingConn) waiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}

// Write implements mcp.Connection.
func (c *drainingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}
	return err
}

// Close implements mcp.Connection.
func (c *drainingConn) Close() error {
	c.once.Do(func() { close(c.gone) })
	return c.Connection.Close()
}
