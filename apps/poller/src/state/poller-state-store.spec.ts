import { ContentAuthenticator, KeyRing, type KeySource } from '@ssb/keys';
import { AuthenticatedHash, connectRedis, type DiscardedValue } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { FencingToken } from './poller-keys.js';
import { FencedOffError, pollerKeys, type PollerKeys } from './poller-keys.js';
import { PollerStateStore } from './poller-state-store.js';
import { POSITION_PART } from './saved-state.js';

const TOKEN = '7' as FencingToken;
const NEXT_TOKEN = '8' as FencingToken;
const OK = 'a margin that is OK';
const BREACHED = 'a margin that is breached';
const EVENT = {
  id: 'x',
  type: 'settlementbus.margin.restored.v1',
  subject: 's',
  participant: 'P',
  time: 't',
  detectedat: 't',
  data: {},
};
const SEEN = 'statement:WEM|2026-03-01|INITIAL';

const keyOf = (version: number) => ({
  version,
  activeFrom: new Date(version),
  secret: String(version).repeat(32),
});
const integrityKeys: KeySource = { current: () => ring, refresh: () => Promise.resolve() };

let server: TestRedis;
let redis: Redis;
let keys: PollerKeys;
let ring: KeyRing;
let discarded: DiscardedValue[];
let state: PollerStateStore;

beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
beforeEach(async () => {
  redis = connectRedis(server.url, { name: 'state-spec' });
  keys = pollerKeys('{state-spec}', randomUUID());
  ring = new KeyRing([keyOf(1)]);
  discarded = [];
  state = newState();
  await redis.set(keys.fence, TOKEN);
});

afterEach(() => redis.disconnect());

function newState(connection = redis): PollerStateStore {
  const onDiscarded = (values: readonly DiscardedValue[]) => void discarded.push(...values);
  return new PollerStateStore({ redis: connection, keys, integrityKeys, onDiscarded });
}

const textOf = (key: string, field: string, content: string, purpose = 'poller-state'): string =>
  new AuthenticatedHash(redis, key, new ContentAuthenticator(integrityKeys, purpose)).toText(field, content);

const nothing = { parts: new Map(), pending: new Map(), altered: new Set() };
const position = (content: string) => ({ parts: new Map([['position', content]]) });
const readSeen = async (token: FencingToken, from = state): Promise<ReadonlySet<string>> =>
  new Set((await from.readSettlement(token)).parts.keys());

it.each<[string, () => string | Buffer]>([
  ['without a code', () => '7'],
  ['with a wrong code', () => `v1:${'A'.repeat(43)} 7`],
  ['with an unknown version', () => textOf(keys.state, SEEN, '7').replace('v1:', 'v9:')],
  ['of another participant', () => textOf(pollerKeys('{state-spec}', 'OTHER').state, SEEN, '7')],
  ['of another prefix', () => textOf(keys.state.replace('{state-spec}', '{other}'), SEEN, '7')],
  ['of another field', () => textOf(keys.state, `${SEEN}2`, '7')],
  ['of another purpose', () => textOf(keys.state, SEEN, '7', 'queue-job')],
  ['that is not UTF-8', () => Buffer.from([0xfe, 0x20, 0xff])],
])('discards a seen publication %s, once', async (_, text) => {
  await state.savePart(TOKEN, 'invoice:WEM|2026-03-01|INITIAL', '7');
  await redis.hset(keys.state, SEEN, text());
  for (let n = 0; n < 2; n += 1)
    expect(await readSeen(TOKEN)).toEqual(new Set(['invoice:WEM|2026-03-01|INITIAL']));
  expect(discarded).toMatchObject([{ field: SEEN }]);
  expect(await redis.hlen(keys.state)).toBe(1);
});

