-- Which gateways and bridges were trusted on which channel, and when. The reader writes it before it verifies with a changed configuration.
CREATE TABLE trusted_key (
  channel       text COLLATE "C" NOT NULL,
  role          text NOT NULL CHECK (role IN ('gateway', 'origin')),
  -- With the checksum of EIP-55 and without a network.
  did           text COLLATE "C" NOT NULL,
  -- Of an origin: about whom it may announce facts, in the order of their codes.
  participants  text[] NOT NULL DEFAULT '{}',
  -- '-infinity': since before this table existed.
  trusted_from  timestamptz NOT NULL,
  trusted_until timestamptz,
  PRIMARY KEY (channel, role, did, trusted_from),
  CHECK (trusted_until >= trusted_from)
);
CREATE UNIQUE INDEX trusted_key_open ON trusted_key (channel, role, did) WHERE trusted_until IS NULL;

-- Keys that are in other hands since a time, as CONFIG_FILE says. withdrawn_at: the file no longer says so.
CREATE TABLE revoked_key (
  did           text COLLATE "C" NOT NULL,
  revoked_since timestamptz NOT NULL,
  comment       text,
  recorded_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  withdrawn_at  timestamptz,
  PRIMARY KEY (did, revoked_since)
);

-- The app never removes a row.
GRANT SELECT, INSERT ON trusted_key, revoked_key TO subscriber;
GRANT UPDATE (trusted_until) ON trusted_key TO subscriber;
GRANT UPDATE (comment, withdrawn_at) ON revoked_key TO subscriber;
GRANT SELECT ON trusted_key, revoked_key TO requests;
