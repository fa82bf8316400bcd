-- Lets members call the functions. They get no right on the tables but to read their
-- version.

-- Concurrent grants conflict, so take turns.
DO $$ BEGIN
	PERFORM FROM {schema}.version WHERE component = 'team' FOR UPDATE;
END $$;
GRANT USAGE ON SCHEMA {schema} TO {members};
GRANT SELECT ON {schema}.version TO {members};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {members};

-- The counters of tables, indexes and functions tell how much others have. Only those who
-- monitor the server may read them. Only a superuser can change that.
DO $$ DECLARE o record; BEGIN
	IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
		RETURN;
	END IF;
	FOR o IN SELECT format('TABLE %I.%I', n.nspname, c.relname) AS it FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = 'pg_catalog' AND c.relkind = 'v' AND c.relname ~ '^pg_stat(io)?_(xact_)?(all|user|sys)_'
		UNION ALL SELECT 'FUNCTION ' || p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
			WHERE n.nspname = 'pg_catalog' AND p.pronargs = 1 AND p.proname ~ '^pg_stat_get_(xact_)?(numscans|tuples|live_tuples|dead_tuples|mod_since|ins_since|blocks|function|lastscan)' LOOP
		EXECUTE 'REVOKE ALL ON ' || o.it || ' FROM PUBLIC';
		EXECUTE 'GRANT ' || CASE WHEN o.it ~ '^TABLE' THEN 'SELECT' ELSE 'EXECUTE' END || ' ON ' || o.it || ' TO pg_monitor';
	END LOOP;
END $$;