it('discards a forged position, pending detection and poll time, and authentic ones of another form', async () => {
  const forged = `v1:${'A'.repeat(43)} 7`;
  for (const polls of ['2026-03-02T09:00:00.000Z', textOf(keys.polls, 'prudential', 'yesterday')])
    for (const pending of [
      '{"events":[],"state":""}',
      textOf(keys.state, 'pending:position', '{"events":[]}'),
    ]) {
      await redis.hset(keys.state, { position: forged, 'pending:position': pending });
      await redis.hset(keys.polls, 'prudential', polls);
      const token = String(await redis.incr(keys.fence)) as FencingToken;
      expect(await state.readPart(token, POSITION_PART)).toEqual(nothing);
      expect(await state.readLastSuccesses(token)).toEqual({});
    }
  expect(await redis.exists(keys.state, keys.polls)).toBe(0);
  expect(new Set(discarded.map(({ reason }) => reason))).toEqual(
    new Set(['missing', 'unusable', 'mismatch']),
  );
});

describe('a key that another client made something else than a hash', () => {
  beforeEach(async () => {
    await redis.set(keys.state, 'x');
    await redis.rpush(keys.polls, 'x');
  });
  const whole = { field: '', reason: 'malformed' };

  it('is deleted and reported by a reading', async () => {
    expect(await state.readPart(TOKEN, POSITION_PART)).toEqual(nothing);
    expect(await state.readLastSuccesses(TOKEN)).toEqual({});
    await redis.set(keys.state, 'x');
    expect(await readSeen(TOKEN)).toEqual(new Set());
    expect(discarded).toEqual([whole, whole, whole]);
    expect(await redis.exists(keys.state, keys.polls)).toBe(0);
  });

  it('is deleted and reported by a write', async () => {
    const at = new Date(1);
    await state.savePart(TOKEN, 'position', OK);
    await state.saveLastSuccess(TOKEN, 'settlement', at);
    expect(discarded).toEqual([whole, whole]);
    expect(await newState().readPart(TOKEN, POSITION_PART)).toMatchObject({
      ...position(OK),
      altered: new Set(),
    });
    expect(await newState().readLastSuccesses(TOKEN)).toEqual({ settlement: at.toISOString() });
  });

  it('is not deleted under an old token', async () => {
    await redis.set(keys.fence, NEXT_TOKEN);
    for (const operation of [
      state.readPart(TOKEN, POSITION_PART),
      readSeen(TOKEN),
      state.savePart(TOKEN, 'position', OK),
    ])
      await expect(operation).rejects.toThrow(FencedOffError);
    expect(await redis.get(keys.state)).toBe('x');
    expect(discarded).toEqual([]);
  });

  it('does not end what the leader knows', async () => {
    await readSeen(TOKEN);
    await state.savePart(TOKEN, 'position', BREACHED);
    await redis.set(keys.state, 'x');
    expect(await state.readPart(TOKEN, POSITION_PART)).toMatchObject({
      ...position(BREACHED),
      altered: new Set(['position']),
    });
  });
});

it('neither deletes nor reports anything under an old token', async () => {
  await redis.hset(keys.state, SEEN, '7');
  await redis.set(keys.fence, NEXT_TOKEN);
  await expect(readSeen(TOKEN)).rejects.toThrow(FencedOffError);
  expect(await redis.hget(keys.state, SEEN)).toBe('7');
  expect(discarded).toEqual([]);
});

it('authenticates values of a former key with the active one in one step, and writes nothing without need', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `statement:WEM|${index}`);
  await Promise.all(names.map((name) => state.savePart(TOKEN, name, '1')));
  await state.savePart(TOKEN, 'position', OK);
  ring = new KeyRing([keyOf(1), keyOf(2)]);
  const calls = async (command: string): Promise<number> =>
    Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await redis.info('commandstats'))?.[1]);
  const writes = (): Promise<number> => calls('hset');
  const [before, scripts] = [await writes(), await calls('eval')];
  expect((await readSeen(TOKEN)).size).toBe(names.length);
  expect(await state.readPart(TOKEN, POSITION_PART)).toMatchObject(position(OK));
  // Each reading is a script, and its changes are another.
  expect(await calls('eval')).toBe(scripts + 4);
  expect(await writes()).toBe(before + names.length + 1);
  const texts = await redis.hvals(keys.state);
  expect(texts.every((text) => text.startsWith('v2:'))).toBe(true);
  ring = new KeyRing([keyOf(2)]);
  expect((await readSeen(TOKEN, newState())).size).toBe(names.length);
  expect(await newState().readPart(TOKEN, POSITION_PART)).toMatchObject(position(OK));
  expect(await writes()).toBe(before + names.length + 1);
  expect(discarded).toEqual([]);
});

