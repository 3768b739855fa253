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

-- Signs the cookies of the console, so that every replica refuses invented ones at once. It does not sign anyone in.
CREATE TABLE console_key (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  key      bytea NOT NULL CHECK (octet_length(key) = 32)
);
-- Two random UUIDs have 244 random bits.
INSERT INTO console_key (key) VALUES (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));

GRANT SELECT, INSERT, DELETE ON console_session TO api;
GRANT SELECT ON console_key TO api;
