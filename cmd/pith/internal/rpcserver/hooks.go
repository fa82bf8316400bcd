package rpcserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	var a hookAnswer
	if err == nil {
		err = signatureOf[hookAnswer]().read(raw, &a)
	}
	a.err = err
	return a
}

// inform notifies the client and waits for its acknowledgment.
func (l *live) inform(ctx context.Context, name string, about object) error {
	return l.consult(ctx, name, about).err
}

// A hookAnswer is a client's answer to a hook.
type hookAnswer struct {
	Cancel              bool             `json:"cancel"`
	Compaction          *draftCompaction `json:"compaction"`
	Summary             *draftCompaction `json:"summary"`
	Details             json.RawMessage  `json:"details"`
	Instructions        *string          `json:"customInstructions|instructions"`
	ReplaceInstructions *bool            `json:"replaceInstructions"`
	Label               *string          `json:"label"`
	Message             json.RawMessage  `json:"message"`
	Messages            json.RawMessage  `json:"messages"`
	SystemPrompt        *string          `json:"systemPrompt"`
	Entries             drafts           `json:"entries"`
	Continue            *bool            `json:"continue"`
	err                 error            // the reason for a missing or invalid answer
}

// noAnswer returns an empty answer.
func noAnswer(err error) hookAnswer { return hookAnswer{err: err} }

// check returns the error of a missing or malformed answer, or agent.ErrCancelled
// if the answer cancels.
func (a hookAnswer) check() error {
	if a.err == nil && a.Cancel {
		return agent.ErrCancelled
	}
	return a.err
}
