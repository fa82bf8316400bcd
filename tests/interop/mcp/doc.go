// Package mcp runs pith mcp with clients that nobody here wrote: the inspector and
// the TypeScript SDK of the Model Context Protocol, from npm.
package mcp
