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
	return &drainingConn{Connection: c, gone: make(chan struct{})}, nil
}

type drainingConn struct {
	mcp.Connection
	open sync.WaitGroup // requests without an answer
	gone chan struct{}
	once sync.Once

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool
}

// Read implements mcp.Connection.
func (c *drainingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); err == nil && ok && r.IsCall() {
		c.begin(r.ID)
	}
	if err != nil { // the input ended, perhaps in the middle of a message
		c.wait(ctx)
	}
	return m, err
}

// wait waits until all requests are answered or the connection is closed.
func (c *drainingConn) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		c.open.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	case <-c.gone:
	}
}

// Write implements mcp.Connection.
func (c *drainingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.end(r.ID)
	}
	return err
}

// Close implements mcp.Connection.
func (c *drainingConn) Close() error {
	c.once.Do(func() { close(c.gone) })
	return c.Connection.Close()
}

func (c *drainingConn) begin(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil {
		c.pending = map[jsonrpc.ID]bool{}
	}
	if !c.pending[id] { // a client may use an ID twice
		c.pending[id] = true
		c.open.Add(1)
	}
}

func (c *drainingConn) end(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[id] {
		delete(c.pending, id)
		c.open.Done()
	}
}
