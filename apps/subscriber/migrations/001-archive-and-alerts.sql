-- Documents, and everything else that a message brought along, are text: a typed column would round digits, or refuse what was sent.
-- Only times of the bridge itself are timestamps.

-- Replicas that run. The number of a row is the fencing token of one term of one replica.
CREATE TABLE replica (
  fencing_token bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL,
  process_id    uuid NOT NULL DEFAULT gen_random_uuid(),
  expires_at    timestamptz NOT NULL
);

-- Who reads the channels. The token grows each time the holder changes.
CREATE TABLE reader_lease (
  client_id     text PRIMARY KEY,
  holder        bigint REFERENCES replica ON DELETE SET NULL,
  fencing_token bigint NOT NULL
);

CREATE TABLE inbox (
  event_id    text COLLATE "C" PRIMARY KEY,
  received_at timestamptz NOT NULL
);

CREATE TABLE archive (
  position       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id       text COLLATE "C" NOT NULL UNIQUE REFERENCES inbox (event_id),
  type           text NOT NULL,
  subject        text COLLATE "C" NOT NULL,
  participant    text NOT NULL,
  sequence       text COLLATE "C" NOT NULL,
  time           text NOT NULL,
  detected_at    text NOT NULL,
  channel        text NOT NULL,
  message_id     text NOT NULL,
  sender         text NOT NULL,
  origin         text NOT NULL,
  signature      text NOT NULL,
  appended_at_nanos numeric NOT NULL,
  archived_at    timestamptz NOT NULL,
  event          text NOT NULL
);

CREATE TABLE alert_outbox (
  event_id     text COLLATE "C" NOT NULL REFERENCES archive (event_id),
  sink         text NOT NULL,
  alert        boolean NOT NULL,
  subject      text COLLATE "C" NOT NULL,
  sequence     text COLLATE "C" NOT NULL,
  position     bigint NOT NULL,
  attempts     integer NOT NULL DEFAULT 0,
  last_outcome text,
  delivered_at timestamptz,
  PRIMARY KEY (event_id, sink)
);
CREATE INDEX alert_outbox_pending ON alert_outbox (sink, subject, sequence, position) WHERE delivered_at IS NULL;

-- The alerts of a subject for a sink: how many are pending, when the next attempt is due, and the fencing token of the replica that delivers
-- them. Rows of this table are never removed: transactions that add and deliver alerts lock them.
CREATE TABLE alert_subject (
  sink            text NOT NULL,
  subject         text COLLATE "C" NOT NULL,
  pending         integer NOT NULL CHECK (pending >= 0),
  next_attempt_at timestamptz NOT NULL,
  claimed_by      bigint REFERENCES replica ON DELETE SET NULL,
  PRIMARY KEY (sink, subject)
);
CREATE INDEX alert_subject_due ON alert_subject (sink, next_attempt_at, subject) WHERE pending > 0;
-- For the removal of a replica.
CREATE INDEX alert_subject_claimed ON alert_subject (claimed_by) WHERE claimed_by IS NOT NULL;

CREATE TABLE quarantine (
  position       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel        text NOT NULL,
  message_id     text NOT NULL,
  topic          text,
  transaction_id text,
  sender         text NOT NULL,
  signature      text NOT NULL,
  appended_at_nanos numeric NOT NULL,
  reason         text NOT NULL,
  detail         text NOT NULL,
  payload        bytea NOT NULL,
  payload_bytes  integer NOT NULL,
  quarantined_at timestamptz NOT NULL,
  UNIQUE (channel, message_id)
);

-- What was received is never changed or removed by the app.
GRANT SELECT, INSERT ON inbox, archive, quarantine TO subscriber;
GRANT SELECT, INSERT, UPDATE ON alert_outbox, alert_subject, reader_lease TO subscriber;
GRANT SELECT, INSERT, UPDATE, DELETE ON replica TO subscriber;
