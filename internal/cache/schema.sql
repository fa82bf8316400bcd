-- A session file, as it was when it was read. The facts are those of its first
-- size bytes, and so are its rows in response and touched; read_to is where
-- reading can continue, or 0.
CREATE TABLE file (
	id INTEGER PRIMARY KEY,
	brief_sum INTEGER NOT NULL, sum INTEGER NOT NULL, -- checksums of the columns of file_path and of all columns
	path TEXT NOT NULL, dev INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
	kind INTEGER NOT NULL, -- how much of the file was read
	session TEXT NOT NULL, cwd TEXT NOT NULL, parent TEXT NOT NULL, version INTEGER NOT NULL,
	internal INTEGER NOT NULL, archived INTEGER NOT NULL, created TEXT NOT NULL, used INTEGER NOT NULL,
	header_title TEXT NOT NULL, slot_title TEXT NOT NULL, record_title TEXT NOT NULL, name TEXT NOT NULL, named INTEGER NOT NULL, program INTEGER NOT NULL,
	model TEXT NOT NULL, first_text TEXT NOT NULL, other_text TEXT NOT NULL,
	status INTEGER NOT NULL, messages INTEGER NOT NULL, entries INTEGER NOT NULL, findings INTEGER NOT NULL, branches INTEGER NOT NULL, activity INTEGER NOT NULL,
	input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, tokens INTEGER NOT NULL, cost INTEGER NOT NULL, unpriced INTEGER NOT NULL,
	unpriced_calls TEXT NOT NULL, -- JSON: sums of the calls without a recorded cost, from which it is estimated
	read_to INTEGER NOT NULL, head_hash INTEGER NOT NULL, tail_hash INTEGER NOT NULL, -- of the first bytes, and of those before read_to
	last_entry TEXT NOT NULL, branch_ends TEXT NOT NULL, -- JSON: the status at the other entries without children
	-- How many rows of the file are in response and touched, with their checksums; -1 if
	-- they were not collected.
	responses INTEGER NOT NULL, responses_sum INTEGER NOT NULL, touches INTEGER NOT NULL, touches_sum INTEGER NOT NULL,
	runs INTEGER NOT NULL, -- the file may have results of subagents
	open_calls TEXT NOT NULL -- JSON: calls without results, from which touched continues
);
-- What a list needs to tell that a file is unchanged.
CREATE INDEX file_path ON file (path, dev, ino, size, mtime, kind, session, cwd, version, internal, used, responses, touches, brief_sum);

-- A session file whose entries before read_to are in entry and word, as it was
-- then. The ids of its entries are between first and last.
CREATE TABLE indexed (
	id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,
	dev INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
	read_to INTEGER NOT NULL, tail_hash INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
	sum INTEGER NOT NULL -- checksum of the numbers before it
);
-- The line of an entry that contains text. Ids grow with reading.
CREATE TABLE entry (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, role INTEGER NOT NULL, sum INTEGER NOT NULL);
-- The words of entries, by their ids. Words are folded and separated by spaces
-- before, by the code that verifies a match, so that both agree.
CREATE VIRTUAL TABLE word USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE word_count USING fts5vocab(word, row);

-- A response of a model, once in each file that contains it. Those with the same
-- key are copies of each other.
CREATE TABLE response (
	file INTEGER NOT NULL, n INTEGER NOT NULL, key_high INTEGER NOT NULL, key_low INTEGER NOT NULL,
	at INTEGER NOT NULL, -- milliseconds; the least number if the record has no time
	model TEXT NOT NULL, kind TEXT NOT NULL,
	input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL,
	tokens INTEGER NOT NULL, cost INTEGER NOT NULL, unpriced INTEGER NOT NULL, entry TEXT NOT NULL, call TEXT NOT NULL,
	PRIMARY KEY (file, n)
) WITHOUT ROWID;
-- A file that a tool call touched, and where the call and its result are.
CREATE TABLE touched (
	file INTEGER NOT NULL, n INTEGER NOT NULL, path TEXT NOT NULL, renamed_from TEXT NOT NULL, reads INTEGER NOT NULL,
	call_at INTEGER NOT NULL, call_size INTEGER NOT NULL, result_at INTEGER NOT NULL, result_size INTEGER NOT NULL,
	PRIMARY KEY (file, n)
) WITHOUT ROWID;
