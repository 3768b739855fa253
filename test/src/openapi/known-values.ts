import { LISTINGS, type FilledSystem } from '../harness/filled-system.js';
import { PARTICIPANT } from '../harness/running-system.js';
import type { KnownValues } from './fuzzer.js';

/** What exists, as the operator sees it. */
export async function findKnownValues(system: FilledSystem): Promise<KnownValues> {
  const known: Record<string, Record<string, string[]>> = {
    'GET /v1/backfills/{participant}': { participant: [PARTICIPANT] },
    'GET /v1/backfills/{participant}/events': { participant: [PARTICIPANT] },
    'POST /v1/backfills/{participant}/cancel': { participant: [PARTICIPANT] },
  };
  // Only a revised statement has something before it.
  const [revision] = (await system.get('/v1/events?type=settlementbus.statement.revised.v1')).items;
  if (revision === undefined) throw new Error('no statement was revised');
  const { next: cursor } = await system.get(`/v1/statements/${revision.id}/differences?limit=1`);
  known['GET /v1/statements/{id}/differences'] = {
    id: [revision.id],
    ...(cursor !== undefined && { cursor: [cursor] }),
  };
  for (const path of LISTINGS) {
    const { next } = await system.get(`/v1/${path}?limit=1`);
    if (next !== undefined) known[`GET /v1/${path}`] = { cursor: [next] };
  }
  for (const [path, operations] of Object.entries(RESOURCES)) {
    const { items } = await system.get(`/v1/${path}`);
    const ids = items.map(({ id }) => id);
    // Each operation has its own, because some remove theirs.
    for (const [index, operation] of operations.entries())
      known[operation] = { id: ids.filter((_, at) => at % operations.length === index) };
  }
  return known;
}

/** The operations of the resources of a listing. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  events: ['GET /v1/events/{id}', 'GET /v1/events/{id}/evidence'],
  problems: ['GET /v1/problems/{id}', 'POST /v1/problems/{id}/acknowledge', 'POST /v1/problems/{id}/close'],
  'settlement-calendar': ['GET /v1/statements/{id}'],
  quarantine: ['GET /v1/quarantine/{id}'],
  silences: ['GET /v1/silences/{id}', 'POST /v1/silences/{id}/end'],
  'dead-letters': [
    'GET /v1/dead-letters/{id}',
    'POST /v1/dead-letters/{id}/retry',
    'POST /v1/dead-letters/{id}/remove',
  ],
};
