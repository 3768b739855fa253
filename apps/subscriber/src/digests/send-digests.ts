import { createHash } from 'node:crypto';
import type { OperatorConfig } from '@ssb/config';
import {
  MAX_DIGEST_EVENTS,
  SEVERITIES,
  sinkSubject,
  toUuidV4,
  type DigestDetails,
  type Severity,
} from '@ssb/events';
import type { Database, SqlSession } from '@ssb/postgres';
import { DELIVERIES_CHANNEL } from '../deliveries/outbox/pending-delivery.js';
import { addCounts } from '../deliveries/outbox/subject-counts.js';
import { RETRY_MS } from '../domain/pauses.js';
import { findDigestTime, type WaitingNotices } from './find-digest-time.js';

/** Bytes of the events of one digest, except of a single larger event. */
const MAX_DIGEST_BYTES = 1_048_576;

export interface SentDigest {
  readonly id: string;
  readonly sink: string;
  readonly events: number;
}

export interface DigestRound {
  readonly sent: readonly SentDigest[];
  /** Until a digest becomes due, by the clock of the database, or is tried again; undefined when no notice waits. */
  readonly nextMs: number | undefined;
  /** No notice waited. */
  readonly isComplete: boolean;
}

/** Whether a rule groups notices. If not, the database is read only for those that still wait. */
export function groupsNotices({ alerts }: Pick<OperatorConfig, 'alerts'>): boolean {
  return alerts.rules.some(({ group }) => group !== undefined);
}

/**
 * Adds all digests that are due now, one transaction each. The notices of a sink that the configuration does not name stay.
 * @param onFailure is called for each sink that failed. It does not stop the others.
 */
export async function sendDigests(
  database: Database,
  config: Pick<OperatorConfig, 'alerts'>,
  signal: AbortSignal,
  onFailure: (sink: string, err: unknown) => void,
): Promise<DigestRound> {
  const sent: SentDigest[] = [];
  const waits: number[] = [];
  const { waiting, now } = await readWaiting(
    database,
    config.alerts.sinks.map(({ name }) => name),
  );
  for (const notices of waiting) {
    const { sink } = notices;
    try {
      const dueAt = findDigestTime(config, notices, now);
      if (dueAt > now) waits.push(dueAt.getTime() - now.getTime());
      else await sendAll(database, config, sink, signal, sent);
    } catch (err) {
      onFailure(sink, err);
      waits.push(RETRY_MS);
    }
  }
  return {
    sent,
    nextMs: waits.length === 0 ? undefined : Math.min(...waits),
    isComplete: waiting.length === 0,
  };
}

/** @param sent gets each digest once it is committed */
async function sendAll(
  database: Database,
  config: Pick<OperatorConfig, 'alerts'>,
  sink: string,
  signal: AbortSignal,
  sent: SentDigest[],
): Promise<void> {
  // What waits when the first digest is due does not wait for another pause.
  let until: Date | undefined;
  while (!signal.aborted) {
    const digest = await database.transaction((session) => sendNext(session, config, sink, until));
    if (digest === undefined) break;
    const { at, ...added } = digest;
    until ??= at;
    sent.push(added);
  }
}

/** Decides again under the lock of the sink's digests, so that those of another replica count. */
async function sendNext(
  session: SqlSession,
  config: Pick<OperatorConfig, 'alerts'>,
  sink: string,
  until: Date | undefined,
): Promise<(SentDigest & { readonly at: Date }) | undefined> {
  await lockDigests(session, sink);
  const { waiting, now } = await readWaiting(session, [sink]);
  const [notices] = waiting;
  if (notices === undefined) return undefined;
  const isRest = until !== undefined && notices.since <= until;
  if (!isRest && findDigestTime(config, notices, now) > now) return undefined;
  const members = takeMembers(await readMembers(session, sink));
  const ids = members.map(({ eventId }) => eventId);
  const last = ids.at(-1);
  if (last === undefined) return undefined;
  const id = toUuidV4(
    createHash('sha256')
      .update(JSON.stringify(['digest', sink, ...ids]))
      .digest(),
  );
  const details: DigestDetails = { delivery: 'digest', time: now.toISOString(), count: members.length };
  await session.query('UPDATE delivery SET digest_id = $1 WHERE sink = $2 AND event_id = ANY ($3::text[])', [
    id,
    sink,
    ids,
  ]);
  await session.query(
    `WITH added AS (
       INSERT INTO delivery (event_id, sink, kind, severity, subject, sequence, archive_offset, about_event_id, details)
       SELECT $1, $2, 'notice', $3, $4, '', archive_offset, event_id, $5::json FROM archive WHERE event_id = $6
       RETURNING sink, subject, kind, held, urgent, replayed
     ) ${addCounts('0')}`,
    [id, sink, highest(members), sinkSubject(sink), JSON.stringify(details), last],
  );
  await session.notify(DELIVERIES_CHANNEL, '');
  return { id, sink, events: members.length, at: now };
}

const lockDigests = (session: SqlSession, sink: string): Promise<unknown> =>
  session.query(
    `INSERT INTO delivery_subject AS known (sink, subject, pending, next_attempt_at) VALUES ($1, $2, 0, clock_timestamp())
     ON CONFLICT (sink, subject) DO UPDATE SET pending = known.pending`,
    [sink, sinkSubject(sink)],
  );

/** SQL: a row of `delivery` waits for a digest. */
const IS_WAITING = "withheld = 'grouped' AND digest_id IS NULL";

async function readWaiting(
  session: SqlSession,
  sinks: readonly string[],
): Promise<{ readonly waiting: readonly WaitingNotices[]; readonly now: Date }> {
  const rows = await session.query<WaitingNotices & { readonly now: Date }>(
    `SELECT sink, min(created_at) AS since, bool_or(severity = 'critical' OR urgent) AS "isCritical", clock_timestamp() AS now
     FROM delivery WHERE ${IS_WAITING} AND sink = ANY ($1::text[]) GROUP BY sink ORDER BY sink`,
    [[...sinks]],
  );
  return { waiting: rows, now: rows[0]?.now ?? new Date(NaN) };
}

interface Member {
  readonly eventId: string;
  readonly severity: Severity;
  readonly bytes: number;
}

/** The oldest notices. A notice that a person resends at this time is left out. */
const readMembers = (session: SqlSession, sink: string): Promise<Member[]> =>
  session.query<Member>(
    `WITH oldest AS (
       SELECT event_id, severity, archive_offset FROM delivery WHERE ${IS_WAITING} AND sink = $1
       ORDER BY archive_offset LIMIT $2 FOR UPDATE SKIP LOCKED
     )
     SELECT event_id AS "eventId", oldest.severity, octet_length(event) AS bytes FROM oldest JOIN archive USING (event_id) ORDER BY oldest.archive_offset`,
    [sink, MAX_DIGEST_EVENTS],
  );

function takeMembers(oldest: readonly Member[]): readonly Member[] {
  let bytes = 0;
  const end = oldest.findIndex((member, at) => (bytes += member.bytes) > MAX_DIGEST_BYTES && at > 0);
  return end === -1 ? oldest : oldest.slice(0, end);
}

const highest = (members: readonly Member[]): Severity =>
  SEVERITIES.findLast((severity) => members.some((member) => member.severity === severity)) ?? 'info';
