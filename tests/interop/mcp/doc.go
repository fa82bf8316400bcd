// Package mcp runs pith mcp with independent clients: the inspector and the
// TypeScript SDK of the Model Context Protocol, from npm.
package mcp
