import { randomUUID } from 'node:crypto';
import { waitFor } from '@ssb/testing';
import { openDeadLetters } from './dead-letters/dead-letters.js';
import { EventAuthenticator } from './event-authenticator.js';
import { EventQueue, openEventQueue } from './event-queue.js';
import { ForgedJobs } from './forged-jobs.js';
import { DEAD_LETTER_QUEUE, EVENTS_QUEUE, openQueue } from './open-queue.js';
import {
  EVENT_ID,
  fixture,
  PUBLISHED,
  QueueFixture,
  sampleEvent,
  setUpQueue,
  TestKeys,
} from '../../test/queue-fixture.js';
import { removeStoredJob } from './stored-job.js';
import { UnverifiedLetters } from './dead-letters/unverified-letters.js';

let published: string[];

setUpQueue();
beforeEach(() => {
  published = [];
});
/** Processes everything that is on the queue. */
async function processAll(): Promise<void> {
  fixture.startWorker(async ({ event }) => {
    published.push(event.id);
    return PUBLISHED;
  });
  await waitFor('an empty queue', () => fixture.isEmpty());
}

/** The data of the job that `enqueue` writes. */
async function queuedData(event = sampleEvent(EVENT_ID)): Promise<{ event: object; hmac: string }> {
  const raw = openQueue(EVENTS_QUEUE, fixture.options());
  await fixture.queue.enqueue([event]);
  const { data } = (await raw.getJob(event.id)) ?? {};
  await raw.remove(event.id);
  await raw.close();
  return data as { event: object; hmac: string };
}

const heartbeat = { type: 'settlementbus.bridge.heartbeat.v1', subject: 'x', id: randomUUID() };
const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);

