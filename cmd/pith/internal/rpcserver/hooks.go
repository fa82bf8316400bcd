package rpcserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// hookNames are the hooks that a client can answer, named like pi's events.
var hookNames = map[string]bool{
	"session_before_compact": true, "session_compact": true, "session_compact_failed": true,
	"session_before_tree": true, "session_tree": true,
	"session_before_fork": true, "session_before_switch": true, "session_start": true, "session_shutdown": true,
	"session_info_changed": true, "before_agent_start": true, "turn_end": true, "agent_before_settle": true,
}

// asHooks returns hooks that ask the client. A hook that the client does not
// answer has no effect.
//
// A conversation starts before the client can set its hooks, so setHooks
// reports the start. If a request that is served before all others closes a
// conversation, the client's answer cannot be read, so the end is not reported.
func (l *live) asHooks() agent.Hooks {
	return agent.Hooks{
		Start: func(ctx context.Context, e agent.SwitchEvent) error {
			if e.Reason == agent.ReasonStartup {
				return nil
			}
			return l.inform(ctx, "session_start", reasons(e.Reason, "previousSessionFile", e.OtherFile))
		},
		Shutdown: func(ctx context.Context, e agent.SwitchEvent) error {
			if e.Reason == agent.ReasonQuit && !l.closing.Load() {
				return nil
			}
			return l.inform(ctx, "session_shutdown", reasons(e.Reason, "targetSessionFile", e.OtherFile))
		},
		BeforeSwitch:  l.beforeSwitch,
		BeforeCompact: l.beforeCompact,
		Compacted:     l.compacted,
		BeforeTree:    l.beforeTree,
		Tree:          l.tree,
		Renamed:       l.renamed,
		BeforePrompt:  l.beforePrompt,
		TurnEnd:       l.turnEnd,
		BeforeSettle:  l.beforeSettle,
	}
}

// greet reports the start of the session to the client, once, when the client
// first sets that hook. It waits for the answer, so the reader of the input
// must not call it. Other hooks wait until it is done.
func (l *live) greet(limit time.Duration) {
	defer close(l.greeted)
	a := l.question(context.Background(), "session_start", reasons(agent.ReasonStartup, "previousSessionFile", ""), limit)
	l.hookFailed("Start", a.err)
}

// hookFailed reports the failure of a hook that no call waited for, unless the
// conversation or the client has ended.
func (l *live) hookFailed(name string, err error) {
	if err != nil && !errors.Is(err, errClientGone) && !errors.Is(err, context.Canceled) {
		l.notify(&agent.Problem{Hook: name, Err: err})
	}
}

func reasons(why agent.Reason, file, path string) object {
	return object{}.Text("reason", string(why)).TextOrNull(file, path)
}

// consult asks the client and returns its answer, which is empty if the client
// does not answer this hook.
func (l *live) consult(ctx context.Context, name string, about object) hookAnswer {
	l.mu.Lock()
	wanted, limit, greeted := l.hooks[name], l.limit, l.greeted
	l.mu.Unlock()
	if !wanted {
		return noAnswer(nil)
	}
	if greeted != nil {
		select {
		case <-greeted:
		case <-ctx.Done():
			return noAnswer(ctx.Err())
		}
	}
	return l.question(ctx, name, about, limit)
}

// wants reports whether the client answers a hook, so that expensive parameters
// are built only if it does.
func (l *live) wants(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hooks[name]
}

func (l *live) question(ctx context.Context, name string, about object, limit time.Duration) hookAnswer {
	raw, err := l.server.ask(ctx, "hook/"+name, object{}.Text("session", l.handle).Join(about), limit)
	if err == nil && !jsonl.IsNull(raw) && jsonl.KindOf(raw) != '{' {
		err = fmt.Errorf("hook/%s: the answer must be an object or null, not %s", name, describe(raw))
	}
	if err != nil {
		return noAnswer(err)
	}
	return hookAnswer{params: readParams(hookMembers(), raw)}
}

// inform notifies the client and waits for its acknowledgment.
func (l *live) inform(ctx context.Context, name string, about object) error {
	return l.consult(ctx, name, about).err
}

// hookMembers are the members of the answer to a hook, contentMembers those of
// its compaction or summary, and messageMembers those of a message for the
// model.
var (
	hookMembers = sync.OnceValue(func() []parameter {
		return parameters("cancel:flag?, compaction:object?, summary:object?, details:any?, customInstructions|instructions?, replaceInstructions:flag?, label?, " +
			"message:any?, messages:any?, systemPrompt?, entries:list of entries?, continue:flag?")
	})
	contentMembers = sync.OnceValue(func() []parameter {
		return parameters("summary, firstKeptEntryId?, tokensBefore:whole?, details:any?, usage:object?")
	})
	messageMembers = sync.OnceValue(func() []parameter {
		return parameters("customType, content:content, display:flag?, details:any?")
	})
)

// A hookAnswer is a client's answer to a hook.
type hookAnswer struct {
	*params
	err error // why there is no answer
}

// noAnswer returns an empty answer.
func noAnswer(err error) hookAnswer { return hookAnswer{readParams(hookMembers(), nil), err} }

// check returns the error of a missing or malformed answer, or agent.ErrCancelled
// if the answer cancels.
func (a hookAnswer) check() error {
	if err := cmp.Or(a.err, a.bad); err != nil {
		return err
	}
	if a.flag("cancel") {
		return agent.ErrCancelled
	}
	return nil
}

// words returns a text of the answer; nil if there is none.
func (a hookAnswer) words(name string) *string {
	return optional(a.params, name, a.text)
}

// members returns the members of an object in the answer; nil if there is none.
func (a hookAnswer) members(name string, known []parameter) *params {
	if raw := a.json(name); raw != nil && a.bad == nil {
		return readParams(known, raw)
	}
	return nil
}

// take keeps the first error of a part of the answer.
func (a hookAnswer) take(part *params) {
	if a.bad == nil {
		a.bad = part.bad
	}
}
