-- Scopes are separated by spaces. Secrets are hashes in JSON.
CREATE TABLE account (
  client_id text PRIMARY KEY,
  scopes text NOT NULL,
  secret text NOT NULL,
  previous_secret text,
  previous_until timestamptz,
  bound boolean NOT NULL,
  disabled boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON account TO token;

-- encrypted_key is the private key, encrypted with the secret of KEY_SECRET_FILE.
CREATE TABLE signing_key (
  key_id text PRIMARY KEY,
  signs_from timestamptz NOT NULL,
  encrypted_key bytea NOT NULL
);
GRANT SELECT, INSERT, DELETE ON signing_key TO token;
