-- Documents of the operator, which the poller stores and the archive API serves.

DO $$ BEGIN
  IF to_regrole('poller') IS NULL THEN
    RAISE EXCEPTION 'The role poller is missing. Create it as docs/operate/databases.md describes, then apply the migrations again.';
  END IF;
END $$;
GRANT USAGE ON SCHEMA subscriber TO poller;

CREATE TABLE document (
  -- The id of the event that announces the document.
  document_id uuid PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('invoice')),
  participant text NOT NULL,
  market      text NOT NULL,
  period_from date NOT NULL,
  designation text NOT NULL,
  -- The operator's identifier, and the digest of the version that the document belongs to.
  reference   text NOT NULL,
  version     text NOT NULL,
  sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  bytes       bigint NOT NULL CHECK (bytes > 0),
  stored_at   timestamptz NOT NULL,
  UNIQUE (participant, market, period_from, designation, reference, version, kind)
);
CREATE INDEX document_stored_at ON document (stored_at, document_id);
CREATE INDEX document_participant ON document (participant, stored_at, document_id);

CREATE TABLE document_content (
  document_id uuid PRIMARY KEY REFERENCES document ON DELETE CASCADE,
  content     bytea NOT NULL
);
-- A PDF is compressed already, and a part of an uncompressed value is read without the rest.
ALTER TABLE document_content ALTER COLUMN content SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, DELETE ON document TO poller;
GRANT SELECT, INSERT ON document_content TO poller;
GRANT SELECT ON migration TO poller;
GRANT SELECT ON document, document_content TO api;
