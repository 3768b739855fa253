import { waitFor } from '@ssb/testing';
import { archiveEvent, uuidOf } from '@ssb/testing/archived-events';
import type { Caller } from '../src/access/caller.js';
import { EventQueries } from '../src/events/event-queries.js';
import { OpenStream, type StreamOptions } from './support/open-stream.js';
import { RunningApi } from './support/running-api.js';

const UNKNOWN = { path: 'id', message: 'unknown' };

let api: RunningApi;
const open: OpenStream[] = [];

beforeAll(async () => {
  api = await RunningApi.start({ EVENT_STREAMS: '3', CALLER_EVENT_STREAMS: '2' });
});
afterEach(async () => {
  for (const stream of open) stream.close();
  for (const stream of open.splice(0)) await stream.ended();
  // The API notices the end of a connection a moment later. The last test has closed the API.
  await waitFor('the end of all streams', async () => (await openStreams().catch(() => '0')) === '0');
});
afterAll(() => api.close());

async function stream(query = '', options: StreamOptions = {}): Promise<OpenStream> {
  const opened = await OpenStream.open(api, query, options);
  open.push(opened);
  return opened;
}

/** Archives an event as the subscriber does, which notifies at the commit. @param time of the fact; that of the example by default */
async function archive(
  name: string,
  participant = 'WPGENCO',
  type = 'position.calculated',
  time?: string,
): Promise<string> {
  return api.tables.admin.transaction(async (session) => {
    const event = { id: uuidOf(name), participant, ...(time !== undefined && { time }) };
    const id = await archiveEvent(session, type, { event });
    await session.notify('deliveries', '');
    return id;
  });
}

it('begins with the first event of an archive that was empty', async () => {
  const lost = await stream();
  expect(lost.firstId).toBe('beginning');
  const first = await archive('first of all');
  const next = await stream('', { lastEventId: 'beginning' });
  await next.received(first);
});

it('sends the events that the filters and the caller allow, from now on', async () => {
  await archive('before');
  const all = await stream('?type=position.*');
  const limited = await stream('', { token: api.limited });
  const ids = [await archive('one'), await archive('foreign', 'BETA'), await archive('two')];
  await archive('breach', 'BETA', 'margin.breached');
  const last = await archive('last');
  await all.received(last);
  await limited.received(last);
  expect(all.ids).toEqual([...ids, last]);
  expect(limited.ids).toEqual([ids[0], ids[2], last]);
  expect(all.headers.get('content-encoding')).toBeNull();
  expect(all.dataOf(last)).toMatchObject({
    id: last,
    type: 'settlementbus.position.calculated.v1',
    figures: { tradingMargin: '249999.98999999' },
    event: { id: last, participant: 'WPGENCO' },
  });
});

it('begins with an id that the caller may see, after which it continues', async () => {
  const own = await archive('own');
  await archive('of another', 'BETA');
  const lost = await stream('', { token: api.limited });
  expect(lost.firstId).toBe(own);
  const missed = await archive('missed');
  const next = await stream('', { token: api.limited, lastEventId: own });
  await next.received(missed);
  expect(next.ids).toEqual([missed]);
});

it('begins after an old fact that was archived last, as a backfill does', async () => {
  await archive('new fact');
  const old = await archive('old fact', 'WPGENCO', 'position.calculated', '2020-03-02T09:00:00+08:00');
  const lost = await stream();
  expect(lost.firstId).toBe(old);
  const missed = await archive('older fact', 'WPGENCO', 'position.calculated', '2020-03-01T09:00:00+08:00');
  const next = await stream('', { lastEventId: old });
  await next.received(missed);
  expect(next.ids).toEqual([missed]);
});

it('continues after the last event that was received', async () => {
  const ids = [await archive('a'), await archive('b'), await archive('c')];
  const byHeader = await stream('', { lastEventId: ids[0] ?? '' });
  const byParameter = await stream(`?after=${ids[1]?.slice(0, 8)}`, { token: api.operator });
  await byHeader.received(ids[2] ?? '');
  await byParameter.received(ids[2] ?? '');
  expect([byHeader.ids, byParameter.ids]).toEqual([ids.slice(1), ids.slice(2)]);
  // The whole id: later another event can begin as the text did.
  expect(byParameter.firstId).toBe(ids[1]);
});

it('finds the last event of a caller behind many of others', async () => {
  const queries = new EventQueries(api.tables.admin);
  const limited: Caller = { name: 'vera', role: 'viewer', participants: ['WPGENCO'] };
  const find = (upTo: number): Promise<string> => queries.findLastBefore(limited, {}, upTo, 1);
  const [earlier, own] = [await archive('earlier own'), await archive('last own')];
  await archive('behind it', 'BETA');
  const beat = await archive('beat', 'WPGENCO', 'bridge.heartbeat');
  const { offset } = await queries.findPlace({ ...limited, participants: 'all' }, own, UNKNOWN);
  expect(await find(offset + 2)).toBe(own);
  expect(await find(offset - 1)).toBe(earlier);
  const heartbeats = { types: ['settlementbus.bridge.heartbeat.v1'] };
  expect(await queries.findLastBefore(limited, heartbeats, offset + 2, 1)).toBe(beat);
});

