-- The first bytes of a name are written with it: for each row that changes, the server
-- reads how a generated column is made, though the name stays. That was a tenth of an
-- append. Logs without a name are found by the index of keys.
ALTER TABLE {schema}.log ALTER COLUMN head DROP EXPRESSION;
ALTER TABLE {schema}.log ALTER COLUMN head SET NOT NULL;
DROP INDEX {schema}.log_nameless;
