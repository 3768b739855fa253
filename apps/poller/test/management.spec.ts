import { addDays, toInstant } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecordStore } from '@ssb/redis-queue';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { calculations, CALCULATIONS, FROM, TIMELINE, timeline, TODAY } from './support/market-responses.js';
import {
  folder,
  market,
  participant,
  prefix,
  redis,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

const TOKEN = randomUUID();

async function open(settings: Record<string, string> = {}, cycles = timeline()) {
  const file = join(folder, 'operate.token');
  writeFileSync(file, TOKEN, { mode: 0o600 });
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000.00']));
  market.responses.set(TIMELINE, cycles);
  const { url } = await start({ MANAGEMENT_OPERATE_TOKEN_FILE: file, ...settings });
  return async (method: 'GET' | 'POST', path: string, body?: object, token: string = TOKEN) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

it('shows the lease, the last success and the budget of each interface', async () => {
  const send = await open({ PRUDENTIAL_REQUESTS_PER_MINUTE: '6000' });
  const state = await waitFor('a success of both interfaces', async () => {
    const { body } = await send('GET', '/state');
    const found = (body['participants'] as { interfaces?: { lastSuccessAt?: string }[] }[])[0]?.interfaces;
    return found?.every(({ lastSuccessAt }) => lastSuccessAt !== undefined) === true ? body : undefined;
  });
  expect(state).toMatchObject({
    replicas: 1,
    participants: [
      {
        participant,
        leaseHolder: state['replica'],
        interfaces: [
          { interface: 'prudential', budgets: [{ seconds: 60, requests: 6_000, used: expect.any(Number) }] },
          { interface: 'settlement', budgets: [] },
        ],
      },
    ],
  });
});

describe('open items', () => {
  type Send = Awaited<ReturnType<typeof open>>;
  const list = async (send: Send, query = ''): Promise<Record<string, unknown>[]> =>
    (await send('GET', `/open-items${query}`)).body['items'] as Record<string, unknown>[];
  const isKnown = (items: readonly Record<string, unknown>[]): boolean =>
    items.every(({ kind }) => kind !== 'unknown');

  it('are listed by the replica that polls, and by the others', async () => {
    const send = await open();
    const other = await open();
    const expected = {
      ...{ participant, kind: 'statement', market: 'WEM', expectedOn: TODAY },
      since: toInstant(TODAY).toISOString(),
    };
    for (const each of [send, other]) {
      const items = await waitFor('the statement alone', async () => {
        const found = await list(each, `?participant=${participant}`);
        return isKnown(found) ? found : undefined;
      });
      expect(items).toMatchObject([expected]);
    }
    expect((await other('GET', '/open-items')).body).toMatchObject({
      participants: [participant],
      furtherItems: 0,
    });
    expect(await list(send, '?participant=OTHER')).toEqual([]);
    expect((await send('GET', '/open-items?participants=OTHER')).status).toBe(422);
  });

  it('are unknown while no poll has succeeded', async () => {
    const send = await open({}, 'not JSON');
    await waitFor('an unknown timeline', async () => {
      const items = await list(send);
      return items.length === 1 && items[0]?.['interface'] === 'settlement';
    });
    expect(await list(send)).toMatchObject([
      { participant, kind: 'unknown', detail: 'no poll of the settlement interface has succeeded yet' },
    ]);
  });
});

it('starts and lists a backfill for the token of actions only, and keeps the result of a complete one', async () => {
  const send = await open({ BACKFILL_REQUEST_INTERVAL_MS: '10' });
  const range = { participant, from: FROM, to: TODAY, dryRun: true };
  expect((await send('POST', '/backfills', range, 'other')).status).toBe(401);
  expect((await send('POST', '/backfills', { ...range, from: addDays(TODAY, 1) })).status).toBe(422);
  expect((await send('POST', '/backfills', { ...range, participant: 'OTHER' })).status).toBe(422);
  expect(await send('POST', '/backfills', range)).toMatchObject({
    status: 200,
    body: { outcome: 'started', backfill: { participant, from: FROM } },
  });
  await waitFor('its end', async () => {
    const { body } = await send('GET', '/backfills');
    return (body['items'] as { state: string }[])[0]?.state === 'done';
  });
  const { body } = await send('GET', `/backfills/${participant}`);
  const types = body['types'] as { type: string; events: number }[];
  expect(types.reduce((sum, { events }) => sum + events, 0)).toBe(body['events']);
  const listed = await send('GET', `/backfills/${participant}/events?limit=1`);
  expect(listed.body).toMatchObject({ items: [{ type: types[0]?.type }] });
  expect((await send('GET', '/backfills/OTHER/events')).status).toBe(404);
  expect(await send('POST', `/backfills/${participant}/cancel`)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('has already ended') },
  });
  expect((await send('GET', `/backfills/${participant}`)).body).toEqual(body);
  expect((await send('GET', `/backfills/${participant}/events?limit=1`)).body).toEqual(listed.body);
});

it('cancels a backfill that is not complete', async () => {
  const send = await open({ BACKFILL_REQUEST_INTERVAL_MS: '60000' });
  await send('POST', '/backfills', { participant, from: FROM, to: TODAY, dryRun: true });
  expect(await send('POST', `/backfills/${participant}/cancel`)).toMatchObject({
    status: 200,
    body: { participant, from: FROM, to: TODAY },
  });
  expect((await send('POST', `/backfills/${participant}/cancel`)).status).toBe(404);
  expect((await send('GET', '/backfills')).body).toEqual({ items: [] });
});

it('sends a full record in parts, for the token of actions only', async () => {
  const send = await open();
  // It does not compress, so it has several parts.
  const record = randomBytes(1_500_000).toString('hex');
  const store = new RecordStore({ redis, prefix, maxBytes: 64 * 1024 * 1024, maxAgeDays: 1 });
  const { sha256 } = await store.put(record, { participant, eventId: 'x', subject: 'x' });
  const parts: Buffer[] = [];
  let [offset, bytes] = [0, 1];
  while (offset < bytes) {
    const { body } = await send('GET', `/records/${sha256}?offset=${offset}`);
    const part = Buffer.from(String(body['content']), 'base64');
    parts.push(part);
    [offset, bytes] = [offset + part.length, Number(body['bytes'])];
  }
  expect(parts.length).toBeGreaterThan(1);
  const text = gunzipSync(Buffer.concat(parts)).toString();
  expect(createHash('sha256').update(text).digest('hex')).toBe(sha256);
  expect((await send('GET', `/records/${sha256}`, undefined, 'other')).status).toBe(401);
  expect(await send('GET', `/records/${'0'.repeat(64)}`)).toMatchObject({
    status: 404,
    body: { detail: 'The record store does not have this record.' },
  });
  expect((await send('GET', `/records/${sha256}?offset=-1`)).status).toBe(422);
});
