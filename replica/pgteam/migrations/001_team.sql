-- Who may see what. A person is a role of the database, and owns the logs whose names
-- begin with it. session_user cannot be forged by who has SQL; a setting can.

ALTER TABLE {schema}.log ADD COLUMN owner name NOT NULL DEFAULT session_user;

-- What people let others read: one session, or all of theirs where it is ''. The
-- grantee is a role, of one person or of a group, or 'public' for everybody.
CREATE TABLE {schema}.grants (
	owner   name NOT NULL DEFAULT session_user,
	session text COLLATE "C" NOT NULL DEFAULT '',
	grantee name NOT NULL,
	PRIMARY KEY (owner, session, grantee)
);

-- It runs with the rights of its owner, so that who asks need not see the grants.
CREATE FUNCTION {schema}.may_read(of_owner name, what text) RETURNS boolean
	LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
	SELECT EXISTS (SELECT FROM {schema}.grants g WHERE g.owner = of_owner AND g.session IN ('', what)
		AND (g.grantee = 'public' OR EXISTS (SELECT FROM pg_catalog.pg_roles r
			WHERE r.rolname = g.grantee AND pg_catalog.pg_has_role(session_user, r.oid, 'member'))))
$$;

ALTER TABLE {schema}.log ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.log FORCE ROW LEVEL SECURITY;
ALTER TABLE {schema}.chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.chunk FORCE ROW LEVEL SECURITY;
ALTER TABLE {schema}.learnt ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.learnt FORCE ROW LEVEL SECURITY;
ALTER TABLE {schema}.grants ENABLE ROW LEVEL SECURITY;

-- The key is checked too: who could make up keys would learn by a conflict which
-- sessions others have.
CREATE POLICY own ON {schema}.log USING (owner = session_user) WITH CHECK (
	owner = session_user
	AND substr(name, 1, octet_length(session_user::text) + 2) = convert_to('/' || session_user || '/', 'UTF8')
	AND (key IS NULL OR key = sha256(name)));
CREATE POLICY granted ON {schema}.log FOR SELECT USING (
	key IS NOT NULL AND owner <> session_user AND {schema}.may_read(owner, split_part(encode(name, 'escape'), '/', 4)));

CREATE POLICY own ON {schema}.chunk USING (
	EXISTS (SELECT FROM {schema}.log l WHERE l.id = chunk.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.chunk FOR SELECT USING (
	EXISTS (SELECT FROM {schema}.log l WHERE l.id = chunk.log));

CREATE POLICY own ON {schema}.learnt USING (
	EXISTS (SELECT FROM {schema}.log l WHERE l.id = learnt.log AND l.owner = session_user));

CREATE POLICY own ON {schema}.grants USING (owner = session_user);
