-- Deletes archived events by their age (ARCHIVE_RETENTION_DAYS).

-- The row exists while events are deleted. Only the owner of the tables writes it, so the run role cannot shorten the time.
CREATE TABLE archive_retention (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  days          integer NOT NULL CHECK (days BETWEEN 35 AND 36500),
  -- The archive is checked up to this offset.
  checked_up_to bigint NOT NULL DEFAULT 0,
  -- When the end of the expired events was reached last; before that, when the row was added.
  completed_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON archive_retention TO subscriber;

-- The run role chooses archived_at. Of a time long ago, the age counts from the time of the server: a forged event of a young fact would
-- otherwise be deleted at once, and its recorded id would refuse the genuine event.
CREATE TABLE archive_insertion (
  archive_offset bigint PRIMARY KEY,
  inserted_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE FUNCTION record_insertion() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO archive_insertion (archive_offset) VALUES (new.archive_offset) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION record_insertion() FROM PUBLIC;
CREATE TRIGGER archive_inserted_late AFTER INSERT ON archive
  FOR EACH ROW WHEN (new.archived_at < clock_timestamp() - interval '1 day') EXECUTE FUNCTION record_insertion();

-- As before, and with the version of a document, so that a restated version of a deleted event stays a repeat.
ALTER TABLE deleted_event ADD COLUMN document_version text COLLATE "C";
CREATE INDEX deleted_event_version ON deleted_event (document_version) WHERE document_version IS NOT NULL;
CREATE OR REPLACE FUNCTION record_deleted_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO deleted_event (event_id, type, document_version) SELECT event_id, type, document_version FROM removed
  ON CONFLICT (event_id) DO UPDATE SET type = excluded.type, document_version = excluded.document_version, deleted_at = excluded.deleted_at
  WHERE excluded.type <> 'settlementbus.bridge.heartbeat.v1';
  DELETE FROM archive_insertion USING removed WHERE archive_insertion.archive_offset = removed.archive_offset;
  RETURN NULL;
END
$$;

-- Deliveries that keep their event: pending, parked and grouped ones, and those that were added, resent or ended since.
CREATE FUNCTION is_delivery_kept(delivery, horizon timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT $1.delivered_at IS NULL OR $1.delivered_at >= $2 OR $1.parked_until IS NOT NULL
    OR ($1.withheld = 'grouped' AND $1.digest_id IS NULL)
    OR $1.created_at >= $2 OR coalesce($1.resent_at >= $2, false)
$$;

-- Of these events, the ones that are not deleted, for another reason than a settlement run.
CREATE FUNCTION find_kept_events(offsets bigint[], horizon timestamptz) RETURNS bigint[]
LANGUAGE plpgsql STABLE SET search_path = subscriber, pg_temp AS $$
BEGIN
  RETURN ARRAY(
    SELECT archive_offset FROM archive AS event
    WHERE archive_offset = ANY (offsets) AND (
      archived_at >= horizon OR type = 'settlementbus.bridge.heartbeat.v1'
      OR EXISTS (SELECT FROM archive_insertion AS late WHERE late.archive_offset = event.archive_offset AND inserted_at >= horizon)
      OR EXISTS (SELECT FROM delivery WHERE delivery.event_id = event.event_id AND is_delivery_kept(delivery, horizon))
      OR EXISTS (SELECT FROM delivery WHERE about_event_id = event.event_id AND is_delivery_kept(delivery, horizon))
      OR EXISTS (SELECT FROM delivery AS member JOIN delivery AS digest ON digest.event_id = member.digest_id AND digest.sink = member.sink
                 WHERE member.event_id = event.event_id AND is_delivery_kept(digest, horizon))
      -- All events of a problem are deleted after its end.
      OR EXISTS (SELECT FROM problem_change JOIN problem USING (problem_id)
                 WHERE problem_change.event_id = event.event_id AND (ended_at IS NULL OR ended_at >= horizon))
      OR EXISTS (SELECT FROM problem WHERE ended_at IS NULL AND problem.event_id = event.event_id)
      -- The present position: the newest calculation, the newest forecast of each day after it, and the newest level of the margin.
      OR EXISTS (
        SELECT FROM calculation AS known WHERE known.archive_offset = event.archive_offset AND NOT is_forecast AND NOT EXISTS (
          SELECT FROM calculation AS newer
          WHERE newer.participant = known.participant AND NOT newer.is_forecast
            AND (newer.calculated_at, newer.archive_offset) > (known.calculated_at, known.archive_offset)))
      OR EXISTS (
        SELECT FROM calculation AS known WHERE known.archive_offset = event.archive_offset AND is_forecast AND trading_day > (
          SELECT actual.trading_day FROM calculation AS actual WHERE actual.participant = known.participant AND NOT actual.is_forecast
          ORDER BY actual.calculated_at DESC, actual.archive_offset DESC LIMIT 1)
        AND NOT EXISTS (
          SELECT FROM calculation AS newer
          WHERE newer.participant = known.participant AND newer.is_forecast AND newer.trading_day = known.trading_day
            AND (newer.calculated_at, newer.archive_offset) > (known.calculated_at, known.archive_offset)))
      OR (type IN ('settlementbus.margin.warning.v1', 'settlementbus.margin.breached.v1', 'settlementbus.margin.restored.v1') AND NOT EXISTS (
        SELECT FROM archive AS newer
        WHERE newer.participant = event.participant AND newer.subject = event.subject
          AND newer.type IN ('settlementbus.margin.warning.v1', 'settlementbus.margin.breached.v1', 'settlementbus.margin.restored.v1')
          AND (newer.fact_time, newer.sequence) > (event.fact_time, event.sequence)))));
END
$$;

-- Deletes the rows of settlement runs whose events and dates are all before the horizon. A run of an event that is kept stays whole.
CREATE FUNCTION delete_expired_runs(offsets bigint[], horizon timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
DECLARE
  runs uuid[] := ARRAY(SELECT DISTINCT run_id FROM settlement_event WHERE archive_offset = ANY (offsets));
  kept bigint[];
BEGIN
  -- The locks of refresh_settlement: no event of these runs is archived meanwhile.
  PERFORM pg_advisory_xact_lock(7305120, key)
  FROM (SELECT DISTINCT hashtext(run::text) & 255 AS key FROM unnest(runs) AS run ORDER BY 1) AS ordered;
  kept := find_kept_events(ARRAY(SELECT archive_offset FROM settlement_event WHERE run_id = ANY (runs)), horizon);
  runs := ARRAY(
    SELECT run_id FROM settlement_run
    WHERE run_id = ANY (runs) AND status <> 'overdue'
      AND greatest(statement_day, published_day, invoice_day, payment_day) < (horizon AT TIME ZONE interval '8 hours')::date
      AND NOT EXISTS (SELECT FROM settlement_event AS event WHERE event.run_id = settlement_run.run_id AND archive_offset = ANY (kept)));
  DELETE FROM invoice WHERE run_id = ANY (runs);
  DELETE FROM settlement_run WHERE run_id = ANY (runs);
  DELETE FROM settlement_event WHERE run_id = ANY (runs);
END
$$;

-- Deletes a batch of expired events with their deliveries and attempts. Ids and highest sequences stay, so a replay of the event is refused.
-- It takes no parameter and is the only way in which the run role can delete an event that is not a heartbeat.
CREATE FUNCTION delete_expired_events() RETURNS TABLE (events integer, deliveries integer, is_complete boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  batch_size CONSTANT integer := 500;
  start    bigint;
  last     bigint;
  horizon  timestamptz;
  expired  bigint[];
  kept     bigint[];
  ids      text[];
BEGIN
  events := 0;
  deliveries := 0;
  is_complete := true;
  -- One replica at a time.
  SELECT checked_up_to, clock_timestamp() - make_interval(days => days) INTO start, horizon FROM archive_retention FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT max(archive_offset), array_agg(archive_offset) FILTER (WHERE archived_at < horizon), count(*) < batch_size
  INTO last, expired, is_complete
  FROM (SELECT archive_offset, archived_at FROM archive WHERE archive_offset > start ORDER BY archive_offset LIMIT batch_size) AS batch;
  is_complete := is_complete OR expired IS NULL;

  IF expired IS NOT NULL THEN
    -- Waits for requests that change deliveries, and for the derivation of problems.
    PERFORM pg_advisory_xact_lock(7305122);
    LOCK TABLE problem IN ROW SHARE MODE;
    PERFORM delete_expired_runs(expired, horizon);
    kept := find_kept_events(expired, horizon);
    SELECT array_agg(archive_offset), array_agg(event_id) INTO expired, ids FROM archive
    WHERE archive_offset = ANY (expired) AND archive_offset <> ALL (kept)
      AND NOT EXISTS (SELECT FROM settlement_event WHERE settlement_event.archive_offset = archive.archive_offset);
    -- One statement, because a digest is deleted with the deliveries of its events.
    WITH removed AS (
      DELETE FROM delivery WHERE ctid = ANY (ARRAY(
        SELECT delivery.ctid FROM delivery WHERE event_id = ANY (ids)
        UNION SELECT delivery.ctid FROM delivery WHERE about_event_id = ANY (ids)
        UNION SELECT digest.ctid FROM delivery AS member JOIN delivery AS digest ON digest.event_id = member.digest_id AND digest.sink = member.sink
        WHERE member.event_id = ANY (ids)))
      RETURNING event_id, sink
    ), attempts AS (
      DELETE FROM attempt USING removed WHERE attempt.event_id = removed.event_id AND attempt.sink = removed.sink
    )
    SELECT count(*) INTO deliveries FROM removed;
    DELETE FROM archive WHERE archive_offset = ANY (expired);
    GET DIAGNOSTICS events = ROW_COUNT;
  END IF;

  UPDATE archive_retention SET checked_up_to = CASE WHEN is_complete THEN 0 ELSE last END,
    completed_at = CASE WHEN is_complete THEN clock_timestamp() ELSE completed_at END;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION is_delivery_kept(delivery, timestamptz), find_kept_events(bigint[], timestamptz),
  delete_expired_runs(bigint[], timestamptz), delete_expired_events() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_events() TO subscriber;

-- Listings of deliveries search each combination of the chosen sinks, participants and types by itself. The indexes of migration 011 that begin
-- with another column read every delivery of a participant or type when the other conditions match few of them.
DROP INDEX delivery_added_participant, delivery_added_type, delivery_added_kind, delivery_ended_otherwise;
CREATE INDEX delivery_added_participant ON delivery (sink, listed_participant, created_at, archive_offset);
CREATE INDEX delivery_added_type ON delivery (sink, listed_type, created_at, archive_offset);
CREATE INDEX delivery_added_both ON delivery (sink, listed_participant, listed_type, created_at, archive_offset);
CREATE INDEX delivery_added_kind ON delivery (sink, kind, created_at, archive_offset) WHERE kind <> 'notice';
CREATE INDEX delivery_ended_otherwise ON delivery (sink, created_at, archive_offset) WHERE skipped OR withheld IS NOT NULL OR replaced_by IS NOT NULL;
