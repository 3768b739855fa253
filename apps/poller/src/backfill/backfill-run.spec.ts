import { BackfillStore, type BackfillProgress, type BackfillRequest, connectRedis } from '@ssb/redis-queue';
import type { DetectedEvent } from '@ssb/events';
import { FixedKeys, parseKeyRing } from '@ssb/keys';
import { ReportingUnavailableError } from '@ssb/market';
import { startTestRedis, waitFor, type TestRedis } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { LeftOut } from '../detection/detection.js';
import { detectStatement } from '../detection/settlement/detect-statement.js';
import { at, RUN, SETTINGS, STATEMENT } from '../../test/support/settlement.js';
import { UnusableResponseError } from '../polls/poll-failures.js';
import { BackfillInterruptedError } from './backfill-attempts.js';
import type { BackfillDetections, RunsReading, StepResult } from './backfill-detections.js';
import { BackfillRun, MAX_QUEUED, type BackfillDependencies } from './backfill-run.js';
import { stepName, type BackfillStep } from './backfill-steps.js';

const CALCULATIONS = '1 calculations 2026-03-12';
const STATEMENT_STEP = '2 WEM|2026-03-01|INITIAL 1 statement';
const INVOICE_STEP = '2 WEM|2026-03-01|INITIAL 2 invoice';
const NOTHING: StepResult = { facts: [], unreadable: [] };
const FACTS = detectStatement(undefined, RUN, STATEMENT, at('2026-03-12T18:00:00')).facts;
const failure = (status: number | undefined, retryAfterMs?: number): Error =>
  new ReportingUnavailableError('the summary', status, retryAfterMs);

let server: TestRedis;
let redis: Redis;
let store: BackfillStore;
let request: BackfillRequest;
/** What the operator responds to a step, by its name; otherwise nothing. */
let responses: Map<string, () => StepResult>;
let runs: () => RunsReading;
let isReachable: boolean;
let sent: string[];
let queued: DetectedEvent[];
/** Numbers of events that were queued at once. Then all are published. */
let parts: number[];
let depth: { waiting: number; active: number; delayed: number; failed: number };
/** How often the budget has no room. */
let checksWithoutRoom: number;
let holdsLease: boolean;
let stopping: AbortController;
let leftOut: readonly LeftOut[];
let onQueued: () => void;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'backfill-run-spec' });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
  const keys = new FixedKeys(parseKeyRing('a secret of more than thirty-two characters'));
  store = new BackfillStore({ redis, prefix: '{bridge}', participant: 'ALPHA', keys });
  request = await requested();
  responses = new Map();
  runs = () => ({ runs: [RUN], unreadable: [] });
  [isReachable, holdsLease, checksWithoutRoom] = [true, true, 0];
  [sent, queued, parts] = [[], [], []];
  depth = { waiting: 0, active: 0, delayed: 0, failed: 0 };
  stopping = new AbortController();
  leftOut = [];
  onQueued = () => undefined;
});

async function requested(changes: Partial<BackfillRequest> = {}): Promise<BackfillRequest> {
  const range = { participant: 'ALPHA', from: '2026-03-12', to: '2026-03-13', dryRun: false };
  const created = { ...range, id: randomUUID(), isPaused: false, ...changes };
  await store.writeRequest(created);
  return created;
}

const detections: Pick<BackfillDetections, 'runs' | 'run' | 'probe'> = {
  runs: async (_from, _to, before) => {
    await before('settlement');
    sent.push('timeline');
    return runs();
  },
  run: async (step: BackfillStep, before) => {
    await before('settlement');
    sent.push(stepName(step));
    return responses.get(stepName(step))?.() ?? NOTHING;
  },
  probe: async (name, before) => {
    await before(name);
    sent.push('probe');
    if (!isReachable) throw failure(503);
  },
};

function start(previous?: BackfillProgress): Promise<BackfillProgress> {
  const dependencies: BackfillDependencies = {
    participant: 'ALPHA',
    store,
    detections,
    settings: () => SETTINGS,
    now: () => new Date(),
    queue: {
      depth: () => Promise.resolve(depth),
      enqueueBackfilled: async (events) => {
        queued.push(...events);
        parts.push(events.length);
        depth = { waiting: 0, active: 0, delayed: 0, failed: 0 };
      },
    },
    hasSpareRequest: () => Promise.resolve((checksWithoutRoom -= 1) < 0),
    requestIntervalMs: 1,
    onQueued: () => onQueued(),
    onLeftOut: (items) => (leftOut = items),
  };
  return new BackfillRun(request, previous, dependencies, () => holdsLease, stopping.signal).run();
}