describe('an earlier value that another client puts back', () => {
  it('is discarded within one term, and what the leader knows is used', async () => {
    await state.savePart(TOKEN, 'position', BREACHED);
    const breached = (await redis.hget(keys.state, 'position')) ?? '';
    await state.savePending(TOKEN, 'position', { events: [EVENT as never], state: OK });
    const pending = (await redis.hget(keys.state, 'pending:position')) ?? '';
    await state.savePart(TOKEN, 'position', OK);
    await state.saveLastSuccess(TOKEN, 'settlement', new Date(1));
    const early = (await redis.hget(keys.polls, 'settlement')) ?? '';
    await state.saveLastSuccess(TOKEN, 'settlement', new Date(2));
    await redis.hset(keys.state, { position: breached, 'pending:position': pending });
    await redis.hset(keys.polls, 'settlement', early);
    expect(await state.readPart(TOKEN, POSITION_PART)).toEqual({
      ...position(OK),
      pending: new Map(),
      altered: new Set(['position', 'pending:position']),
    });
    expect(await state.readLastSuccesses(TOKEN)).toEqual({ settlement: new Date(2).toISOString() });
    expect(discarded.map(({ reason }) => reason)).toEqual(Array(3).fill('rolled-back'));
    expect(await redis.exists(keys.state, keys.polls)).toBe(0);
    const count = discarded.length;
    await state.savePart(TOKEN, 'position', OK);
    expect(await state.readPart(TOKEN, POSITION_PART)).toMatchObject({ ...position(OK), altered: new Set() });
    expect(discarded).toHaveLength(count);
  });

  it('is what a deletion is too, but a deletion is not reported', async () => {
    await state.savePart(TOKEN, 'position', BREACHED);
    await redis.del(keys.state);
    expect(await state.readPart(TOKEN, POSITION_PART)).toMatchObject({
      ...position(BREACHED),
      altered: new Set(['position']),
    });
    expect(discarded).toEqual([]);
  });

  it('is taken over after a new connection or in a new term, as after a failover that lost writes', async () => {
    const connection = connectRedis(server.url, { name: 'state-spec' });
    state = newState(connection);
    for (const change of ['connection', 'term'] as const) {
      await state.savePart(TOKEN, 'position', OK);
      const ok = (await redis.hget(keys.state, 'position')) ?? '';
      await state.savePart(TOKEN, 'position', BREACHED);
      await redis.hset(keys.state, 'position', ok);
      if (change === 'connection') {
        const closed = once(connection, 'close');
        await redis.call('CLIENT', 'KILL', 'ID', await connection.client('ID'));
        await closed;
      } else await redis.set(keys.fence, NEXT_TOKEN);
      const token = change === 'term' ? NEXT_TOKEN : TOKEN;
      expect(await state.readPart(token, POSITION_PART)).toMatchObject({
        ...position(OK),
        altered: new Set(),
      });
    }
    expect(discarded).toEqual([]);
    connection.disconnect();
  });

  it('is not what a write during the reading is', async () => {
    for (let n = 0; n < 50; n += 1) {
      const write = state.saveLastSuccess(TOKEN, 'settlement', new Date(n));
      const read = state.readLastSuccesses(TOKEN);
      const next = state.saveLastSuccess(TOKEN, 'settlement', new Date(n + 1));
      await Promise.all([write, read, next]);
      expect((await state.readLastSuccesses(TOKEN)).settlement).toBe(new Date(n + 1).toISOString());
    }
    expect(discarded).toEqual([]);
  });
});