describe('a job is refused, and kept apart from the dead letters of events', () => {
  const event = sampleEvent(EVENT_ID);
  const hmac = `v1:${'A'.repeat(43)}`;
  const REFUSED: Readonly<Record<string, readonly [data: unknown, refusal: string]>> = {
    'without-hmac': [{ event }, 'missing'],
    'an-event-itself': [event, 'missing'],
    'hmac-of-another-form': [{ event, hmac: { v: 1 } }, 'malformed'],
    'invented-hmac': [{ event, hmac }, 'mismatch'],
    'unknown-key': [{ event, hmac: `v9:${'A'.repeat(43)}` }, 'unknown-version'],
    'without-event': [{ hmac }, 'malformed'],
    null: [null, 'missing'],
    number: [5, 'missing'],
    list: [[event], 'missing'],
    'fields-of-other-types': [{ event: { id: [], type: 7, participant: {} }, hmac: 'x' }, 'malformed'],
  };

  it('whatever is missing, malformed or forged in it', async () => {
    const ids = Object.keys(REFUSED);
    for (const id of ids) await fixture.addRaw(id, REFUSED[id]?.[0]);
    await fixture.addRaw(EVENT_ID, { event });
    await processAll();
    const refused = fixture.refused.map(({ jobId, refusal }) => [jobId, refusal]);
    expect(refused.toSorted()).toEqual(
      [[EVENT_ID, 'missing'], ...ids.map((id) => [id, REFUSED[id]?.[1]])].toSorted(),
    );
    expect(published).toEqual([]);
    expect(await fixture.deadLetters.count()).toBe(0);
    const letters = await fixture.deadLetters.list();
    expect(letters).toHaveLength(ids.length + 1);
    for (const letter of letters)
      expect(letter).toMatchObject({
        id: expect.stringMatching(/^unverified-[0-9a-f]{32}$/),
        verified: false,
      });
    // Nothing is left that would make BullMQ ignore the genuine event.
    await fixture.queue.enqueue([event]);
    await waitFor('the genuine event', () => published.length === 1);
  });

  it('with data that is not JSON, or too deep, next to a genuine one', async () => {
    const raw = openQueue(EVENTS_QUEUE, fixture.options());
    await fixture.addRaw('no-json', {});
    await fixture.redis.hset(raw.toKey('no-json'), 'data', 'not JSON');
    await fixture.addRaw('too-deep', {});
    const text = `{"event":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}},"hmac":"${hmac}"}`;
    await fixture.redis.hset(raw.toKey('too-deep'), 'data', text);
    await raw.close();
    expect(await fixture.queue.oldestWaiting(new Date())).toBeDefined();
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await processAll();
    expect(fixture.refused.map(({ jobId, refusal }) => [jobId, refusal]).toSorted()).toEqual([
      ['no-json', 'missing'],
      ['too-deep', 'malformed'],
    ]);
    expect(published).toEqual([EVENT_ID]);
    expect(await fixture.deadLetters.countUnverified()).toBe(2);
  });

  it('with an id that is not a UUID; what is reported is bounded and printable', async () => {
    const id = `\u001b[2J${'x'.repeat(5_000)}`;
    await fixture.addRaw(id, { event: { type: '\u202e' } });
    await processAll();
    expect(fixture.refused).toEqual([
      {
        jobId: `\\u001b[2J${'x'.repeat(90)}…`,
        eventType: undefined,
        refusal: 'missing',
        reason: 'The job has no HMAC.',
      },
    ]);
  });

  it('when a genuine job was modified, or copied to another id or another bridge', async () => {
    const { event, hmac } = await queuedData();
    await fixture.addRaw(EVENT_ID, { event: { ...event, participant: 'OTHER' }, hmac });
    await fixture.addRaw(randomUUID(), { event, hmac });
    const other = new QueueFixture();
    Object.defineProperty(other, 'keys', { value: fixture.keys });
    await other.addRaw(EVENT_ID, { event, hmac });
    await processAll();
    expect(fixture.refused.map(({ refusal }) => refusal)).toEqual(['mismatch', 'mismatch']);
    other.startWorker(async () => PUBLISHED);
    await waitFor('the copy', () => other.refused.length === 1);
    expect(other.refused).toMatchObject([{ refusal: 'mismatch' }]);
    expect(published).toEqual([]);
    await other.close();
  });

  it('and does not change the dead letter of the event whose id it has', async () => {
    await fixture.deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    const [before] = await fixture.deadLetters.list();
    await fixture.addRaw(EVENT_ID, { ...sampleEvent(EVENT_ID), participant: 'FORGED' });
    await processAll();
    expect(await fixture.deadLetters.list()).toEqual([before, expect.objectContaining({ verified: false })]);
  });
});

/** Overwrites of fields of BullMQ that its worker cannot read, or obeys before it processes a job. */
const OVERWRITES: readonly [string, string][] = [
  ['opts', '{'],
  ['opts', 'null'],
  ['opts', '{"attempts":1,"backoff":{"type":"fixed","delay":"x"}}'],
  ['progress', 'x'],
  ['parent', 'x'],
  ['rjk', 'x'],
  ['defa', 'x'],
  ['id', 'x'],
  ['atm', 'x'],
  ['stc', 'x'],
  ['parentKey', 'x'],
  ['deid', 'x'],
];

describe('a job whose fields of BullMQ were overwritten', () => {
  it('is refused without a valid HMAC, and published with one', async () => {
    const genuine = OVERWRITES.map(() => randomUUID());
    const forged = OVERWRITES.map((_, index) => `forged-${index}`);
    await fixture.queue.enqueue(genuine.map(sampleEvent));
    for (const id of forged) await fixture.addRaw(id, {});
    for (const [index, overwrite] of OVERWRITES.entries())
      for (const id of [genuine[index] ?? '', forged[index] ?? ''])
        await fixture.writeFields(id, ...overwrite);
    const failedOnce = new Set<string>();
    fixture.startWorker(
      async ({ event: { id } }) => {
        if (!failedOnce.has(id)) {
          failedOnce.add(id);
          return { outcome: 'retry', reason: 'once' };
        }
        published.push(id);
        return PUBLISHED;
      },
      { lockMs: 300 },
    );
    await waitFor('an empty queue', () => fixture.isEmpty());
    expect([...new Set(published)].toSorted()).toEqual(genuine.toSorted());
    expect([...new Set(fixture.refused.map(({ jobId }) => jobId))].toSorted()).toEqual(forged.toSorted());
    expect(await fixture.deadLetters.countUnverified()).toBe(forged.length);
    expect((await fixture.queue.depth()).failed).toBe(0);
  });

  it('is taken again when its counter of starts is not a number', async () => {
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await fixture.writeFields(EVENT_ID, 'ats', 'x');
    fixture.startWorker(
      async ({ event }) => {
        published.push(event.id);
        return PUBLISHED;
      },
      { lockMs: 300 },
    );
    await waitFor('the event', () => published.length > 0);
  });
});