const progress = async (): Promise<BackfillProgress | undefined> => (await store.read()).progress;
const waits = (reason: string): Promise<BackfillProgress> =>
  waitFor(`the wait for ${reason}`, async () => {
    const found = await progress();
    return found?.waitingFor?.includes(reason) === true ? found : undefined;
  });

describe('a record that cannot be fetched', () => {
  it('delays no other, and is tried again at the end', async () => {
    responses.set(STATEMENT_STEP, () => {
      if (!sent.includes(INVOICE_STEP)) throw failure(500);
      return { facts: FACTS, unreadable: [] };
    });
    const { failureCount, stepsDone, postponed } = await start();
    expect([...new Set(sent)]).toEqual([CALCULATIONS, 'timeline', STATEMENT_STEP, 'probe', INVOICE_STEP]);
    expect(queued.map(({ type, backfilled }) => [type, backfilled])).toEqual([
      ['settlementbus.statement.published.v1', true],
    ]);
    expect([failureCount, stepsDone, postponed]).toEqual([0, 3, []]);
  });

  it.each([
    ['an error of the server', () => failure(500), 'the summary is not available: status 500'],
    ['no response', () => failure(undefined), 'the summary is not available: no response'],
    ['an error of the detector', () => new TypeError('x is undefined'), 'x is undefined'],
    [
      'a response that is not used',
      () => new UnusableResponseError('the summary', 'of another market'),
      'The response for the summary is not used: of another market',
    ],
  ])('is reported at the end: %s', async (_, create, reason) => {
    responses.set(CALCULATIONS, () => {
      throw create();
    });
    const { state, failures, failureCount, stepsDone } = await start();
    expect([state, failures, failureCount, stepsDone]).toEqual([
      'done',
      [{ what: CALCULATIONS, reason }],
      1,
      3,
    ]);
    expect(sent.at(-1)).not.toBe(INVOICE_STEP);
  });

  it('is not given up while the operator does not respond', async () => {
    isReachable = false;
    responses.set(STATEMENT_STEP, () => {
      if (!isReachable) throw failure(500);
      return NOTHING;
    });
    const ended = start();
    await waitFor('a second probe', () => sent.filter((name) => name === 'probe').length > 1);
    expect(await progress()).toMatchObject({ postponed: [], stepsDone: 1, waitingFor: expect.any(String) });
    isReachable = true;
    expect(await ended).toMatchObject({ failureCount: 0, stepsDone: 3 });
  });

  it('is tried again by the next start', async () => {
    responses.set(CALCULATIONS, () => {
      throw failure(500);
    });
    responses.set(INVOICE_STEP, () => {
      holdsLease = false;
      return NOTHING;
    });
    await expect(start()).rejects.toThrow(BackfillInterruptedError);
    const interrupted = await progress();
    expect(interrupted).toMatchObject({
      postponed: [CALCULATIONS],
      lastStep: STATEMENT_STEP,
      state: 'running',
    });
    [responses, sent, holdsLease] = [new Map(), [], true];
    const { startedAt, stepsDone } = await start(interrupted);
    expect(sent).toEqual(['timeline', INVOICE_STEP, CALCULATIONS]);
    expect([startedAt, stepsDone]).toEqual([interrupted?.startedAt, 3]);
  });
});

it('parts of the timeline that cannot be read are reported once', async () => {
  runs = () => ({ runs: [], unreadable: [{ path: 'data.cycles[0]', reason: 'is unreadable' }] });
  const ended = await start();
  expect(ended.failures).toEqual([{ what: 'timeline', reason: 'data.cycles[0]: is unreadable' }]);
  expect((await start({ ...ended, state: 'running' })).failureCount).toBe(1);
});

