/*
 * SQL that fills the tables of an archive with the rows that the subscriber would have written for a year of events. Triggers are off
 * meanwhile; what they write is derived afterwards. $1 is the number of events.
 */

export const PARTICIPANTS = 50;
export const SINKS = ['log', 'treasury', 'on-call'] as const;

/** Of a thousand events. The rest are calculations. */
const SHARES: Readonly<Record<string, number>> = {
  'margin.warning': 10,
  'margin.breached': 5,
  'margin.restored': 10,
  'statement.published': 35,
  'statement.revised': 5,
  'statement.overdue': 2,
  'invoice.issued': 20,
  'invoice.adjusted': 2,
  'invoice.discrepancy': 2,
  'payment.due': 20,
  'timeline.changed': 5,
  'market.unreachable': 3,
  'market.recovered': 3,
  'position.stale': 2,
  'position.resumed': 2,
  'bridge.alert.raised': 2,
  'bridge.alert.cleared': 2,
};
const CALCULATED = 'position.calculated';
const HEARTBEAT = 'bridge.heartbeat';
/** Their events open a problem. */
const OPENING = `('margin.breached', 'margin.warning', 'statement.overdue', 'invoice.discrepancy', 'market.unreachable', 'position.stale', 'bridge.alert.raised')`;

/** Event types whose examples the texts are made of. */
export const FILLED_TYPES: readonly string[] = [CALCULATED, ...Object.keys(SHARES), HEARTBEAT];

let end = 1_000;
const TYPE_OF = Object.entries(SHARES)
  .map(([type, share]) => `WHEN bucket >= ${(end -= share)} THEN '${type}'`)
  .join(' ');

/** The example event of each type. */
export const CREATE_EXAMPLES = 'CREATE TABLE public.example (type text PRIMARY KEY, event jsonb NOT NULL)';

/** A year of events in the order of their facts, and the heartbeats of the last hours. */
export const PLAN_EVENTS = `CREATE UNLOGGED TABLE public.planned AS
  WITH numbered AS (
    SELECT number, md5('event ' || number)::uuid::text AS id, 'WP' || lpad((abs(hashint8(number)) % ${PARTICIPANTS})::text, 3, '0') AS participant,
      abs(hashint8(number * 7 + 1)) % 1000 AS bucket, abs(hashint8(number * 13 + 5)) AS chance,
      date_trunc('second', now()) - interval '365 days' * (1 - number::double precision / $1::bigint) AS fact
    FROM generate_series(1, $1::bigint) AS number
  ), typed AS (
    SELECT *, CASE ${TYPE_OF} ELSE '${CALCULATED}' END AS type FROM numbered
    UNION ALL
    SELECT $1::bigint + number, md5('heartbeat ' || number)::uuid::text, 'WP' || lpad((number % ${PARTICIPANTS})::text, 3, '0'), 0, 1,
      now() - interval '8 hours' * (1 - number / ($1 / 50 + 1.0)::double precision), '${HEARTBEAT}'
    FROM generate_series(1, $1::bigint / 50) AS number
  ), dated AS (
    SELECT *, to_char(fact AT TIME ZONE interval '8 hours', 'YYYY-MM-DD"T"HH24:MI:SS') AS local,
      (fact AT TIME ZONE interval '8 hours')::date - CASE WHEN type LIKE 'statement.%' THEN 14 WHEN type LIKE 'invoice.%' THEN 20
        WHEN type = 'payment.due' THEN 30 ELSE 0 END AS day,
      CASE WHEN chance % 2 = 0 THEN 'INITIAL' ELSE 'ADJ1' END AS designation
    FROM typed
  )
  SELECT number, id, participant, chance, fact, type, local, day, designation, CASE WHEN extract(day FROM day)::integer % 2 = 0 THEN 'WEM' ELSE 'STEM' END AS market,
    lpad((extract(epoch FROM fact) * 1000000)::bigint::text, 20, '0') AS sequence
  FROM dated ORDER BY number`;

