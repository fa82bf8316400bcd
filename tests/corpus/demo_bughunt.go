package corpus

import "fmt"

const parcelCwd = "/home/mira/src/parcel-tracker"

// bugHunt: customers get the same mail twice. The first idea, a mutex, only
// hides it; going back, the real cause turns up.
func bugHunt() *script {
	s := newScript(101, parcelCwd, day(3, 2, 9, 14), "")
	reproduced := bugHuntOpening(s)
	wrong := s.user("looks like a race then. put a mutex around notify() and see")
	s.calling(
		said("Adding a mutex around the check and the send."),
		s.edit("internal/notify/worker.go",
			"\tif !w.sent[p.ID] {\n\t\tw.mail.Send(p)\n\t\tw.sent[p.ID] = true\n\t}\n",
			"\tw.mu.Lock()\n\tdefer w.mu.Unlock()\n\tif !w.sent[p.ID] {\n\t\tw.mail.Send(p)\n\t\tw.sent[p.ID] = true\n\t}\n"),
		s.bash("go test -race -run TestDuplicateMail -count=20 ./internal/notify"),
	)
	s.edited("internal/notify/worker.go", 48, ""+
		"  46 func (w *Worker) notify(p Parcel) {\n"+
		"+ 47 \tw.mu.Lock()\n+ 48 \tdefer w.mu.Unlock()\n"+
		"  49 \tif !w.sent[p.ID] {\n")
	s.failed("--- FAIL: TestDuplicateMail (0.31s)\n    worker_test.go:88: parcel P-1042: 2 mails, want 1\nFAIL\nFAIL\tparcel-tracker/internal/notify\t4.102s\n\n" +
		"Command exited with code 1")
	s.answer(said("Still two mails in 3 of 20 runs, and the race detector is quiet. So it is not a race inside one process: `sent` is a map in memory, " +
		"and the test starts **two** workers. Each has its own map. A mutex cannot help; I'd rather take this back out."))
	s.label(wrong, "dead end: mutex")

	s.goTo(reproduced)
	s.user("forget the mutex. where is the decision \"already sent\" stored, and who can see it?")
	s.calling(
		thought("Two workers, one queue. The queue redelivers when a worker does not acknowledge within the visibility timeout. "+
			"If sending takes longer than that, a second worker gets the same parcel while the first is still sending. "+
			"So the state must live where both can see it: in the database, written before the mail goes out."),
		s.bash("rg -n 'VisibilityTimeout|sent\\[' internal config"),
		s.read("internal/queue/lease.go"),
	)
	s.result("config/default.yaml:12:  visibilityTimeout: 5s\ninternal/notify/worker.go:47:\tif !w.sent[p.ID] {\ninternal/notify/worker.go:49:\t\tw.sent[p.ID] = true\n")
	s.result("package queue\n\n// Lease hands out a message until it is acknowledged or the visibility\n// timeout passes, whichever is first.\n" +
		"func (q *Queue) Lease(ctx context.Context) (Message, error) {\n\treturn q.lease(ctx, q.cfg.VisibilityTimeout)\n}\n")
	cause := s.answer(said("**Cause.** The lease lasts 5 s, a slow mail server takes up to 8 s. After 5 s the queue hands the same parcel to the second worker, " +
		"which knows nothing of the first one's map.\n\n**Fix.** Record the intent in the database with a unique key *before* sending:\n\n" +
		"1. `INSERT INTO mails(parcel_id, event) VALUES (?, ?)` with a unique index,\n2. send only if the insert took place,\n" +
		"3. if sending fails, delete the row, so that a retry can send.\n\nThe timeout can stay as it is."))
	s.label(cause, "root cause")
	bugHuntFix(s)
	return s
}

