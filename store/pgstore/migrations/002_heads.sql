-- Names are found by their first bytes, which stand in a column of their own: where
-- policies decide who sees a row, an index over what a function makes of a column is
-- not used. Names can be longer than an index permits.
ALTER TABLE {schema}.log ADD COLUMN head bytea GENERATED ALWAYS AS (substr(name, 1, 512)) STORED;
DROP INDEX {schema}.log_name;
CREATE INDEX log_head ON {schema}.log (head, id) WHERE key IS NOT NULL;