/** Events $1 to $2 of the plan. */
export const ADD_EVENTS = `WITH described AS (
    SELECT planned.*, planned.participant || CASE
        WHEN type LIKE 'margin.%' THEN '/prudential'
        WHEN type LIKE 'position.%' THEN '/position'
        WHEN type = 'timeline.changed' THEN '/timeline'
        WHEN type LIKE 'statement.%' THEN concat('/', market, '/', day, '/', designation)
        WHEN type LIKE 'invoice.%' OR type = 'payment.due' THEN concat('/', market, '/', day, '/', designation, '/invoice/INV-', day, designation)
        ELSE '/' || type || '/' || chance % 20 END AS subject,
      CASE
        WHEN type = '${CALCULATED}' THEN jsonb_build_object('calculatedAt', local, 'tradingDay', (day + CASE WHEN chance % 8 = 0 THEN 1 ELSE 0 END)::timestamp,
          'isForecast', chance % 8 = 0, 'tradingMargin', (chance % 100000000) / 100.0 - 100000, 'outstandingAmount', (chance % 7000000) / 7.0)
        WHEN type LIKE 'statement.%' THEN jsonb_build_object('marketService', market, 'designation', designation, 'periodFrom', day::timestamp,
          'periodTo', (day + 6)::timestamp, 'publishedAt', local, 'statementDate', day + 14, 'overdueSince', local)
        WHEN type LIKE 'invoice.%' OR type = 'payment.due' THEN jsonb_build_object('market', market, 'designation', designation, 'periodFrom', day::timestamp,
          'id', concat('INV-', day, designation), 'invoiceId', concat('INV-', day, designation), 'invoiceDate', day + 20, 'dueDate', day + 34)
        WHEN type = 'timeline.changed' THEN jsonb_build_object('changes', jsonb_build_array(example.event->'data'->'changes'->0 || jsonb_build_object(
          'marketService', market, 'designation', designation, 'periodFrom', (day + 10)::timestamp, 'to', (day + 25)::timestamp)))
        ELSE '{}' END AS data
    FROM public.planned JOIN public.example USING (type) WHERE number BETWEEN $1::bigint AND $2::bigint
  ), added AS (
    INSERT INTO inbox (event_id, received_at) SELECT id, fact FROM described
  )
  INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
    appended_at_nanos, archived_at, event, event_severity)
  SELECT id, 'settlementbus.' || type || '.v1', subject, participant, sequence, local || '+08:00', to_char(fact, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    event->>'channel', 'message-' || id, 'did:ethr:0x1111111111111111111111111111111111111111',
    'did:ethr:0x2c7536E3605D9C16a7a3D7b1898e529396a65c23', '0x' || repeat('ab', 65), extract(epoch FROM fact)::bigint * 1000000000, fact + interval '1 second',
    (event || jsonb_build_object('id', id, 'participant', participant, 'source', 'urn:settlement-bus-bridge:' || participant, 'subject', subject,
      'time', local || '+08:00', 'sequence', sequence, 'data', (event->'data') || data))::text,
    CASE WHEN type = 'margin.breached' THEN 'critical' WHEN type IN ${OPENING} THEN 'warning' ELSE 'info' END
  FROM described JOIN public.example USING (type) ORDER BY number`;