describe('an event whose id is that of a forged job', () => {
  const forgedData = JSON.stringify({ event: sampleEvent(EVENT_ID), hmac: `v9:${'A'.repeat(43)}` });

  it.each<[string, () => Promise<unknown>]>([
    ['on no list', () => fixture.writeFields(EVENT_ID, 'a', 'b')],
    [
      'of a key that is not a hash',
      () => fixture.redis.set(`${fixture.prefix}:${EVENTS_QUEUE}:${EVENT_ID}`, 'x'),
    ],
    ['that waits', () => fixture.addRaw(EVENT_ID, sampleEvent(EVENT_ID))],
    [
      'that is completed',
      async () => {
        await fixture.writeFields(EVENT_ID, 'data', forgedData);
        await fixture.redis.zadd(`${fixture.prefix}:${EVENTS_QUEUE}:completed`, 1, EVENT_ID);
      },
    ],
    [
      'that is locked',
      async () => {
        await fixture.addRaw(EVENT_ID, 5);
        await fixture.redis.set(`${fixture.prefix}:${EVENTS_QUEUE}:${EVENT_ID}:lock`, 'x');
      },
    ],
  ])('%s is published, and the forged job is refused', async (_, plant) => {
    await plant();
    await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
    await processAll();
    expect(published).toEqual([EVENT_ID]);
    expect(fixture.refused).toMatchObject([{ jobId: expect.stringMatching(new RegExp(`^${EVENT_ID}-`)) }]);
    expect(await fixture.deadLetters.countUnverified()).toBe(1);
  });

  it('that a worker refuses and removes during the addition is published', async () => {
    const raw = openQueue<unknown>(EVENTS_QUEUE, fixture.options());
    const forgedJobs = new ForgedJobs(raw, fixture.redis, new EventAuthenticator(fixture.keys, raw));
    await fixture.addRaw(EVENT_ID, 5);
    const addBulk = raw.addBulk.bind(raw);
    raw.addBulk = async (added) => {
      const result = await addBulk(added);
      if (await forgedJobs.has(EVENT_ID)) await removeStoredJob(fixture.redis, raw, EVENT_ID);
      return result;
    };
    await new EventQueue(raw, fixture.redis, fixture.keys).enqueue([sampleEvent(EVENT_ID)]);
    await raw.close();
    await processAll();
    expect(published).toEqual([EVENT_ID]);
  });

  it('is retried from the dead letters', async () => {
    await fixture.deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    await fixture.writeFields(EVENT_ID, 'data', forgedData);
    await fixture.redis.zadd(`${fixture.prefix}:${EVENTS_QUEUE}:completed`, 1, EVENT_ID);
    const findProblem = (): undefined => undefined;
    expect(await fixture.deadLetters.retry(EVENT_ID, { findProblem })).toEqual({ outcome: 'queued' });
    await processAll();
    expect(published).toEqual([EVENT_ID]);
  });
});

it('a job of a key that this process reads later is published', async () => {
  const keys = new TestKeys();
  fixture.keys.rotate();
  await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
  const errors: string[] = [];
  const onError = (error: Error): void => {
    errors.push(error.message);
    keys.rotate();
  };
  fixture.startWorker(
    async ({ event }) => {
      published.push(event.id);
      return PUBLISHED;
    },
    { keys, onError },
  );
  await waitFor('the event', () => published.length === 1);
  expect(errors).toEqual([expect.stringMatching(/INTEGRITY_KEYS_FILE has no key .* It is retried\.$/)]);
  expect(fixture.refused).toEqual([]);
});

