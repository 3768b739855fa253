-- A delivery is pending while delivered_at is null, and parked while parked_until is set: its sink refused it, and delivered_at is 'infinity'.
-- urgent: a margin.breached or credit-support.short, sent before all others and never replaced. state: its event says how things are now, so a
-- newer one of its subject replaces it while it is pending.
ALTER TABLE alert_outbox
  ADD COLUMN urgent       boolean NOT NULL DEFAULT false,
  ADD COLUMN state        boolean NOT NULL DEFAULT false,
  ADD COLUMN replaced_by  text COLLATE "C",
  ADD COLUMN parked_at    timestamptz,
  ADD COLUMN parked_until timestamptz,
  -- The earliest retry of a parked delivery when its sink accepts another one.
  ADD COLUMN retry_from   timestamptz;

-- Pending deliveries of the subject: urgent ones and alerts. The priority is that of the most urgent one; 0 comes first.
ALTER TABLE alert_subject
  ADD COLUMN urgent   integer NOT NULL DEFAULT 0,
  ADD COLUMN alerts   integer NOT NULL DEFAULT 0,
  ADD COLUMN priority smallint GENERATED ALWAYS AS (CASE WHEN urgent > 0 THEN 0 WHEN alerts > 0 THEN 1 ELSE 2 END) STORED;

UPDATE alert_outbox AS delivery SET
  urgent = type IN ('settlementbus.margin.breached.v1', 'settlementbus.credit-support.short.v1'),
  state = type SIMILAR TO 'settlementbus.(margin|credit-support|market|bridge.alert|position.(stale|resumed))%'
FROM archive WHERE archive.event_id = delivery.event_id AND delivered_at IS NULL;
UPDATE alert_subject AS known SET urgent = counted.urgent, alerts = counted.alerts
FROM (
  SELECT sink, subject, count(*) FILTER (WHERE urgent) AS urgent, count(*) FILTER (WHERE alert) AS alerts
  FROM alert_outbox WHERE delivered_at IS NULL GROUP BY sink, subject
) AS counted
WHERE known.sink = counted.sink AND known.subject = counted.subject;

DROP INDEX alert_subject_due;
CREATE INDEX alert_subject_due ON alert_subject (sink, priority, next_attempt_at, subject) WHERE pending > 0;
CREATE INDEX alert_outbox_state ON alert_outbox (sink, subject, sequence, position) WHERE delivered_at IS NULL AND state;
CREATE INDEX alert_outbox_parked ON alert_outbox (sink, urgent, parked_until) WHERE parked_until IS NOT NULL;

-- Sinks that failed, shared by all replicas. While failing_since is set, one delivery at a time is attempted, not before probe_at.
CREATE TABLE sink_state (
  sink          text PRIMARY KEY,
  failing_since timestamptz,
  failures      integer NOT NULL DEFAULT 0,
  last_outcome  text NOT NULL DEFAULT '',
  probe_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT, UPDATE ON sink_state TO subscriber;
