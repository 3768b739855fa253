-- The highest sequence of each subject, kept indefinitely: it recognises replays of events whose id is no longer held.
CREATE TABLE subject_sequence (
  subject text COLLATE "C" PRIMARY KEY,
  highest text COLLATE "C" NOT NULL
);
INSERT INTO subject_sequence (subject, highest) SELECT subject, max(sequence) FROM archive GROUP BY subject;

-- Types whose ids are deleted from the inbox: ids of events signed before this time may be gone. The function that deletes them sets it.
CREATE TABLE inbox_horizon (
  type       text PRIMARY KEY,
  held_since timestamptz NOT NULL
);

-- Facts published before this time are archived without an alert, unless CONFIG_FILE names another time. It never changes.
CREATE TABLE participant (
  code         text PRIMARY KEY,
  alerts_since timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO participant (code, alerts_since) SELECT participant, min(archived_at) FROM archive GROUP BY participant;

-- The alert of a present state that is older than alerts_since. It is withdrawn when a newer event of its subject arrives before it is due.
ALTER TABLE alert_outbox ADD COLUMN held boolean NOT NULL DEFAULT false;

-- A trusted gateway or bridge signed the message. Unknown for earlier messages.
ALTER TABLE quarantine ADD COLUMN trusted boolean NOT NULL DEFAULT false;
ALTER TABLE quarantine ADD COLUMN released_at timestamptz;

-- One row: the payload bytes of the open messages of trusted and of unknown senders, and the fingerprint of what decided the verdicts when all of them were last evaluated.
CREATE TABLE quarantine_status (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  trusted_bytes   bigint NOT NULL DEFAULT 0,
  untrusted_bytes bigint NOT NULL,
  evaluated_with  text
);
INSERT INTO quarantine_status (untrusted_bytes) SELECT coalesce(sum(octet_length(payload)), 0) FROM quarantine;

-- Requests of "busbridge quarantine recheck". The replica that reads the channels fulfils them.
CREATE TABLE quarantine_recheck (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at  timestamptz,
  evaluated    integer NOT NULL DEFAULT 0,
  released     integer NOT NULL DEFAULT 0,
  failure      text
);
CREATE INDEX quarantine_recheck_open ON quarantine_recheck (id) WHERE finished_at IS NULL;

GRANT SELECT, INSERT, UPDATE ON subject_sequence TO subscriber;
GRANT SELECT ON inbox_horizon, participant TO subscriber;
GRANT INSERT (code) ON participant TO subscriber;
GRANT UPDATE (released_at) ON quarantine TO subscriber;
GRANT SELECT, UPDATE ON quarantine_status TO subscriber;
GRANT SELECT ON quarantine_recheck TO subscriber;
GRANT INSERT (requested_at) ON quarantine_recheck TO subscriber;
GRANT UPDATE (finished_at, evaluated, released, failure) ON quarantine_recheck TO subscriber;
