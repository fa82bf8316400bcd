// Package llmtest is a server that imitates a language model, for tests.
//
// It listens on loopback and implements Anthropic's Messages and OpenAI's Chat
// Completions, both with streams. Answers are queued in advance or returned by
// a function, and requests are recorded. An answer can fail in every way that a
// network can: with a status, with an error event in the middle of the stream,
// with a connection closed after any byte, with silence, or with garbage.
//
// A request for which no answer is queued is refused with a status that is not
// retried.
//
// Stability: outside the core. Its exported names may still change.
package llmtest
