-- A problem is a state that lasts. Its row follows from the archive and from requests, so it can be derived again.

DO $$ BEGIN
  IF to_regrole('requests') IS NULL THEN
    RAISE EXCEPTION 'The role requests is missing. Create it as docs/operate/databases.md describes, then apply the migrations again.';
  END IF;
END $$;
GRANT USAGE ON SCHEMA subscriber TO requests;

-- A fact older than alerts_since of its participant: it has no delivery and opens no problem.
ALTER TABLE archive ADD COLUMN backlog boolean NOT NULL DEFAULT false;
-- Problems without an end of their own that began before this migration stay in the archive only.
UPDATE archive SET backlog = true
WHERE type = 'settlementbus.invoice.discrepancy.v1'
  -- Matched as text: json refuses what an event may contain. Inside a string the quotes of a member are escaped.
  OR type = 'settlementbus.bridge.alert.raised.v1' AND event ~ ('"reason"\s*:\s*"(dead-letter|job-authentication-failed|state-authentication-failed|'
    || 'message-quarantined|message-not-storable|archive-authentication-failed|retention-gap)"');

-- Events about problems, in the order of the archive.
CREATE INDEX archive_problem ON archive (archive_offset) WHERE type IN (
  'settlementbus.bridge.alert.cleared.v1', 'settlementbus.bridge.alert.raised.v1', 'settlementbus.credit-support.restored.v1',
  'settlementbus.credit-support.short.v1', 'settlementbus.invoice.adjusted.v1', 'settlementbus.invoice.discrepancy.v1',
  'settlementbus.invoice.issued.v1', 'settlementbus.invoice.overdue.v1', 'settlementbus.margin.breach-forecast.v1',
  'settlementbus.margin.breached.v1', 'settlementbus.margin.forecast-cleared.v1', 'settlementbus.margin.restored.v1',
  'settlementbus.margin.warning.v1', 'settlementbus.market.recovered.v1', 'settlementbus.market.unreachable.v1',
  'settlementbus.position.resumed.v1', 'settlementbus.position.stale.v1', 'settlementbus.statement.overdue.v1',
  'settlementbus.statement.published.v1', 'settlementbus.statement.revised.v1'
);

CREATE TABLE problem (
  -- A UUID that follows from kind, key and the event that opened it.
  problem_id         text COLLATE "C" PRIMARY KEY,
  kind               text NOT NULL,
  key                text COLLATE "C" NOT NULL,
  participant        text NOT NULL,
  state              text NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'closed')),
  severity           text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  -- The highest severity and level that it has had.
  worst_severity     text NOT NULL CHECK (worst_severity IN ('info', 'warning', 'critical')),
  level              text,
  worst_level        text,
  closed_by_person   boolean NOT NULL,
  -- Time of the fact that opened it, RFC 3339 with offset.
  since              text NOT NULL,
  opened_at          timestamptz NOT NULL,
  changed_at         timestamptz NOT NULL,
  -- How often it became worse.
  worsened           integer NOT NULL DEFAULT 0,
  -- Figures of the newest and of the worst event, as texts by name; the measure of the worst one.
  figures            json NOT NULL,
  worst_figures      json NOT NULL,
  worst_measure      text,
  -- The last event that was applied to it.
  event_id           text COLLATE "C" NOT NULL,
  archive_offset     bigint NOT NULL,
  acknowledged_at    timestamptz,
  acknowledged_by    text,
  acknowledge_comment text,
  ended_at           timestamptz,
  closed_by          text,
  close_comment      text
);
-- One problem of a kind and key is open at a time.
CREATE UNIQUE INDEX problem_open ON problem (kind, key) WHERE ended_at IS NULL;
CREATE INDEX problem_opened ON problem (opened_at);

