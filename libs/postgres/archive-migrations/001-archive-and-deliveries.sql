-- Documents, and everything else that a message brought along, are text: a typed column would round digits, or refuse what was sent.
-- Only times of the bridge itself are timestamps.

-- Replicas that run. The number of a row is the fencing token of one term of one replica.
CREATE TABLE replica (
  fencing_token bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL,
  process_id    uuid NOT NULL DEFAULT gen_random_uuid(),
  expires_at    timestamptz NOT NULL
);

-- The replica that reads the channels. The token grows each time the holder changes.
CREATE TABLE reader_lease (
  client_id     text PRIMARY KEY,
  holder        bigint REFERENCES replica ON DELETE SET NULL,
  fencing_token bigint NOT NULL
);

-- Facts published before this time are archived without an alert, unless CONFIG_FILE names another time. It never changes.
CREATE TABLE participant (
  code         text PRIMARY KEY,
  alerts_since timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE inbox (
  event_id    text COLLATE "C" PRIMARY KEY,
  received_at timestamptz NOT NULL
);

-- Types whose ids are deleted from the inbox: ids of events signed before this time may be gone. The function that deletes them sets it.
CREATE TABLE inbox_horizon (
  type       text PRIMARY KEY,
  held_since timestamptz NOT NULL
);

CREATE TABLE archive (
  archive_offset    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id         text COLLATE "C" NOT NULL UNIQUE REFERENCES inbox (event_id),
  type             text NOT NULL,
  subject          text COLLATE "C" NOT NULL,
  participant      text NOT NULL,
  sequence         text COLLATE "C" NOT NULL,
  time             text NOT NULL,
  detected_at      text NOT NULL,
  channel          text NOT NULL,
  message_id       text NOT NULL,
  sender           text NOT NULL,
  origin           text NOT NULL,
  signature        text NOT NULL,
  appended_at_nanos numeric NOT NULL,
  archived_at      timestamptz NOT NULL,
  event            text NOT NULL,
  -- What a reader of an archived event must know besides the event: late, clockSkew, local.
  marks            text[] NOT NULL DEFAULT '{}',
  -- The version of the operator's document that an event announces; null for an event that announces none.
  document_version text COLLATE "C"
);
CREATE INDEX archive_document_version ON archive (document_version) WHERE document_version IS NOT NULL;
CREATE INDEX archive_heartbeat ON archive (archived_at) WHERE type = 'settlementbus.bridge.heartbeat.v1';

-- The highest sequence of each subject, kept indefinitely: it recognises replays of events whose id is no longer held.
CREATE TABLE subject_sequence (
  subject text COLLATE "C" PRIMARY KEY,
  highest text COLLATE "C" NOT NULL
);

-- One event for one sink. A delivery is pending while delivered_at is null, and parked while parked_until is set: its sink refused it, and delivered_at is 'infinity'.
-- urgent: a margin.breached or credit-support.short, sent before all others and never replaced. state: its event says how things are now, so a
-- newer one of its subject replaces it while it is pending.
CREATE TABLE delivery (
  event_id     text COLLATE "C" NOT NULL REFERENCES archive (event_id),
  sink         text NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('alert', 'notice')),
  subject      text COLLATE "C" NOT NULL,
  sequence     text COLLATE "C" NOT NULL,
  archive_offset bigint NOT NULL,
  attempts     integer NOT NULL DEFAULT 0,
  last_outcome text,
  delivered_at timestamptz,
  -- Announces a present state that is older than alerts_since. It is withdrawn when a newer event of its subject arrives before it is due.
  held         boolean NOT NULL DEFAULT false,
  urgent       boolean NOT NULL DEFAULT false,
  state        boolean NOT NULL DEFAULT false,
  replaced_by  text COLLATE "C",
  parked_at    timestamptz,
  parked_until timestamptz,
  -- The earliest retry of a parked delivery when its sink accepts another one.
  retry_from   timestamptz,
  PRIMARY KEY (event_id, sink)
);
CREATE INDEX delivery_pending ON delivery (sink, subject, sequence, archive_offset) WHERE delivered_at IS NULL;
CREATE INDEX delivery_state ON delivery (sink, subject, sequence, archive_offset) WHERE delivered_at IS NULL AND state;
CREATE INDEX delivery_parked ON delivery (sink, urgent, parked_until) WHERE parked_until IS NOT NULL;