// bugHuntOpening writes everything up to the reproduction and returns its id.
func bugHuntOpening(s *script) string {
	s.use(models[0])
	s.thinking("medium")
	s.user("customers complain about getting the \"your parcel is on its way\" mail twice. happens maybe once a day. logs are in tmp/notify.log")
	s.name("duplicate delivery mails")
	s.calling(
		said("I'll look at the log first, then at the worker that sends the mails."),
		s.bash("grep -c 'mail sent' tmp/notify.log; grep 'P-1042' tmp/notify.log"),
		s.read("internal/notify/worker.go"),
	)
	s.result("48213\n2026-03-01T17:20:01Z worker-2 lease P-1042\n2026-03-01T17:20:06Z worker-1 lease P-1042\n" +
		"2026-03-01T17:20:08Z worker-2 mail sent P-1042 event=dispatched\n2026-03-01T17:20:09Z worker-1 mail sent P-1042 event=dispatched\n")
	s.result("package notify\n\ntype Worker struct {\n\tmail Mailer\n\tsent map[string]bool\n}\n\nfunc (w *Worker) notify(p Parcel) {\n\tif !w.sent[p.ID] {\n" +
		"\t\tw.mail.Send(p)\n\t\tw.sent[p.ID] = true\n\t}\n}\n")
	s.calling(
		said("Two workers lease the same parcel 5 seconds apart. Let me write a test that shows it."),
		s.write("internal/notify/worker_test.go", "package notify\n\nfunc TestDuplicateMail(t *testing.T) {\n\tmails := runTwoWorkers(t, slowMailer(8*time.Second))\n"+
			"\tif n := mails[\"P-1042\"]; n != 1 {\n\t\tt.Errorf(\"parcel P-1042: %d mails, want 1\", n)\n\t}\n}\n"),
		s.bash("go test -run TestDuplicateMail ./internal/notify"),
	)
	s.result("Successfully wrote 214 bytes to internal/notify/worker_test.go")
	s.failed("--- FAIL: TestDuplicateMail (0.29s)\n    worker_test.go:88: parcel P-1042: 2 mails, want 1\nFAIL\n\nCommand exited with code 1")
	reproduced := s.answer(said("Reproduced: with two workers and a slow mail server the parcel gets 2 mails. The test fails every time, which is what we want for now."))
	return s.label(reproduced, "reproduced")
}

func bugHuntFix(s *script) {
	s.user("yes, do that. keep the test")
	s.calling(
		s.write("migrations/0017_mails.sql", "CREATE TABLE mails (\n\tparcel_id TEXT NOT NULL,\n\tevent     TEXT NOT NULL,\n\tPRIMARY KEY (parcel_id, event)\n);\n"),
		s.edit("internal/notify/worker.go",
			"\tif !w.sent[p.ID] {\n\t\tw.mail.Send(p)\n\t\tw.sent[p.ID] = true\n\t}\n",
			"\tfirst, err := w.mails.Claim(ctx, p.ID, p.Event)\n\tif err != nil || !first {\n\t\treturn err\n\t}\n\tif err := w.mail.Send(p); err != nil {\n"+
				"\t\treturn errors.Join(err, w.mails.Release(ctx, p.ID, p.Event))\n\t}\n\treturn nil\n"),
		s.bash("go test -race -count=20 ./internal/notify"),
	)
	s.result("Successfully wrote 112 bytes to migrations/0017_mails.sql")
	s.edited("internal/notify/worker.go", 47, ""+
		"  46 func (w *Worker) notify(ctx context.Context, p Parcel) error {\n"+
		"- 47 \tif !w.sent[p.ID] {\n- 48 \t\tw.mail.Send(p)\n- 49 \t\tw.sent[p.ID] = true\n- 50 \t}\n"+
		"+ 47 \tfirst, err := w.mails.Claim(ctx, p.ID, p.Event)\n+ 48 \tif err != nil || !first {\n+ 49 \t\treturn err\n+ 50 \t}\n")
	s.result("ok  \tparcel-tracker/internal/notify\t5.870s\n")
	s.answer(said("Done. 20 of 20 runs pass with `-race`. The map in memory is gone; `mails` decides, and both workers see it."))
	s.shell("git commit -qam 'send each delivery mail once' && git log --oneline -1", "9c41e07 send each delivery mail once\n", 0)
}

// bugHuntFork goes on from the reproduction in a file of its own. As in every
// fork, the entries before that are those of the parent, ids and all.
func bugHuntFork(parent string) *script {
	s := blankScript(101, parcelCwd, day(3, 2, 9, 14))
	bugHuntOpening(s)
	copied := s.out.String()
	s.out.Reset()
	s.start = day(3, 2, 11, 2)
	s.now = s.start.UnixMilli()
	s.id = uuid7(s.start, 102, 102)
	s.raw(fmt.Sprintf(`{"type":"session","version":3,"id":%s,"timestamp":%s,"cwd":%s,"parentSession":%s}`,
		js(s.id), appendTime(nil, s.now), js(s.cwd), js(parent)))
	s.out.WriteString(copied)
	s.user("side question, before we fix anything: how many customers were hit last month?")
	s.calling(s.bash("awk '/mail sent/{k=$5\" \"$6; n[k]++} END{for(k in n) if(n[k]>1) c++; print c}' tmp/notify.log"))
	s.result("37\n")
	s.answer(said("37 parcels got the same mail twice in the log, out of 48,213 mails: about 0.08 %. All of them within 10 seconds of each other, which fits the " +
		"slow mail server. 🐌"))
	s.name("duplicate mails: how many?")
	return s
}
