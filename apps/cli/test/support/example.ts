import { addEvent, createSubscriberTables, type SubscriberTables } from './subscriber-tables.js';

export const BREACH = 'aaaaaa11-0000-4000-8000-000000000001';
export const OVERDUE = 'aaaaaa22-0000-4000-8000-000000000002';
const ENDED = 'bbbbbb33-0000-4000-8000-000000000003';
const EVENTS = ['1', '2', '3'].map((digit) => `0000000${digit}-0000-4000-8000-000000000000`);
export const [BREACHED = '', DEEPER = '', RESTORED = ''] = EVENTS;
/** Its sinks are log and treasury, its participant is WPGENCO. */
export const CONFIG = new URL('../../../../../config/bridge.yaml', import.meta.url).pathname;

/** The tables of a subscriber with three events, three problems, and deliveries in several states. */
export async function createExample(): Promise<SubscriberTables> {
  const tables = await createSubscriberTables();
  const { admin } = tables;
  const types = ['margin.breached', 'margin.breached', 'margin.restored'];
  for (const [at, id] of EVENTS.entries())
    await addEvent(admin, id, {
      type: `settlementbus.${types[at]}.v1`,
      archivedAt: `2026-01-0${at + 1}T00:00:00Z`,
      sinks: ['log', 'treasury'],
    });
  await admin.query(
    `UPDATE delivery SET problem_id = '${BREACH}', attempts = 2 WHERE event_id IN ('${BREACHED}', '${DEEPER}')`,
  );
  await admin.query(`UPDATE delivery SET delivered_at = now() WHERE sink = 'log'`);
  await admin.query(
    `UPDATE delivery SET delivered_at = 'infinity', parked_at = now(), parked_until = now() WHERE sink = 'treasury' AND event_id = '${DEEPER}'`,
  );
  await admin.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, about_event_id, withheld, delivered_at)
     SELECT 'reminder', sink, 'reminder', subject, sequence, archive_offset, event_id, 'muted', now() FROM delivery
     WHERE sink = 'log' AND event_id = '${BREACHED}'`,
  );
  await admin.query(`UPDATE delivery SET created_at = (SELECT archived_at FROM archive WHERE archive.event_id = delivery.event_id)
    WHERE about_event_id IS NULL`);
  await admin.query(
    `INSERT INTO problem (problem_id, kind, key, participant, state, severity, worst_severity, level, worst_level, closed_by_person, since,
       opened_at, changed_at, worsened, figures, worst_figures, worst_measure, event_id, archive_offset, ended_at)
     VALUES
       ('${OVERDUE}', 'statement-overdue', E'WPGENCO/\\u001b[2J', 'WPGENCO', 'open', 'warning', 'warning', NULL, NULL, false, '2026-01-03T00:00:00+08:00',
        now(), now(), 0, '{}', '{}', NULL, 'e', 1, NULL),
       ('${BREACH}', 'margin', 'WPGENCO/prudential', 'WPGENCO', 'open', 'critical', 'critical', 'BREACHED', 'BREACHED', false, '2026-01-01T00:00:00+08:00',
        now(), now(), 1, '{"tradingMargin": "-120.50"}', '{"tradingMargin": "-120.50"}', '-120.50', '${DEEPER}', 2, NULL),
       ('${ENDED}', 'margin', 'OTHER/prudential', 'OTHER', 'resolved', 'critical', 'critical', NULL, 'BREACHED', false, '2025-01-01T00:00:00+08:00',
        now(), now(), 0, '{}', '{}', NULL, 'e', 1, now())`,
  );
  await admin.query(
    `INSERT INTO problem_change (problem_id, number, kind, at, event_id, severity, level, figures) VALUES
       ('${BREACH}', 1, 'opened', '2026-01-01', '${BREACHED}', 'critical', 'BREACHED', '{"tradingMargin": "-5.00"}'),
       ('${BREACH}', 2, 'worsened', '2026-01-02', '${DEEPER}', 'critical', 'BREACHED', '{"tradingMargin": "-120.50"}')`,
  );
  await admin.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response)
     VALUES ('${DEEPER}', 'treasury', 1, '2026-01-02', 12, 'rejected', 422, E'no\\u001b[2J such field')`,
  );
  await admin.query(
    `INSERT INTO sink_state (sink, disabled_at, disabled_by, disabled_reason) VALUES ('treasury', '2026-01-05', 'jane', 'maintenance')`,
  );
  await admin.query(
    `INSERT INTO delivery_subject (sink, subject, pending, next_attempt_at) VALUES ('treasury', 'WPGENCO/prudential', 2, now())`,
  );
  return tables;
}

/** The cells of a table. */
export const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split(/ {2,}/));