-- The deliveries of a subject to a sink: how many are pending, when the next attempt is due, and the fencing token of the replica that delivers
-- them. Rows of this table are never removed: transactions that add deliveries or record their results lock them.
CREATE TABLE delivery_subject (
  sink            text NOT NULL,
  subject         text COLLATE "C" NOT NULL,
  pending         integer NOT NULL CHECK (pending >= 0),
  next_attempt_at timestamptz NOT NULL,
  claimed_by      bigint REFERENCES replica ON DELETE SET NULL,
  -- Pending deliveries of the subject: urgent ones and alerts. The priority is that of the most urgent one; 0 comes first.
  urgent          integer NOT NULL DEFAULT 0,
  alerts          integer NOT NULL DEFAULT 0,
  priority        smallint GENERATED ALWAYS AS (CASE WHEN urgent > 0 THEN 0 WHEN alerts > 0 THEN 1 ELSE 2 END) STORED,
  PRIMARY KEY (sink, subject)
);
CREATE INDEX delivery_subject_due ON delivery_subject (sink, priority, next_attempt_at, subject) WHERE pending > 0;
-- For the removal of a replica.
CREATE INDEX delivery_subject_claimed ON delivery_subject (claimed_by) WHERE claimed_by IS NOT NULL;

-- Sinks that failed, shared by all replicas. While failing_since is set, one delivery at a time is attempted, not before probe_at.
CREATE TABLE sink_state (
  sink          text PRIMARY KEY,
  failing_since timestamptz,
  failures      integer NOT NULL DEFAULT 0,
  last_outcome  text NOT NULL DEFAULT '',
  probe_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE quarantine (
  quarantine_offset bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel           text NOT NULL,
  message_id        text NOT NULL,
  topic             text,
  transaction_id    text,
  sender            text NOT NULL,
  signature         text NOT NULL,
  appended_at_nanos numeric NOT NULL,
  reason            text NOT NULL,
  detail            text NOT NULL,
  payload           bytea NOT NULL,
  payload_bytes     integer NOT NULL,
  quarantined_at    timestamptz NOT NULL,
  -- A trusted gateway or bridge signed the message.
  trusted           boolean NOT NULL DEFAULT false,
  released_at       timestamptz,
  UNIQUE (channel, message_id)
);

-- One row: the payload bytes of the open messages of trusted and of unknown senders, and the fingerprint of what decided the verdicts when all of them were last evaluated.
CREATE TABLE quarantine_status (
  only_row        boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  trusted_bytes   bigint NOT NULL DEFAULT 0,
  untrusted_bytes bigint NOT NULL,
  evaluated_with  text
);
INSERT INTO quarantine_status (untrusted_bytes) VALUES (0);

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

-- Faults of the subscriber, shared by all replicas. The key is the subject of the fault's events.
CREATE TABLE fault (
  key            text COLLATE "C" PRIMARY KEY,
  app            text NOT NULL,
  reason         text NOT NULL,
  participant    text NOT NULL,
  channel        text,
  sender         text,
  since          timestamptz NOT NULL,
  count          integer NOT NULL,
  detail         text,
  reported_count integer NOT NULL,
  reported_at    timestamptz,
  sequence       bigint NOT NULL,
  ended_at       timestamptz,
  call_ids       text[] NOT NULL,
  -- When each process last confirmed that the fault lasts, epoch milliseconds by process id.
  confirmed_at   jsonb NOT NULL DEFAULT '{}',
  interface      text,
  document       text
);

-- The reports of faults in the current hour, counted by reason. Transactions that change faults lock its only row.
CREATE TABLE report_allowance (
  only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  started_at timestamptz,
  sent       jsonb NOT NULL DEFAULT '{}',
  held_since timestamptz
);

-- The newest heartbeat of each participant and channel. `heartbeat_at` is its own time, at most `received_at`.
CREATE TABLE heartbeat (
  participant  text COLLATE "C" NOT NULL,
  channel      text COLLATE "C" NOT NULL,
  heartbeat_at timestamptz NOT NULL,
  received_at  timestamptz NOT NULL,
  polls        jsonb NOT NULL,
  PRIMARY KEY (participant, channel)
);

-- Plain delivery: up to where a channel was read with GET /message. Pushed messages do not move it.
CREATE TABLE channel_watermark (
  client_id        text NOT NULL,
  channel          text COLLATE "C" NOT NULL,
  -- Time of the last message that was read, by the clock of the bus; 0 before the first one.
  read_up_to_nanos numeric NOT NULL,
  -- Everything that the bus stored before this time was read.
  complete_until   timestamptz NOT NULL,
  -- The end of the last gap that the gateway left. Reading does not begin before it, so the gap is reported once.
  gap_end_nanos    numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (client_id, channel)
);

-- Plain delivery: the pairs of clientId and from with which a channel was read. A bus keeps a durable consumer for each, perhaps indefinitely, so a
-- pair is recorded before its first request, is not used again after a failed read, and counts towards a limit for each day.
CREATE TABLE catch_up_consumer (
  client_id      text NOT NULL,
  channel        text COLLATE "C" NOT NULL,
  -- The `from` of its requests, epoch milliseconds.
  from_ms        bigint NOT NULL,
  -- The `clientId` of its requests.
  read_client_id text NOT NULL,
  -- False once the gateway was seen to keep no consumer.
  counts         boolean NOT NULL DEFAULT true,
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (client_id, channel, from_ms)
);

-- The app never changes or removes received messages.
GRANT SELECT, INSERT ON inbox, archive, quarantine TO subscriber;
GRANT UPDATE (released_at) ON quarantine TO subscriber;
GRANT SELECT, INSERT, UPDATE ON reader_lease, subject_sequence, delivery, delivery_subject, sink_state, report_allowance, heartbeat,
  channel_watermark TO subscriber;
GRANT SELECT, INSERT, UPDATE, DELETE ON replica, fault, catch_up_consumer TO subscriber;
GRANT SELECT ON inbox_horizon, participant, quarantine_recheck TO subscriber;
GRANT INSERT (code) ON participant TO subscriber;
GRANT SELECT, UPDATE ON quarantine_status TO subscriber;
GRANT INSERT (requested_at), UPDATE (finished_at, evaluated, released, failure) ON quarantine_recheck TO subscriber;

-- Ids of archived events that were deleted, by the app's function for heartbeats or by an operator. The app cannot write it: an id of the
-- inbox that is neither in the archive nor here was not inserted by the subscriber. The run role can insert any id as a heartbeat and have it
-- deleted, so a recorded deletion counts only for events of its type.
CREATE TABLE deleted_event (
  event_id   text COLLATE "C" PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
  deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  type       text
);
GRANT SELECT ON deleted_event TO subscriber;

-- Only the owner of the tables deletes other types, so these replace what is recorded.
CREATE FUNCTION record_deleted_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO deleted_event (event_id, type) SELECT event_id, type FROM removed
  ON CONFLICT (event_id) DO UPDATE SET type = excluded.type, deleted_at = excluded.deleted_at
  WHERE excluded.type <> 'settlementbus.bridge.heartbeat.v1';
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION record_deleted_events() FROM PUBLIC;
CREATE TRIGGER archive_deleted AFTER DELETE ON archive REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION record_deleted_events();

-- Ids of heartbeats that the inbox still holds, while the archive no longer has their rows.
CREATE TABLE deleted_heartbeat (
  event_id    text COLLATE "C" PRIMARY KEY,
  received_at timestamptz NOT NULL
);
CREATE INDEX deleted_heartbeat_received ON deleted_heartbeat (received_at);

-- Deletes archived heartbeats after a day and their inbox ids after two days, except the id of an event that was archived again. It is the only
-- way in which the app can delete either, and it takes no times, so the app cannot delete anything newer.
CREATE FUNCTION delete_old_heartbeats(max_rows integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  archived integer;
  ids      integer;
  horizon  timestamptz;
BEGIN
  WITH old AS (
    SELECT archive_offset, event_id FROM archive
    WHERE type = 'settlementbus.bridge.heartbeat.v1' AND archived_at < clock_timestamp() - interval '1 day'
    ORDER BY archived_at LIMIT max_rows FOR UPDATE SKIP LOCKED
  ), kept AS (
    INSERT INTO deleted_heartbeat (event_id, received_at)
    SELECT event_id, received_at FROM old JOIN inbox USING (event_id) ON CONFLICT DO NOTHING
  )
  DELETE FROM archive USING old WHERE archive.archive_offset = old.archive_offset;
  GET DIAGNOSTICS archived = ROW_COUNT;

  WITH old AS (
    DELETE FROM deleted_heartbeat WHERE event_id IN (
      SELECT event_id FROM deleted_heartbeat WHERE received_at < clock_timestamp() - interval '2 days'
      ORDER BY received_at LIMIT max_rows FOR UPDATE SKIP LOCKED
    )
    RETURNING event_id, received_at
  ), removed AS (
    DELETE FROM inbox USING old
    WHERE inbox.event_id = old.event_id AND NOT EXISTS (SELECT FROM archive WHERE archive.event_id = inbox.event_id)
  )
  SELECT count(*), max(received_at) INTO ids, horizon FROM old;
  IF ids > 0 THEN
    -- An hour more, because an event counts by the time of its signature, and the clock of its publisher may be ahead.
    INSERT INTO inbox_horizon AS known (type, held_since)
    VALUES ('settlementbus.bridge.heartbeat.v1', horizon + interval '1 hour')
    ON CONFLICT (type) DO UPDATE SET held_since = greatest(known.held_since, excluded.held_since);
  END IF;
  RETURN archived + ids;
END
$$;
REVOKE ALL ON FUNCTION delete_old_heartbeats(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_heartbeats(integer) TO subscriber;

-- Advances the identity sequences that are behind the rows of their tables, as after a logical replication, which copies no sequences. It
-- takes no values, so the app can only move a sequence to the rows that exist.
CREATE FUNCTION advance_identities() RETURNS TABLE (table_name text, advanced_from bigint, advanced_to bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  column_name text;
  sequence    text;
  next_value  bigint;
  highest     bigint;
BEGIN
  FOR table_name, column_name IN VALUES
    ('archive', 'archive_offset'), ('quarantine', 'quarantine_offset'), ('quarantine_recheck', 'id'), ('replica', 'fencing_token')
  LOOP
    sequence := pg_get_serial_sequence(table_name, column_name);
    EXECUTE format('SELECT max(%I) FROM %I', column_name, table_name) INTO highest;
    EXECUTE format('SELECT last_value + is_called::integer FROM %s', sequence) INTO next_value;
    CONTINUE WHEN highest IS NULL OR next_value > highest;
    -- Inserts wait, so that none of them takes a value between the two statements.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', table_name);
    EXECUTE format('SELECT max(%I) FROM %I', column_name, table_name) INTO highest;
    PERFORM setval(sequence, highest);
    advanced_from := next_value;
    advanced_to := highest + 1;
    RETURN NEXT;
  END LOOP;
END
$$;
REVOKE ALL ON FUNCTION advance_identities() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION advance_identities() TO subscriber;
