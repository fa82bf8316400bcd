-- A log is a row with its length, and chunks of bytes that never change.
--
-- key is the SHA-256 of the name while the log has that name. A log that is being
-- written, was replaced or was removed has none; since says from when on. gen counts
-- how often the log got or lost a name, so that who has it open notices.
-- Bytes before merged are in chunks of full size.
CREATE TABLE {schema}.log (
	id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name   bytea NOT NULL,
	head   bytea NOT NULL,
	key    bytea UNIQUE,
	len    bigint NOT NULL DEFAULT 0,
	gen    bigint NOT NULL DEFAULT 0,
	merged bigint NOT NULL DEFAULT 0,
	since  timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- For finding names by how they begin. Names can be longer than an index permits, and an
-- index over what a function makes of a column is slower: head is the first 512 bytes.
CREATE INDEX log_head ON {schema}.log (head, id) WHERE key IS NOT NULL;

CREATE TABLE {schema}.chunk (
	log  bigint NOT NULL,
	off  bigint NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (log, off)
);

-- Faster both ways than the default, where the server has it (14, built with lz4).
DO $$ BEGIN
	EXECUTE 'ALTER TABLE {schema}.chunk ALTER COLUMN data SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error OR invalid_parameter_value THEN
	NULL;
END $$;
