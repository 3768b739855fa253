-- Schemas and roles of the apps in the database bridge, with the passwords of their secrets; harmless when repeated.
-- The statements are those of "busbridge migrate --setup-sql bridge", and of "node apps/<app>/dist/src/migrate.js --setup-sql bridge" of token and
-- reporting; a test compares them.

SET client_min_messages = warning;

DO $$ BEGIN IF to_regrole('subscriber') IS NULL THEN CREATE ROLE subscriber LOGIN; COMMENT ON ROLE subscriber IS 'settlement-bus-bridge'; END IF; END $$;
DO $$ BEGIN IF to_regrole('subscriber_migration') IS NULL THEN CREATE ROLE subscriber_migration LOGIN; COMMENT ON ROLE subscriber_migration IS 'settlement-bus-bridge'; END IF; END $$;
DO $$ BEGIN IF to_regrole('api') IS NULL THEN CREATE ROLE api LOGIN; COMMENT ON ROLE api IS 'settlement-bus-bridge'; END IF; END $$;
DO $$ BEGIN IF to_regrole('poller') IS NULL THEN CREATE ROLE poller LOGIN; COMMENT ON ROLE poller IS 'settlement-bus-bridge'; END IF; END $$;
DO $$ BEGIN IF to_regrole('requests') IS NULL THEN CREATE ROLE requests NOLOGIN; COMMENT ON ROLE requests IS 'settlement-bus-bridge'; ELSIF shobj_description(to_regrole('requests'), 'pg_authid') IS DISTINCT FROM 'settlement-bus-bridge' THEN RAISE EXCEPTION 'The server has roles named requests that belong to something else. Use another server, or rename these roles.'; ELSE ALTER ROLE requests NOLOGIN PASSWORD NULL; END IF; END $$;
GRANT subscriber_migration TO CURRENT_USER;
REVOKE ALL ON DATABASE "bridge" FROM PUBLIC;
GRANT CONNECT ON DATABASE "bridge" TO subscriber, subscriber_migration, api, poller;
CREATE SCHEMA IF NOT EXISTS subscriber AUTHORIZATION subscriber_migration;
GRANT USAGE ON SCHEMA subscriber TO subscriber;
\set subscriber_password `cat /run/secrets/subscriber.password`
ALTER ROLE subscriber PASSWORD :'subscriber_password';
\set subscriber_migration_password `cat /run/secrets/subscriber-migration.password`
ALTER ROLE subscriber_migration PASSWORD :'subscriber_migration_password';
\set api_password `cat /run/secrets/api.password`
ALTER ROLE api PASSWORD :'api_password';
\set poller_password `cat /run/secrets/poller.password`
ALTER ROLE poller PASSWORD :'poller_password';

DO $$ BEGIN IF to_regrole('token') IS NULL THEN CREATE ROLE token LOGIN; COMMENT ON ROLE token IS 'settlement-bus-bridge'; END IF; END $$;
DO $$ BEGIN IF to_regrole('token_migration') IS NULL THEN CREATE ROLE token_migration LOGIN; COMMENT ON ROLE token_migration IS 'settlement-bus-bridge'; END IF; END $$;
GRANT token_migration TO CURRENT_USER;
REVOKE ALL ON DATABASE "bridge" FROM PUBLIC;
GRANT CONNECT ON DATABASE "bridge" TO token, token_migration;
CREATE SCHEMA IF NOT EXISTS token AUTHORIZATION token_migration;
GRANT USAGE ON SCHEMA token TO token;
\set token_password `cat /run/secrets/token.password`
ALTER ROLE token PASSWORD :'token_password';
\set token_migration_password `cat /run/secrets/token-migration.password`
ALTER ROLE token_migration PASSWORD :'token_migration_password';

DO $$ BEGIN IF to_regrole('reporting') IS NULL THEN CREATE ROLE reporting LOGIN; COMMENT ON ROLE reporting IS 'settlement-bus-bridge'; END IF; END $$;
DO $$ BEGIN IF to_regrole('reporting_migration') IS NULL THEN CREATE ROLE reporting_migration LOGIN; COMMENT ON ROLE reporting_migration IS 'settlement-bus-bridge'; END IF; END $$;
GRANT reporting_migration TO CURRENT_USER;
REVOKE ALL ON DATABASE "bridge" FROM PUBLIC;
GRANT CONNECT ON DATABASE "bridge" TO reporting, reporting_migration;
CREATE SCHEMA IF NOT EXISTS reporting AUTHORIZATION reporting_migration;
GRANT USAGE ON SCHEMA reporting TO reporting;
\set reporting_password `cat /run/secrets/reporting.password`
ALTER ROLE reporting PASSWORD :'reporting_password';
\set reporting_migration_password `cat /run/secrets/reporting-migration.password`
ALTER ROLE reporting_migration PASSWORD :'reporting_migration_password';