/** Each problem ends after two hours. The last ones are open. */
const ADD_PROBLEMS = `INSERT INTO problem (problem_id, kind, key, participant, state, severity, worst_severity, closed_by_person, since, opened_at, changed_at,
    figures, worst_figures, event_id, archive_offset, ended_at, acknowledged_at, acknowledged_by)
  SELECT md5('problem ' || event_id)::uuid::text, CASE WHEN type LIKE '%margin%' THEN 'margin' WHEN type LIKE '%statement%' THEN 'statement-overdue'
      WHEN type LIKE '%invoice%' THEN 'invoice-discrepancy' WHEN type LIKE '%unreachable%' THEN 'market-unreachable'
      WHEN type LIKE '%stale%' THEN 'position-stale' ELSE 'bridge-fault' END, subject || '/' || event_id, participant,
    CASE WHEN is_over THEN 'resolved' WHEN place % 3 = 0 THEN 'acknowledged' ELSE 'open' END, event_severity, event_severity, false, time, archived_at,
    archived_at, '{"margin": "-60000.5"}', '{"margin": "-60000.5"}', event_id, archive_offset, CASE WHEN is_over THEN archived_at + interval '2 hours' END,
    CASE WHEN NOT is_over AND place % 3 = 0 THEN archived_at + interval '1 minute' END, CASE WHEN NOT is_over AND place % 3 = 0 THEN 'olivia' END
  FROM (
    SELECT archive.*, row_number() OVER (ORDER BY archive_offset DESC) AS place, row_number() OVER (ORDER BY archive_offset DESC) > 60 AS is_over
    FROM archive JOIN public.planned ON planned.id = event_id WHERE planned.type IN ${OPENING}
  ) AS opening`;
const ADD_CHANGES = `INSERT INTO problem_change (problem_id, number, kind, at, event_id, severity, figures)
  SELECT problem_id, 1, 'opened', opened_at, event_id, severity, figures FROM problem
  UNION ALL SELECT problem_id, 2, 'resolved', ended_at, event_id, severity, figures FROM problem WHERE ended_at IS NOT NULL`;

/** The log gets everything, treasury everything but calculations, on-call the alerts. A few of the last ones are pending, parked or withheld. */
const ADD_DELIVERIES = `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, attempts, last_outcome, delivered_at, urgent, severity,
    problem_id, problem_state, skipped, withheld, replaced_by, parked_at, parked_until, created_at, listed_type, listed_participant)
  SELECT event_id, sink, kind, subject, sequence, archive_offset, CASE WHEN state IN ('delivered', 'parked') THEN 1 ELSE 0 END,
    CASE state WHEN 'delivered' THEN 'delivered' WHEN 'parked' THEN 'rejected: 422' END,
    CASE state WHEN 'pending' THEN NULL WHEN 'parked' THEN 'infinity' ELSE archived_at + interval '200 milliseconds' END,
    type LIKE '%breached%', event_severity, problem_id, CASE WHEN problem_id IS NOT NULL THEN 'open' END, state = 'skipped',
    CASE state WHEN 'withheld' THEN 'muted' END, CASE state WHEN 'replaced' THEN event_id END, CASE state WHEN 'parked' THEN archived_at END,
    CASE state WHEN 'parked' THEN now() + interval '10 minutes' END, archived_at + interval '50 milliseconds', type, participant
  FROM (
    SELECT archive.*, sink, problem_id, CASE WHEN problem_id IS NULL THEN 'notice' ELSE 'alert' END AS kind,
      CASE
        WHEN sink = 'on-call' AND archive.archive_offset > $1::bigint - 4000 AND planned.chance % 3 = 0 THEN 'pending'
        WHEN sink = 'treasury' AND archive.archive_offset > $1::bigint - 20000 AND planned.chance % 50 = 0 THEN 'parked'
        WHEN sink <> 'log' AND planned.chance % 40 = 0 THEN 'withheld'
        WHEN sink <> 'log' AND planned.chance % 41 = 0 THEN 'replaced'
        WHEN sink <> 'log' AND planned.chance % 97 = 0 THEN 'skipped'
        ELSE 'delivered' END AS state
    FROM archive JOIN public.planned ON planned.id = event_id CROSS JOIN unnest(ARRAY['log', 'treasury', 'on-call']) AS sink
      LEFT JOIN (SELECT event_id, problem_id FROM problem) AS opened USING (event_id)
    WHERE planned.type <> '${HEARTBEAT}' AND (sink = 'log' OR (sink = 'treasury' AND planned.type <> '${CALCULATED}') OR problem_id IS NOT NULL)
  ) AS given ORDER BY archive_offset, sink`;
