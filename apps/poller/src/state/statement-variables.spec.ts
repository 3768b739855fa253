import { ContentAuthenticator, KeyRing } from '@ssb/keys';
import { createLogger } from '@ssb/platform';
import { AuthenticatedHash, connectRedis, type DiscardedValue } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomBytes, randomUUID } from 'node:crypto';
import { FencedOffError, pollerKeys, type FencingToken, type PollerKeys } from './poller-keys.js';
import { StatementVariables } from './statement-variables.js';

const TOKEN = '7' as FencingToken;
const PART = 'statement:WEM|2026-03-01|INITIAL';
const [DIGEST, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];
const ring = new KeyRing([{ version: 1, activeFrom: new Date(0), secret: '1'.repeat(32) }]);
const integrityKeys = { current: () => ring, refresh: () => Promise.resolve() };

const variablesOf = (value: string) => [
  { tradingDay: '2026-03-01T00:00:00', variable: 'Ärger', pOrC: 'P', gstApplicable: 'Y', value },
];
const FIRST = variablesOf('123456789012345.12345678');

let server: TestRedis;
let redis: Redis;
let keys: PollerKeys;
let discarded: DiscardedValue[];
let lines: Record<string, unknown>[];
let variables: StatementVariables;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'variables-spec' });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  keys = pollerKeys('{variables-spec}', randomUUID());
  discarded = [];
  lines = [];
  variables = open();
  await redis.set(keys.fence, TOKEN);
});

/** As another replica opens them, which knows nothing of what was saved. */
function open(maxBytes?: number): StatementVariables {
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  return new StatementVariables({
    redis,
    keys,
    integrityKeys,
    currentServer: () => 1,
    onDiscarded: (values) => void discarded.push(...values),
    log: createLogger({ name: 'poller', level: 'warn', format: 'json', stream }),
    ...(maxBytes !== undefined && { maxBytes }),
  });
}

it('the variables of a version are returned with every digit, and those of another version are not', async () => {
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  expect(await open().read(TOKEN, PART, DIGEST)).toEqual(FIRST);
  expect(await open().read(TOKEN, PART, OTHER)).toBe('not-saved');
  expect(await open().read(TOKEN, 'statement:WEM|2026-03-08|INITIAL', DIGEST)).toBe('not-saved');
});

it('they are written once in a version, also by another replica', async () => {
  const list = jest.fn(() => FIRST);
  for (const each of [variables, variables, open()]) await each.save(TOKEN, PART, DIGEST, list);
  expect(list).toHaveBeenCalledTimes(1);
  await variables.save(TOKEN, PART, OTHER, () => variablesOf('2'));
  expect(await variables.read(TOKEN, PART, OTHER)).toEqual(variablesOf('2'));
});

it('a version that is not at hand keeps what is saved, and is saved later', async () => {
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  await variables.save(TOKEN, PART, OTHER, () => undefined);
  expect(await variables.read(TOKEN, PART, DIGEST)).toEqual(FIRST);
  await variables.save(TOKEN, PART, OTHER, () => variablesOf('2'));
  expect(await variables.read(TOKEN, PART, OTHER)).toEqual(variablesOf('2'));
});

it('those of runs that are not requested again are deleted, and saved again when a run comes back', async () => {
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  await variables.save(TOKEN, 'statement:other', DIGEST, () => FIRST);
  await variables.keepOnly(TOKEN, new Set(['statement:other']));
  expect(await redis.hkeys(keys.variables)).toEqual(['statement:other']);
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  expect(await variables.read(TOKEN, PART, DIGEST)).toEqual(FIRST);
});

it('variables that another client wrote, or put back, are never compared', async () => {
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  const early = (await redis.hget(keys.variables, PART)) ?? '';
  await redis.hset(keys.variables, PART, early.replace(/.$/, ''));
  expect(await open().read(TOKEN, PART, DIGEST)).toBe('unreadable');
  expect(discarded).toEqual([{ field: PART, reason: 'mismatch' }]);
  await open().save(TOKEN, PART, OTHER, () => variablesOf('2'));
  await redis.hset(keys.variables, PART, early);
  expect(await open().read(TOKEN, PART, OTHER)).toBe('not-saved');
});