-- The history of a problem: each change, with the event or request that caused it.
CREATE TABLE problem_change (
  problem_id text COLLATE "C" NOT NULL REFERENCES problem ON DELETE CASCADE,
  number     integer NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('opened', 'worsened', 'lowered', 'updated', 'acknowledged', 'resolved', 'closed')),
  at         timestamptz NOT NULL,
  event_id   text COLLATE "C",
  request_id bigint,
  severity   text NOT NULL,
  level      text,
  figures    json,
  PRIMARY KEY (problem_id, number),
  CHECK ((event_id IS NULL) <> (request_id IS NULL))
);
CREATE INDEX problem_change_event ON problem_change (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX problem_change_request ON problem_change (request_id) WHERE request_id IS NOT NULL;

-- What people request. The subscriber carries it out.
CREATE TABLE request (
  request_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind          text NOT NULL CHECK (kind IN ('acknowledge', 'close', 'silence', 'end-silence', 'resend', 'skip', 'test', 'replay', 'enable-sink',
                                              'disable-sink', 'rebuild-problems')),
  -- What the request is about: names and times, as the kind needs them.
  parameters    jsonb NOT NULL DEFAULT '{}' CHECK (pg_column_size(parameters) <= 65536),
  author        text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  comment       text CHECK (length(comment) <= 2000),
  -- The role of the session that inserted it. No role can choose it.
  database_role text NOT NULL DEFAULT session_user,
  requested_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  claimed_by    bigint REFERENCES replica ON DELETE SET NULL,
  -- Of a request about many deliveries: what is done so far.
  progress      jsonb,
  finished_at   timestamptz,
  -- refused: it cannot be carried out, and result.reason says why. failed: the subscriber could not complete it.
  outcome       text CHECK (outcome IN ('done', 'refused', 'failed')),
  result        jsonb,
  CHECK ((finished_at IS NULL) = (outcome IS NULL)),
  CHECK (finished_at IS NULL OR claimed_by IS NULL)
);
CREATE INDEX request_open ON request (request_id) WHERE finished_at IS NULL;
-- For the removal of a replica.
CREATE INDEX request_claimed ON request (claimed_by) WHERE claimed_by IS NOT NULL;

-- Every request and its result. Only the triggers below write it, so no run role can change it.
CREATE TABLE audit (
  audit_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at            timestamptz NOT NULL DEFAULT clock_timestamp(),
  request_id    bigint NOT NULL,
  kind          text NOT NULL,
  step          text NOT NULL CHECK (step IN ('requested', 'done', 'refused', 'failed')),
  parameters    jsonb NOT NULL,
  author        text NOT NULL,
  comment       text,
  database_role text NOT NULL,
  result        jsonb
);
CREATE INDEX audit_at ON audit (at);

CREATE FUNCTION record_request() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO audit (request_id, kind, step, parameters, author, comment, database_role, result)
  VALUES (new.request_id, new.kind, coalesce(new.outcome, 'requested'), new.parameters, new.author, new.comment, new.database_role, new.result);
  IF new.outcome IS NULL THEN
    -- A request of a trigger is always accepted: it must not stop the reader.
    IF pg_trigger_depth() = 1 AND (SELECT count(*) FROM (SELECT FROM request WHERE finished_at IS NULL LIMIT 1001) AS open) > 1000 THEN
      RAISE EXCEPTION 'There are 1000 open requests already. Wait until the subscriber has carried them out.' USING ERRCODE = 'configuration_limit_exceeded';
    END IF;
    PERFORM pg_notify('subscriber_requests', '');
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION record_request() FROM PUBLIC;
CREATE TRIGGER request_added AFTER INSERT ON request FOR EACH ROW EXECUTE FUNCTION record_request();
CREATE TRIGGER request_finished AFTER UPDATE OF finished_at ON request
  FOR EACH ROW WHEN (old.finished_at IS NULL AND new.finished_at IS NOT NULL) EXECUTE FUNCTION record_request();

-- A finished request stays as it is.
CREATE FUNCTION keep_finished_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The request % has ended and cannot be changed.', old.request_id USING ERRCODE = 'object_not_in_prerequisite_state';
END
$$;
CREATE TRIGGER request_ended BEFORE UPDATE ON request FOR EACH ROW WHEN (old.finished_at IS NOT NULL) EXECUTE FUNCTION keep_finished_request();

-- Events and requests of an open problem are not deleted: the problem could not be derived again.
CREATE FUNCTION keep_events_of_open_problems() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM removed JOIN problem_change USING (event_id) JOIN problem USING (problem_id) WHERE ended_at IS NULL) THEN
    RAISE EXCEPTION 'An open problem refers to these events. Delete them after it has ended.' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION keep_events_of_open_problems() FROM PUBLIC;
CREATE TRIGGER archive_kept_for_problems AFTER DELETE ON archive REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_events_of_open_problems();

CREATE FUNCTION keep_requests_of_open_problems() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM removed JOIN problem_change USING (request_id) JOIN problem USING (problem_id) WHERE ended_at IS NULL) THEN
    RAISE EXCEPTION 'An open problem refers to these requests. Delete them after it has ended.' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION keep_requests_of_open_problems() FROM PUBLIC;
CREATE TRIGGER request_kept_for_problems AFTER DELETE ON request REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_requests_of_open_problems();

-- A delivery is one message for one sink. event_id is the id that the sink sees: that of the archived event.
ALTER TABLE delivery DROP CONSTRAINT delivery_event_id_fkey;
ALTER TABLE delivery DROP CONSTRAINT delivery_kind_check;
ALTER TABLE delivery
  ADD CONSTRAINT delivery_kind_check CHECK (kind IN ('alert', 'reminder', 'escalation', 'resolved', 'notice', 'test')),
  ADD COLUMN severity text NOT NULL DEFAULT 'info' CHECK (severity IN ('info', 'warning', 'critical')),
  -- The problem of the event, and its state once the event was applied.
  ADD COLUMN problem_id text COLLATE "C",
  ADD COLUMN problem_state text CHECK (problem_state IN ('open', 'acknowledged', 'resolved', 'closed')),
  -- Added by a replay from the archive.
  ADD COLUMN replayed boolean NOT NULL DEFAULT false,
  -- A person requested that it is not delivered. delivered_at is then the time of that.
  ADD COLUMN skipped boolean NOT NULL DEFAULT false,
  -- When it became pending again, because a person requested it.
  ADD COLUMN resent_at timestamptz;
