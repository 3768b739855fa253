-- The role of the archive API: it reads, and adds requests.

DO $$ BEGIN
  IF to_regrole('api') IS NULL THEN
    RAISE EXCEPTION 'The role api is missing. Create it as docs/operate/databases.md describes, then apply the migrations again.';
  END IF;
END $$;
GRANT USAGE ON SCHEMA subscriber TO api;

-- NULL for a text that is not a time. The text has a zone, so the result does not depend on the session.
CREATE FUNCTION parse_time(text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN $1::timestamptz;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;

ALTER TABLE archive
  -- The time of the fact. Listings are in its order.
  ADD COLUMN fact_time timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(parse_time(time), archived_at)) STORED,
  -- That of the event by CONFIG_FILE when it was archived; info for an event of no problem.
  -- Statements of an earlier release join the archive with tables that have a column severity.
  ADD COLUMN event_severity text NOT NULL DEFAULT 'info' CHECK (event_severity IN ('info', 'warning', 'critical'));
UPDATE archive SET event_severity = problem_change.severity
FROM problem_change
WHERE problem_change.event_id = archive.event_id AND problem_change.kind IN ('opened', 'worsened', 'lowered', 'updated')
  AND problem_change.severity <> 'info';

-- An earlier release archives each event as info. Its severity is then that of the change that it makes to its problem.
CREATE FUNCTION raise_event_severity() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  UPDATE archive SET event_severity = added.severity
  FROM added
  WHERE archive.event_id = added.event_id AND event_severity = 'info' AND added.kind IN ('opened', 'worsened', 'lowered', 'updated')
    AND added.severity <> 'info';
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION raise_event_severity() FROM PUBLIC;
CREATE TRIGGER event_severity_raised AFTER INSERT ON problem_change REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION raise_event_severity();

-- Each listing reads the newest rows of each participant that it shows. Without a type it leaves heartbeats out.
CREATE INDEX archive_fact_time ON archive (fact_time, archive_offset) WHERE type <> 'settlementbus.bridge.heartbeat.v1';
CREATE INDEX archive_participant ON archive (participant, fact_time, archive_offset) WHERE type <> 'settlementbus.bridge.heartbeat.v1';
CREATE INDEX archive_type ON archive (type, participant, fact_time, archive_offset);
CREATE INDEX archive_severity ON archive (event_severity, type, participant, fact_time, archive_offset);
-- The other conditions of a listing are checked without reading the rows.
CREATE INDEX archive_subject ON archive (participant, subject, fact_time, archive_offset) INCLUDE (type, event_severity);

-- Names a request and its silence to people: the number shows how many requests there are.
ALTER TABLE request ADD COLUMN request_key uuid NOT NULL DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX request_key ON request (request_key);

GRANT SELECT ON archive, attempt, audit, channel_watermark, deleted_event, delivery, delivery_subject, fault, heartbeat, participant, problem,
  problem_change, quarantine, quarantine_recheck, quarantine_status, reader_lease, replica, request, revoked_key, silence, silenced_problem,
  sink_state, trusted_key, migration TO api;
GRANT INSERT (kind, parameters, author, comment) ON request TO api;