it('a forged heartbeat is reported and dropped', async () => {
  await fixture.addRaw('a-heartbeat', { event: heartbeat });
  await processAll();
  expect(fixture.refused).toMatchObject([{ eventType: heartbeat.type, refusal: 'missing' }]);
  expect(await fixture.deadLetters.list()).toEqual([]);
});

it('a rotation loses no job: those of both keys are published, one of an unknown key is not', async () => {
  const other = randomUUID();
  await fixture.queue.enqueue([sampleEvent(EVENT_ID)]);
  fixture.keys.rotate();
  await fixture.queue.enqueue([sampleEvent(other)]);
  const keys = new TestKeys();
  const worker = fixture.startWorker(
    async ({ event }) => {
      published.push(event.id);
      return PUBLISHED;
    },
    { keys },
  );
  await waitFor('both', () => published.length + fixture.refused.length === 2);
  expect(published).toEqual([EVENT_ID]);
  expect(fixture.refused).toMatchObject([{ jobId: other, refusal: 'unknown-version' }]);
  await worker.close();
  published = [];
  const next = [sampleEvent(randomUUID()), sampleEvent(randomUUID())];
  const queue = openEventQueue({ ...fixture.options(), keys });
  await queue.enqueue(next.slice(0, 1));
  await queue.close();
  await fixture.queue.enqueue(next.slice(1));
  await processAll();
  expect(published.toSorted()).toEqual(next.map(({ id }) => id).toSorted());
});

describe('a retry', () => {
  const options = { findProblem: () => undefined };

  it('refuses a dead letter that was modified, unless it is to be accepted unverified', async () => {
    const raw = openQueue<{ event: object; reason: string }>(DEAD_LETTER_QUEUE, fixture.options());
    const { deadLetters } = fixture;
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    const job = await raw.getJob(EVENT_ID);
    await job?.updateData({ ...job.data, event: { ...job.data.event, participant: 'FORGED' } });
    await raw.close();
    expect(await deadLetters.retry(EVENT_ID, options)).toEqual({
      outcome: 'refused',
      reason: expect.stringMatching(/^The HMAC does not match.* Only "retry <id> --unverified" accepts/),
    });
    expect(await fixture.isEmpty()).toBe(true);
    expect(await deadLetters.list()).toMatchObject([{ id: EVENT_ID, verified: false }]);
    expect(await deadLetters.retry(EVENT_ID, { ...options, unverified: true })).toEqual({
      outcome: 'queued',
    });
    await processAll();
    expect(published).toEqual([EVENT_ID]);
    expect(await deadLetters.list()).toEqual([]);
  });

  it('refuses an event that the configuration does not allow, and keeps its dead letter', async () => {
    const { deadLetters } = fixture;
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    const findProblem = (): string => 'no such participant';
    const refused = { outcome: 'refused', reason: 'no such participant' };
    expect(await deadLetters.retry(EVENT_ID, { findProblem, unverified: true })).toEqual(refused);
    expect(await fixture.isEmpty()).toBe(true);
    expect(await deadLetters.count()).toBe(1);
  });

  it('publishes a refused job only on request, and never in place of a verified dead letter', async () => {
    const { deadLetters } = fixture;
    await fixture.addRaw(EVENT_ID, sampleEvent(EVENT_ID));
    await processAll();
    const [letter] = await deadLetters.list();
    const id = letter?.id ?? '';
    expect(await deadLetters.retry(id, options)).toEqual({
      outcome: 'refused',
      reason: expect.stringContaining('no HMAC'),
    });
    await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
    const unverified = { ...options, unverified: true };
    expect(await deadLetters.retry(id, unverified)).toMatchObject({ outcome: 'refused' });
    await deadLetters.remove(EVENT_ID);
    expect(published).toEqual([]);
    expect(await deadLetters.retry(id, unverified)).toEqual({ outcome: 'queued' });
    await waitFor('the event', async () => published.length === 1 && (await fixture.isEmpty()));
    expect(await deadLetters.list()).toEqual([]);
  });
});

