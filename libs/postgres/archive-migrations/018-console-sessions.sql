-- Sessions of the console, which the archive API adds and ends.

CREATE TABLE console_session (
  -- SHA-256 of the id, which only the cookie of the browser has.
  session_hash bytea PRIMARY KEY CHECK (octet_length(session_hash) = 32),
  -- The same for all sessions of a person with the same credentials.
  person       text NOT NULL,
  -- How the person signed in, and what decides at each request whether the session still grants something.
  identity     jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL
);
CREATE INDEX console_session_person ON console_session (person, created_at);
CREATE INDEX console_session_expires_at ON console_session (expires_at);

GRANT SELECT, INSERT, DELETE ON console_session TO api;
