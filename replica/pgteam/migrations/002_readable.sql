-- Who may read what is asked once for a statement instead of once for each row, and by
-- index: a list of one person's logs must not look at those of all others.

CREATE INDEX log_owner ON {schema}.log (owner);
CREATE INDEX grants_grantee ON {schema}.grants (grantee);

-- What others let the one who asks read; session '' means all of the owner's. It runs
-- with the rights of its owner, so that who asks need not see the grants.
CREATE FUNCTION {schema}.readable() RETURNS TABLE (owner name, session text)
	LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$ BEGIN RETURN QUERY
	WITH RECURSIVE me AS (
		SELECT oid FROM pg_roles WHERE rolname = session_user
		UNION SELECT m.roleid FROM pg_auth_members m JOIN me ON m.member = me.oid)
	SELECT DISTINCT g.owner, g.session FROM {schema}.grants g WHERE g.owner <> session_user
		AND g.grantee IN (SELECT 'public'::name UNION ALL SELECT r.rolname FROM pg_roles r JOIN me ON r.oid = me.oid);
END $$;

DROP POLICY granted ON {schema}.log;
DROP FUNCTION {schema}.may_read(name, text);
CREATE POLICY granted ON {schema}.log FOR SELECT USING (key IS NOT NULL AND (
	owner = ANY (ARRAY(SELECT r.owner FROM {schema}.readable() r WHERE r.session = ''))
	OR owner = ANY (ARRAY(SELECT DISTINCT r.owner FROM {schema}.readable() r WHERE r.session <> ''))
		AND (owner, split_part(encode(name, 'escape'), '/', 4)) IN (SELECT r.owner, r.session FROM {schema}.readable() r)));
