// Package llmtest is a server that answers like a language model, for tests.
//
// It listens on loopback and speaks Anthropic's Messages and OpenAI's Chat
// Completions, both with streams. Answers are queued in advance or made by a
// function; what arrived can be looked at. An answer can fail in every way that
// the network knows: with a status, in the middle of the stream as an error
// event, by a connection that is cut behind any byte, by silence, by garbage.
//
// The package thinks nothing up: a request for which no answer is queued is
// refused with a status that is not retried.
//
// The package stands above the core of pith (the root, format and store): its API
// may still change.
//
// Stability: outside the core. Its exported names may still change.
package llmtest