const ADD_SUBJECTS = `INSERT INTO delivery_subject (sink, subject, pending, next_attempt_at, alerts, added_at)
  SELECT sink, subject, count(*) FILTER (WHERE delivered_at IS NULL), now(), count(*) FILTER (WHERE delivered_at IS NULL AND kind = 'alert'), max(created_at)
  FROM delivery GROUP BY 1, 2`;
const ADD_ATTEMPTS = `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status)
  SELECT event_id, sink, 1, created_at, 20, 'delivered', 204 FROM delivery WHERE attempts = 1 AND created_at > now() - interval '30 days'`;
const ADD_SEQUENCES = 'INSERT INTO subject_sequence SELECT subject, max(sequence) FROM archive GROUP BY 1';
const ADD_SINKS = `INSERT INTO sink_state (sink) SELECT unnest(ARRAY['log', 'treasury', 'on-call'])`;

/** What people requested: 5,000 requests in a year, each with two records in the audit log, and 200 silences. */
const ADD_REQUESTS = `INSERT INTO request (kind, parameters, author, comment, requested_at, finished_at, outcome, result)
  SELECT (ARRAY['acknowledge', 'close', 'resend', 'skip', 'silence'])[1 + number % 5], jsonb_build_object('problemId', md5('problem ' || number)::uuid),
    'author-' || number % 12, 'known', now() - interval '365 days' * (1 - number / 5000.0), now() - interval '365 days' * (1 - number / 5000.0), 'done', '{}'
  FROM generate_series(1, 5000) AS number`;
const ADD_AUDIT = `INSERT INTO audit (at, request_id, kind, step, parameters, author, comment, database_role)
  SELECT requested_at, request_id, kind, step, parameters, author, comment, database_role FROM request CROSS JOIN unnest(ARRAY['requested', 'done']) AS step
  ORDER BY request_id, step DESC`;
const ADD_SILENCES = `INSERT INTO silence (silence_id, silence_key, matchers, starts_at, ends_at, author, comment, concluded)
  SELECT request_id, request_key, jsonb_build_object('participants', jsonb_build_array('WP' || lpad((request_id % ${PARTICIPANTS})::text, 3, '0'))), requested_at,
    requested_at + CASE WHEN request_id > 4900 THEN interval '60 days' ELSE interval '1 day' END, author, 'maintenance', request_id <= 4900
  FROM request WHERE kind = 'silence' AND request_id % 25 = 4`;
const ADD_QUARANTINE = `INSERT INTO quarantine (channel, message_id, sender, signature, appended_at_nanos, reason, detail, payload, payload_bytes, quarantined_at, released_at)
  SELECT 'settlement.channels.bridge.apps.participant.iam.market', 'message ' || number, 'did:ethr:0x1111111111111111111111111111111111111111', '', 0,
    (ARRAY['schema', 'signer-mismatch', 'origin-proof'])[1 + number % 3], 'wrong', '\\x7b7d', 2, now() - interval '365 days' * (1 - number / 2000.0),
    CASE WHEN number % 10 > 0 THEN now() END FROM generate_series(1, 2000) AS number`;

/** After the events, in this order. Those that take the number of events have it as $1. */
export const ADD_REST: readonly (readonly [what: string, sql: string])[] = [
  ['problems', ADD_PROBLEMS],
  ['changes of problems', ADD_CHANGES],
  ['deliveries', ADD_DELIVERIES],
  ['subjects', ADD_SUBJECTS],
  ['attempts', ADD_ATTEMPTS],
  ['sequences', ADD_SEQUENCES],
  ['sinks', ADD_SINKS],
  ['requests', ADD_REQUESTS],
  ['audit log', ADD_AUDIT],
  ['silences', ADD_SILENCES],
  ['quarantine', ADD_QUARANTINE],
];
