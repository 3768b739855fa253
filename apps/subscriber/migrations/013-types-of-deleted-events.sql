-- The run role can insert any id as a heartbeat and have it deleted, so a recorded deletion counts only for events of its type. Rows without a
-- type are of before; the subscriber counts them for heartbeats only.
ALTER TABLE deleted_event ADD COLUMN type text;

-- Only the owner of the tables deletes other types, so these replace what is recorded.
CREATE OR REPLACE FUNCTION record_deleted_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO deleted_event (event_id, type) SELECT event_id, type FROM removed
  ON CONFLICT (event_id) DO UPDATE SET type = excluded.type, deleted_at = excluded.deleted_at
  WHERE excluded.type <> 'settlementbus.bridge.heartbeat.v1';
  RETURN NULL;
END
$$;

-- As before, but the id of an event that was archived again stays.
CREATE OR REPLACE FUNCTION delete_old_heartbeats(max_rows integer) RETURNS integer
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
