//go:build !unix

package subagent

const nonBlocking = 0
