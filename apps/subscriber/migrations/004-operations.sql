-- Faults of the subscriber, shared by all replicas. The key is the subject of the fault's alerts.
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
  confirmed_at   jsonb NOT NULL DEFAULT '{}'
);

-- The operational alerts of the current hour, counted by reason. Transactions that change faults lock its only row.
CREATE TABLE alert_allowance (
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

GRANT SELECT, INSERT, UPDATE, DELETE ON fault TO subscriber;
GRANT SELECT, INSERT, UPDATE ON alert_allowance, heartbeat TO subscriber;

-- Ids of heartbeats that the inbox still holds, while the archive no longer has their rows.
CREATE TABLE deleted_heartbeat (
  event_id    text COLLATE "C" PRIMARY KEY,
  received_at timestamptz NOT NULL
);
CREATE INDEX deleted_heartbeat_received ON deleted_heartbeat (received_at);
CREATE INDEX archive_heartbeat ON archive (archived_at) WHERE type = 'settlementbus.bridge.heartbeat.v1';

-- Deletes archived heartbeats after a day and their inbox ids after two days. It is the only way in which the app can delete either, and it
-- takes no times, so the app cannot delete anything newer.
CREATE FUNCTION delete_old_heartbeats(max_rows integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  archived integer;
  ids      integer;
  horizon  timestamptz;
BEGIN
  WITH old AS (
    SELECT position, event_id FROM archive
    WHERE type = 'settlementbus.bridge.heartbeat.v1' AND archived_at < clock_timestamp() - interval '1 day'
    ORDER BY archived_at LIMIT max_rows FOR UPDATE SKIP LOCKED
  ), kept AS (
    INSERT INTO deleted_heartbeat (event_id, received_at)
    SELECT event_id, received_at FROM old JOIN inbox USING (event_id) ON CONFLICT DO NOTHING
  )
  DELETE FROM archive USING old WHERE archive.position = old.position;
  GET DIAGNOSTICS archived = ROW_COUNT;

  WITH old AS (
    DELETE FROM deleted_heartbeat WHERE event_id IN (
      SELECT event_id FROM deleted_heartbeat WHERE received_at < clock_timestamp() - interval '2 days'
      ORDER BY received_at LIMIT max_rows FOR UPDATE SKIP LOCKED
    )
    RETURNING event_id, received_at
  ), removed AS (
    DELETE FROM inbox USING old WHERE inbox.event_id = old.event_id
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
