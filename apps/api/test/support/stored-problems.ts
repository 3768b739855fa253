import type { SqlSession } from '@ssb/postgres';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';

export interface StoredProblem {
  readonly participant?: string;
  readonly kind?: string;
  readonly severity?: 'info' | 'warning' | 'critical';
  readonly state?: 'open' | 'acknowledged' | 'resolved' | 'closed';
  readonly openedAt?: string;
  readonly endedAt?: string;
}

/** Stores a problem that an event of its own has opened. @returns its id */
export async function storeProblem(
  session: SqlSession,
  name: string,
  {
    participant = 'WPGENCO',
    kind = 'margin',
    severity = 'critical',
    state = 'open',
    openedAt,
    endedAt,
  }: StoredProblem = {},
): Promise<string> {
  const id = uuidOf(name);
  const eventId = await archiveEvent(session, 'margin.breached', {
    event: { id: uuidOf(`event of ${name}`), participant },
    severity,
  });
  await session.query(
    `INSERT INTO problem (problem_id, kind, key, participant, state, severity, worst_severity, closed_by_person, since, opened_at, changed_at,
       figures, worst_figures, worst_measure, event_id, archive_offset, ended_at)
     SELECT $1, $2, $3, $4, $5, $6, $6, false, '2026-03-02T08:00:00+08:00', coalesce($7, now()), now(),
       '{"margin": "-5.00000001"}', '{"margin": "-7.5"}', '-7.5', event_id, archive_offset, $9 FROM archive WHERE event_id = $8`,
    [
      id,
      kind,
      `${participant}/${name}`,
      participant,
      state,
      severity,
      openedAt ?? null,
      eventId,
      endedAt ?? null,
    ],
  );
  await session.query(
    `INSERT INTO problem_change (problem_id, number, kind, at, event_id, severity, figures) VALUES ($1, 1, 'opened', now(), $2, $3, '{"margin": "-7.5"}')`,
    [id, eventId, severity],
  );
  return id;
}

/** Stores a silence of a day as the subscriber does. @returns its id */
export async function storeSilence(
  session: SqlSession,
  matchers: object,
  { hides = [], over = false }: { readonly hides?: readonly string[]; readonly over?: boolean } = {},
): Promise<string> {
  const [request] = await session.query<{ number: number; id: string }>(
    `INSERT INTO request (kind, author, parameters) VALUES ('silence', 'olivia', $1::jsonb) RETURNING request_id AS number, request_key AS id`,
    [JSON.stringify({ matchers })],
  );
  if (request === undefined) throw new Error('no request');
  await session.query(`UPDATE request SET finished_at = now(), outcome = 'done' WHERE request_id = $1`, [
    request.number,
  ]);
  await session.query(
    `INSERT INTO silence (silence_id, silence_key, matchers, starts_at, ends_at, author, comment)
     VALUES ($1, $2, $3::jsonb, now() - interval '1 hour', now() + $4::interval, 'olivia', 'maintenance')`,
    [request.number, request.id, JSON.stringify(matchers), over ? '-1 minute' : '1 day'],
  );
  for (const id of hides)
    await session.query('INSERT INTO silenced_problem (silence_id, problem_id) VALUES ($1, $2)', [
      request.number,
      id,
    ]);
  return request.id;
}

/** Stores the silence of a request. */
export async function carryOutSilence(session: SqlSession, requestId: string): Promise<void> {
  await session.query(
    `INSERT INTO silence (silence_id, silence_key, matchers, starts_at, ends_at, author, comment)
     SELECT request_id, request_key, parameters->'matchers', now(), now() + interval '4 hours', author, comment FROM request WHERE request_key = $1`,
    [requestId],
  );
}