describe('the timeline', () => {
  it('is requested until it can be used, after the calculations', async () => {
    let failures = 2;
    runs = () => {
      if ((failures -= 1) >= 0)
        throw failures === 1 ? failure(500) : new UnusableResponseError('it', 'malformed');
      return { runs: [RUN], unreadable: [] };
    };
    expect(await start()).toMatchObject({ failureCount: 0, stepsDone: 3 });
    expect(sent).toEqual([CALCULATIONS, ...Array<string>(3).fill('timeline'), STATEMENT_STEP, INVOICE_STEP]);
  });
});

it('queues at most so many events that are not published yet', async () => {
  const many = Array.from({ length: 2 * MAX_QUEUED }, () => FACTS[0]!);
  responses.set(STATEMENT_STEP, () => ({ facts: many, unreadable: [] }));
  depth = { waiting: 0, active: 0, delayed: MAX_QUEUED, failed: 0 };
  const ended = start();
  await waits('publication');
  expect(queued).toEqual([]);
  depth = { waiting: 10, active: 5, delayed: 20, failed: 0 };
  await ended;
  expect(parts).toEqual([MAX_QUEUED - 35, MAX_QUEUED, MAX_QUEUED - 15]);
});

it('leaves the request budget to the polls', async () => {
  const checksLeft: number[] = [];
  checksWithoutRoom = 5;
  responses.set(CALCULATIONS, () => {
    checksLeft.push(checksWithoutRoom);
    return NOTHING;
  });
  await start();
  expect(checksLeft).toEqual([-1]);
});

it('continues although the polls never leave room', async () => {
  checksWithoutRoom = Number.MAX_SAFE_INTEGER;
  expect(await start()).toMatchObject({ state: 'done', stepsDone: 3 });
});

it('a dry run stores no record of a large statement', async () => {
  request = await requested({ dryRun: true });
  const fitted: DetectedEvent[] = [];
  responses.set(STATEMENT_STEP, () => ({
    facts: FACTS,
    unreadable: [],
    fit: async (event) => {
      fitted.push(event);
      return event;
    },
  }));
  await start();
  expect([fitted, queued, (await store.listed(0, 10)).items.length]).toEqual([[], [], 1]);
});

it('adds up what bounds leave out of its events, also of an earlier start', async () => {
  const item = { what: 'bytes of the full record', kept: 0, range: 'it is too large' };
  const leaveOut = (count: number) => (): StepResult => ({
    facts: FACTS,
    unreadable: [],
    fit: async (event, onLeftOut) => {
      onLeftOut({ ...item, count });
      return event;
    },
  });
  responses.set(STATEMENT_STEP, leaveOut(5));
  responses.set(INVOICE_STEP, () => {
    holdsLease = false;
    return NOTHING;
  });
  await expect(start()).rejects.toThrow(BackfillInterruptedError);
  holdsLease = true;
  responses.set(INVOICE_STEP, leaveOut(2));
  const { failures } = await start(await progress());
  expect(leftOut).toEqual([{ ...item, count: 7 }]);
  expect((await progress())?.leftOut).toMatchObject({ items: leftOut });
  expect(failures[0]).toEqual({
    what: STATEMENT_STEP,
    reason: `${STATEMENT_STEP}: 5 bytes of the full record left out, 0 kept (it is too large)`,
  });
  await requested();
  expect((await progress())?.leftOut).toBeUndefined();
});

it('counts once what a step leaves out that was interrupted before its end', async () => {
  const item = { what: 'bytes of the full record', count: 5, kept: 0, range: 'it is too large' };
  responses.set(STATEMENT_STEP, () => ({
    facts: FACTS,
    unreadable: [],
    fit: async (event, onLeftOut) => {
      onLeftOut(item);
      return event;
    },
  }));
  onQueued = () => (holdsLease = false);
  await expect(start()).rejects.toThrow(BackfillInterruptedError);
  expect((await progress())?.leftOut).toBeUndefined();
  [onQueued, holdsLease] = [() => undefined, true];
  await start(await progress());
  expect((await progress())?.leftOut?.items).toEqual([item]);
  expect(leftOut).toEqual([item]);
});

it('ends during a long wait when the request is replaced', async () => {
  responses.set(CALCULATIONS, () => {
    throw failure(503, 3_600_000);
  });
  const ended = start();
  await waits('503');
  await requested();
  await expect(ended).rejects.toThrow(BackfillInterruptedError);
  expect((await progress())?.state).toBeUndefined();
});