it('responds to a foreign event as to an unknown one', async () => {
  const foreign = await archive('foreign event', 'BETA');
  const responses: unknown[] = [];
  for (const lastEventId of [foreign, uuidOf('unknown')]) {
    const refused = await stream('', { token: api.limited, lastEventId });
    responses.push([refused.status, await refused.body()]);
  }
  expect(responses[0]).toEqual(responses[1]);
  expect(responses[0]).toEqual([422, expect.stringContaining('must be the id of an archived event')]);
});

const readMetrics = async (): Promise<string> =>
  (await fetch(new URL('/metrics', api.urls.management))).text();

async function openStreams(): Promise<string | undefined> {
  return /^settlement_bridge_api_open_streams (\d+)$/m.exec(await readMetrics())?.[1];
}

/** A connection of the API has looked for writers of the archive since the last statement of the test. */
async function isWaitingForWriters(): Promise<boolean> {
  const rows = await api.tables.admin.query(
    `SELECT 1 FROM pg_stat_activity WHERE usename = 'api' AND query LIKE '%pg_locks%'
       AND query_start > (SELECT max(archived_at) FROM archive)`,
  );
  return rows.length > 0;
}

it('sends an event whose transaction commits after a later one, in the order of the archive', async () => {
  const reader = await stream();
  let late = '';
  let later = '';
  await api.tables.admin.transaction(async (session) => {
    late = await archiveEvent(session, 'position.calculated', {
      event: { id: uuidOf('late'), participant: 'BETA' },
    });
    later = await archive('later');
    await waitFor('a read that waits for the transaction', isWaitingForWriters);
    expect(reader.ids).toEqual([]);
    await session.notify('deliveries', '');
  });
  await reader.received(later);
  expect(reader.ids).toEqual([late, later]);
});

it('begins, and ends when the reader leaves, while a transaction holds the archive', async () => {
  const left = new AbortController();
  await api.tables.admin.transaction(async (session) => {
    await archiveEvent(session, 'position.calculated', { event: { id: uuidOf('held') } });
    await archive('newer than held');
    const { status } = await fetch(`${api.urls.api}/v1/events/stream`, {
      signal: left.signal,
      headers: { authorization: `Bearer ${api.viewer}` },
    });
    expect([status, await openStreams()]).toEqual([200, '1']);
    await waitFor('a read that waits for the transaction', isWaitingForWriters);
    left.abort();
    await waitFor('the end of the stream', async () => (await openStreams()) === '0');
  });
});

it('sends events that are larger than a page', async () => {
  const padding = 'x'.repeat(700_000);
  const reader = await stream();
  const ids: string[] = [];
  await api.tables.admin.transaction(async (session) => {
    for (const name of ['large', 'larger', 'largest']) {
      const event = { id: uuidOf(name), participant: 'WPGENCO', padding };
      ids.push(await archiveEvent(session, 'position.calculated', { event }));
    }
    await session.notify('deliveries', '');
  });
  await reader.received(ids[2] ?? '');
  expect(reader.ids).toEqual(ids);
});

it('has no HEAD, and no duration', async () => {
  const headers = { authorization: `Bearer ${api.viewer}` };
  const head = await fetch(`${api.urls.api}/v1/events/stream`, { method: 'HEAD', headers });
  expect([head.status, head.headers.get('allow'), await openStreams()]).toEqual([405, 'GET', '0']);
  const metrics = await readMetrics();
  expect(metrics).toMatch(/api_requests_total\{route="\/v1\/events\/stream",method="HEAD",status="4xx"\} 1/);
  expect(metrics).not.toMatch(/api_request_seconds_count\{[^}]*"\/v1\/events\/stream"/);
});

it('does not wait for an offset whose transaction was rolled back', async () => {
  const reader = await stream();
  const rolledBack = api.tables.admin.transaction(async (session) => {
    await archiveEvent(session, 'position.calculated', { event: { id: uuidOf('rolled back') } });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  await reader.received(await archive('after the gap'));
});

it('limits the streams of a caller and of all callers', async () => {
  await stream();
  await stream();
  expect((await stream()).status).toBe(429);
  await stream('', { token: api.limited });
  expect((await stream('', { token: api.operator })).status).toBe(503);
});

it('ends when the token of the caller is revoked', async () => {
  const token = await api.addToken({ name: 'vera', role: 'viewer', participants: 'all' });
  await waitFor('the token', async () => (await api.get('/v1/events?limit=1', { token })).status === 200);
  const reader = await stream('', { token });
  await api.revokeToken(token);
  expect(await reader.ended()).toBe('changed');
});

it('ends with a reason at the shutdown', async () => {
  const reader = await stream();
  await api.close();
  expect(await reader.ended()).toBe('shutdown');
});
