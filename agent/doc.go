// Package agent runs a live conversation over a session: it sends prompts to a
// model, runs the tools that the model calls, and keeps the conversation within
// the model's context window by compaction.
//
// A [Conversation] wraps one [pith.Session] at a time. Fork, Clone, New and
// Switch replace it. Subscribers receive an [Event] for everything that
// happens; [Hooks] influence what happens.
//
//	s, err := pith.Create(pith.Options{Cwd: cwd})
//	...
//	c, err := agent.New(s, agent.Config{Client: client, Tools: tools})
//	...
//	defer c.Close()
//	answer, err := c.Prompt(ctx, "What does this project do?")
//
// The package ships no tools, no prompts and no user interface, reads no
// settings and opens no connections: the caller provides them in a [Config].
//
// # Invariants
//
//	A1  A MessageEnd is sent only when the message is in the session. If a message
//	    cannot be written, the run ends with the error.
//	A2  Every tool call of an accepted response gets a result in the session, in the
//	    order of the calls. A call that was interrupted or never started gets a
//	    result that says so.
//	A3  Runs, compactions, navigations and switches exclude each other.
//	A4  A summary that failed, was aborted or is empty changes nothing.
//	A5  Automatic compaction terminates: one recovery for each user input, and a
//	    bounded number of attempts that do not help.
//	A6  Opening, resuming and switching write nothing. The model and the thinking
//	    level are recorded with the next prompt if the session says otherwise, and
//	    so are tools if the session records tools.
//	A7  No goroutine outlives Close.
//	A8  A recorded message is written to the session that it was recorded for, or
//	    the failure is reported.
//
// Stability: outside the core. Its exported names may still change.
package agent