it('an authentic text of another form is as none', async () => {
  const hash = new AuthenticatedHash(
    redis,
    keys.variables,
    new ContentAuthenticator(integrityKeys, 'poller-state'),
  );
  for (const [content, reason] of [
    [`2 ${DIGEST} x`, 'not-saved'],
    [`1 ${DIGEST} bm90IGd6aXA=`, 'unreadable'],
  ] as const) {
    await redis.hset(keys.variables, PART, hash.toText(PART, content));
    expect(await open().read(TOKEN, PART, DIGEST)).toBe(reason);
  }
});

it('a key that is not a hash is replaced', async () => {
  await redis.rpush(keys.variables, 'x');
  await variables.keepOnly(TOKEN, new Set());
  await redis.rpush(keys.variables, 'x');
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  expect(await variables.read(TOKEN, PART, DIGEST)).toEqual(FIRST);
  expect(discarded).toEqual(Array(2).fill({ field: '', reason: 'malformed' }));
});

it('variables that are too large are left out, which is logged once', async () => {
  const large = Array.from({ length: 4_000 }, () => ({
    ...variablesOf('1')[0],
    variable: randomBytes(1_200).toString('hex'),
  })) as typeof FIRST;
  for (let count = 0; count < 2; count += 1) await variables.save(TOKEN, PART, DIGEST, () => large);
  expect(await redis.exists(keys.variables)).toBe(0);
  expect(lines).toMatchObject([{ msg: 'statement variables too large to save', document: PART }]);
  expect(await variables.read(TOKEN, PART, DIGEST)).toBe('too-large');
});

describe('the variables of a participant have a total bound', () => {
  const partOf = (day: string) => `statement:WEM|2026-03-${day}|INITIAL`;
  const saveDay = (of: StatementVariables, day: string) =>
    of.save(TOKEN, partOf(day), DIGEST, () => variablesOf(randomBytes(400).toString('hex')));
  const savedDays = async () => (await redis.hkeys(keys.variables)).map((part) => part.slice(-10, -8)).sort();
  const storedBytes = async () =>
    (await redis.hvals(keys.variables)).reduce((sum, text) => sum + text.length, 0);
  const LIMIT = 2_000;

  it.each([
    [
      'one after another',
      (work: (() => Promise<void>)[]) => work.reduce((last, next) => last.then(next), Promise.resolve()),
    ],
    ['at the same time', (work: (() => Promise<void>)[]) => Promise.all(work.map((each) => each()))],
  ])('and those of the earliest periods give way, saved %s', async (_, run) => {
    const small = open(LIMIT);
    await run(['08', '15', '01', '22', '29'].map((day) => () => saveDay(small, day)));
    expect(await savedDays()).toEqual(['22', '29']);
    expect(await storedBytes()).toBeLessThanOrEqual(LIMIT);
    expect(lines).toMatchObject([{ msg: 'no room for all statement variables', bytes: LIMIT }]);
    for (const day of ['01', '08', '15'])
      expect(await small.read(TOKEN, partOf(day), DIGEST)).toBe('no-room');
  });

  it('another replica knows how much is saved', async () => {
    for (const day of ['08', '15']) await saveDay(open(LIMIT), day);
    await saveDay(open(LIMIT), '01');
    expect(await savedDays()).toEqual(['08', '15']);
    await saveDay(open(LIMIT), '22');
    expect(await savedDays()).toEqual(['15', '22']);
  });

  it('what had no room is saved once there is room', async () => {
    const small = open(LIMIT);
    for (const day of ['08', '15', '01']) await saveDay(small, day);
    await small.keepOnly(TOKEN, new Set([partOf('01'), partOf('15')]));
    await saveDay(small, '01');
    expect(await savedDays()).toEqual(['01', '15']);
  });
});

it('a former leader writes and deletes nothing', async () => {
  await variables.save(TOKEN, PART, DIGEST, () => FIRST);
  await redis.set(keys.fence, '8');
  await expect(open().save(TOKEN, PART, OTHER, () => variablesOf('2'))).rejects.toThrow(FencedOffError);
  await expect(open().keepOnly(TOKEN, new Set())).rejects.toThrow(FencedOffError);
  expect(await redis.hkeys(keys.variables)).toEqual([PART]);
});