CREATE INDEX delivery_problem ON delivery (problem_id, sink) WHERE problem_id IS NOT NULL;
-- Until the problems are derived, what is still to be sent has the severity of its urgency.
UPDATE delivery SET severity = CASE WHEN urgent THEN 'critical' ELSE 'warning' END
WHERE (urgent OR kind = 'alert') AND (delivered_at IS NULL OR parked_until IS NOT NULL);

-- Instead of a foreign key, which a delivery of every event would check.
CREATE FUNCTION keep_events_of_deliveries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM removed JOIN delivery USING (event_id)) THEN
    RAISE EXCEPTION 'Deliveries refer to these events. Delete the deliveries first.' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION keep_events_of_deliveries() FROM PUBLIC;
CREATE TRIGGER archive_kept_for_deliveries AFTER DELETE ON archive REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_events_of_deliveries();

-- Pending deliveries of the subject that a replay added. Without another one the subject comes last.
ALTER TABLE delivery_subject ADD COLUMN replayed integer NOT NULL DEFAULT 0;
DROP INDEX delivery_subject_due;
ALTER TABLE delivery_subject DROP COLUMN priority;
ALTER TABLE delivery_subject ADD COLUMN priority smallint
  GENERATED ALWAYS AS (CASE WHEN urgent > 0 THEN 0 WHEN alerts > 0 THEN 1 WHEN pending > replayed THEN 2 ELSE 3 END) STORED;
CREATE INDEX delivery_subject_due ON delivery_subject (sink, priority, next_attempt_at, subject) WHERE pending > 0;

-- One try of a delivery.
CREATE TABLE attempt (
  event_id    text COLLATE "C" NOT NULL,
  sink        text NOT NULL,
  -- Counts the attempts of the delivery from 1.
  number      integer NOT NULL,
  at          timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  -- delivered, rejected, unreachable, timeout, network-not-allowed or unverified.
  outcome     text NOT NULL,
  status      integer,
  -- The beginning of the response, at most 2 kB of text.
  response    text,
  error       text,
  PRIMARY KEY (event_id, sink, number)
);
-- For the deletion of old attempts.
CREATE INDEX attempt_at ON attempt (at);

-- A disabled sink keeps its deliveries.
ALTER TABLE sink_state
  ADD COLUMN disabled_at timestamptz,
  ADD COLUMN disabled_by text,
  ADD COLUMN disabled_reason text,
  -- Of a sink with maxPerMinute: no attempt starts before.
  ADD COLUMN next_start_at timestamptz;

-- As before, and with the identities of requests and audit.
CREATE OR REPLACE FUNCTION advance_identities() RETURNS TABLE (table_name text, advanced_from bigint, advanced_to bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  column_name text;
  sequence    text;
  next_value  bigint;
  highest     bigint;
BEGIN
  FOR table_name, column_name IN VALUES
    ('archive', 'archive_offset'), ('quarantine', 'quarantine_offset'), ('quarantine_recheck', 'id'), ('replica', 'fencing_token'),
    ('request', 'request_id'), ('audit', 'audit_id')
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

GRANT SELECT, INSERT, UPDATE, DELETE ON problem, problem_change TO subscriber;
GRANT SELECT, INSERT, DELETE ON attempt TO subscriber;
GRANT SELECT ON request TO subscriber;
GRANT UPDATE (claimed_by, progress, finished_at, outcome, result) ON request TO subscriber;
GRANT SELECT ON audit TO subscriber;

GRANT SELECT ON delivery, delivery_subject, sink_state, attempt, problem, problem_change, request, audit, replica TO requests;
-- Not the events themselves.
GRANT SELECT (archive_offset, event_id, type, subject, participant, sequence, time, detected_at, archived_at, marks, backlog) ON archive TO requests;
GRANT INSERT (kind, parameters, author, comment) ON request TO requests;

-- The token of the last reader that applied its events to problems. Earlier releases do not set it.
ALTER TABLE reader_lease ADD COLUMN problems_token bigint;

-- Requests that the problems are derived, when the reader before was one of an earlier release, which can no longer archive.
CREATE FUNCTION request_rebuild() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM archive) THEN
    PERFORM advance_identities();
    INSERT INTO request (kind, author, comment)
    VALUES ('rebuild-problems', 'subscriber', 'Derives the problems of events that an earlier release archived.');
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION request_rebuild() FROM PUBLIC;
CREATE TRIGGER reader_added AFTER INSERT ON reader_lease
  FOR EACH ROW WHEN (new.problems_token = new.fencing_token) EXECUTE FUNCTION request_rebuild();
CREATE TRIGGER reader_changed AFTER UPDATE ON reader_lease
  FOR EACH ROW WHEN (new.problems_token = new.fencing_token AND old.problems_token IS DISTINCT FROM old.fencing_token)
  EXECUTE FUNCTION request_rebuild();