it('removes a dead letter on request, and no key of the queue', async () => {
  const { deadLetters } = fixture;
  const raw = openQueue(DEAD_LETTER_QUEUE, fixture.options());
  await deadLetters.add(sampleEvent(EVENT_ID), 'no such channel');
  await raw.add('forged', 5, { jobId: 'forged' });
  await fixture.redis.hset(raw.toKey('forged'), 'opts', '{', 'rjk', 'x');
  await fixture.redis.set(raw.toKey('forged:lock'), 'x');
  await fixture.redis.lpush(raw.toKey('wait'), 'wait');
  await fixture.addRaw('refused', 5);
  await processAll();
  const ids = (await deadLetters.list()).map(({ id }) => id);
  expect(ids).toEqual([EVENT_ID, 'forged', 'wait', expect.stringMatching(/^unverified-/)]);
  for (const id of ids.slice(1)) expect(await deadLetters.discard(id)).toMatchObject({ id, verified: false });
  expect(await deadLetters.discard('forged')).toBeUndefined();
  expect(await deadLetters.list()).toMatchObject([{ id: EVENT_ID, verified: true }]);
  await raw.close();
});

describe('refused jobs that are kept', () => {
  const job = (jobId: string) => ({ jobId, eventType: undefined, refusal: 'missing', reason: '' }) as const;
  const NOW = new Date();

  it('are bounded in number and size; the newest stay', async () => {
    const limits = { maxLetters: 3, maxBytes: 1_500, maxLetterBytes: 1_000 };
    const letters = new UnverifiedLetters(fixture.redis, fixture.prefix, limits);
    const add = (id: string, data: unknown, ms: number) =>
      letters.add(job(id), data, new Date(NOW.getTime() + ms));
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries())
      expect(await add(id, index, index)).toBe(index < 3 ? 0 : 1);
    expect(await add('d', 3, 9)).toBe(0);
    const kept = async () =>
      Promise.all((await letters.listIds(10)).map(async (id) => (await letters.get(id))?.jobId));
    expect(await kept()).toEqual(['b', 'c', 'd']);
    expect(await add('large', 'x'.repeat(900), 10)).toBe(1);
    expect(await add('also large', 'x'.repeat(900), 11)).toBe(3);
    expect(await kept()).toEqual(['also large']);
    for (const [index, data] of ['x'.repeat(1_001), deep].entries()) await add(`${index}`, data, 12);
    const withoutData = await Promise.all((await letters.listIds(2)).map((id) => letters.get(id)));
    for (const letter of withoutData) expect(letter).toMatchObject({ data: undefined });
  });

  it('are counted when newer ones replace them', async () => {
    const evicted: number[] = [];
    const onEvicted = (count: number): void => void evicted.push(count);
    const deadLetters = openDeadLetters({ ...fixture.options(), onEvicted });
    const ids = Array.from({ length: 1_002 }, (_, index) => `${index}`);
    await Promise.all(ids.map((id) => deadLetters.addRefused(job(id), 5)));
    expect(evicted).toEqual([1, 1]);
    await deadLetters.close();
  });

  it('are ignored when they were changed since', async () => {
    const letters = new UnverifiedLetters(fixture.redis, fixture.prefix);
    await letters.add(job('a'), { event: {} }, NOW);
    const [id = ''] = await letters.listIds(1);
    const key = `${fixture.prefix}:settlement-events-unverified:letters`;
    for (const text of ['not JSON', '5', JSON.stringify({ jobId: 'a', data: { event: { id: 'x' } } })]) {
      await fixture.redis.hset(key, id, text);
      expect(await letters.get(id)).toBeUndefined();
    }
  });
});
