package corpus

import (
	"fmt"
	"time"
)

// oldFormat is a file of the first format version: a linear list without ids,
// the model in the header, a compaction that counts lines, and a message of a
// hook under its old role.
func oldFormat() *script {
	s := blankScript(106, "/home/mira/src/weather-bot", time.Date(2025, 11, 11, 20, 15, 12, 418e6, time.UTC))
	s.raw(fmt.Sprintf(`{"type":"session","id":%s,"timestamp":%s,"cwd":%s,"provider":"anthropic","modelId":"claude-sonnet-4-5","thinkingLevel":"off"}`,
		js(s.id), appendTime(nil, s.now), js(s.cwd)))
	message := func(body string) {
		s.pass(20)
		s.raw(fmt.Sprintf(`{"type":"message","timestamp":%s,"message":%s}`, appendTime(nil, s.now), body))
	}
	user := func(text string) {
		message(fmt.Sprintf(`{"role":"user","content":[%s],"timestamp":%d}`, said(text), s.now))
	}
	assistant := func(content block, stopReason string) {
		message(fmt.Sprintf(`{"role":"assistant","content":[%s],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5",`+
			`"usage":{"input":812,"output":96,"cacheRead":0,"cacheWrite":0,"cost":{"input":0.002436,"output":0.00144,"cacheRead":0,"cacheWrite":0,"total":0.003876}},`+
			`"stopReason":"%s","timestamp":%d}`, content, stopReason, s.now))
	}
	user("the bot posts the forecast at 7 UTC, it should be 7 in the channel's own time zone")
	assistant(block(`{"type":"toolCall","id":"toolu_01Rk2wq8Yc","name":"read","arguments":{"path":"bot/schedule.py"}}`), "toolUse")
	message(fmt.Sprintf(`{"role":"toolResult","toolCallId":"toolu_01Rk2wq8Yc","toolName":"read","content":[%s],"isError":false,"timestamp":%d}`,
		said("def due(channel, now):\n    return now.hour == 7\n"), s.now))
	assistant(said("`due` compares with UTC. Channels already have a `tz` field that nobody uses; I'd convert `now` before comparing."), "stop")
	user("yes")
	assistant(said("Done: `now.astimezone(channel.tz).hour == 7`. Channels without a zone keep UTC."), "stop")
	message(fmt.Sprintf(`{"role":"hookMessage","customType":"lint","content":"ruff: 0 problems","display":true,"timestamp":%d}`, s.now))
	s.pass(9)
	s.raw(fmt.Sprintf(`{"type":"compaction","timestamp":%s,"summary":%s,"firstKeptEntryIndex":5,"tokensBefore":3120}`,
		appendTime(nil, s.now), js("The bot now posts at 7 in each channel's own time zone; channels without one use UTC.")))
	s.pass(9)
	s.raw(fmt.Sprintf(`{"type":"thinking_level_change","timestamp":%s,"thinkingLevel":"low"}`, appendTime(nil, s.now)))
	user("and what happens on the day the clocks change?")
	assistant(said("On that day 7 local still comes exactly once, because the jump is at 2 or 3 in the night. No change needed."), "stop")
	return s
}

// damaged is a session whose last line was cut off, with nothing after it.
func damaged() *script {
	s := newScript(107, "/home/jonas/work/backup-tool", day(7, 1, 23, 51), "")
	s.use(models[1])
	s.user("the nightly backup stopped at 3 am, can you find out why? log is in /var/log/backup.log")
	s.name("backup stops at night")
	s.calling(said("Looking at the end of the log."), s.bash("tail -3 /var/log/backup.log; df -h /backup | tail -1"))
	s.result("03:00:01 snapshot home@2026-07-01\n03:04:17 upload 61%\n03:04:18 write error: No space left on device\n/dev/sdb1       917G  917G     0 100% /backup\n")
	s.answer(said("The backup disk is full: 917 of 917 GB. The job itself is fine. Old snapshots are never removed, because `keep` is commented out in the configuration."))
	s.user("set keep to 14 days and run it again")
	s.calling(s.edit("/etc/backup.toml", "# keep = 30", "keep = 14"), s.bash("backup prune && backup run"))
	s.edited("/etc/backup.toml", 9, "- 9 # keep = 30\n+ 9 keep = 14\n")
	s.result("removed 41 snapshots, 388 GB freed\n23:58:40 snapshot home@2026-07-01\n23:59:02 upload 100%\n")
	s.answer(said("Pruned and uploaded. The next runs keep 14 days."))
	s.user("thanks! please also write that down in the runbook")
	whole := s.out.Len()
	s.answer(said("I've added a section “Disk full” to docs/runbook.md: how to see it, what `keep` does, and how to prune by hand."))
	// The write stopped in the middle of the text: no closing, no newline.
	s.out.Truncate(whole + (s.out.Len()-whole)*2/5)
	return s
}
