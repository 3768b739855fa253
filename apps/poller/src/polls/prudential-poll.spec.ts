import { precedenceOf, type Fact } from '@ssb/events';
import {
  parseMarketDateTime,
  ReportingUnavailableError,
  toInstant,
  type PrudentialCalculation,
} from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { Metrics } from '@ssb/platform';
import type { OpenItem } from '../detection/open-items.js';
import { parsePositionState } from '../detection/position/position-state-schema.js';
import { PARTICIPANT, row, settingsWith, share, summarise } from '../../test/support/positions.js';
import type { FencingToken } from '../state/poller-keys.js';
import { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import { POSITION_PART } from '../state/saved-state.js';
import { PrudentialPoll } from './prudential-poll.js';
import type { DetectionRecord } from './detection-recorder.js';

const TOKEN = '1' as FencingToken;
const NOW = toInstant(parseMarketDateTime('2026-03-02T12:00:00'));
const BREACH = row('09:59:59', '-1');
const MANY = Array.from({ length: 300 }, (_, index) =>
  row(`09:0${Math.floor(index / 60)}:${String(index % 60).padStart(2, '0')}`, '900000'),
);

let rows: PrudentialCalculation[];
let settings: DetectionSettings;
/** Whether another client altered the saved position. */
let isAltered: boolean;
let records: DetectionRecord[];
/** What Redis has. */
let saved: string | undefined;
/** The poller is killed after so many records. */
let killedAfter: number;
let poll: PrudentialPoll;
/** Why the operator does not respond. */
let failure: Error | undefined;
let reads: number;
/** Number of the connection to Redis. */
let server: number;
let openItems: readonly OpenItem[];

beforeEach(() => {
  reads = 0;
  settings = settingsWith();
  isAltered = false;
  server = 1;
  records = [];
  saved = undefined;
  failure = undefined;
  killedAfter = Infinity;
  poll = new PrudentialPoll({
    participant: PARTICIPANT,
    settings: () => settings,
    recoveryDays: 7,
    clock: { now: () => NOW, span: () => ({ earliest: NOW, latest: NOW }) },
    agreement: { isReached: () => true },
    market: {
      prudential: {
        prudentialRange: async () => {
          if (failure !== undefined) throw failure;
          return { value: rows, unreadable: [], indexes: rows.map((_, index) => index) };
        },
      },
    },
    store: {
      currentServer: () => server,
      readPart: () => {
        reads += 1;
        return Promise.resolve({
          parts: new Map(saved === undefined ? [] : [[POSITION_PART, saved]]),
          pending: new Map(),
          altered: new Set(isAltered ? [POSITION_PART] : []),
        });
      },
      saveOpenItems: async (_token, _name, items) => {
        openItems = items;
      },
    },
    recorder: {
      record: (_token, record) => {
        if (records.length >= killedAfter) throw new Error('killed');
        records.push(record);
        saved = record.text;
        return Promise.resolve();
      },
      completePending: (_token, { parts }) => Promise.resolve(new Map(parts)),
    },
    unreadableLog: { recordResponse: () => undefined, recordState: () => undefined },
    futureCalculations: { report: () => undefined },
    metrics: new ParticipantMetrics(PARTICIPANT, new PollerMetrics(new Metrics())),
  });
});

const recorded = (): readonly Fact[] => records.flatMap(({ facts }) => facts);

describe('of a response of many calculations', () => {
  beforeEach(() => {
    rows = [...MANY, BREACH];
  });

  it('the changed levels are recorded before the other facts', async () => {
    await poll.run(TOKEN);
    expect(records.map(({ facts }) => facts.length)).toEqual([1, MANY.length + 1]);
    expect(summarise(records[0]?.facts ?? [])).toEqual(['margin.breached 09:59:59 -1 calculation/0']);
    expect(records[1]?.facts.every((fact) => precedenceOf(fact) > 0)).toBe(true);
    expect(parsePositionState(saved ?? '')?.present).toMatchObject({ level: 'BREACHED' });
  });

  it('a poller that is killed between them raises the rest after its restart', async () => {
    killedAfter = 1;
    await expect(poll.run(TOKEN)).rejects.toThrow('killed');
    killedAfter = Infinity;
    await poll.recordFailure(TOKEN);
    await poll.run(TOKEN);
    expect(summarise(recorded())).toEqual(['margin.breached 09:59:59 -1 calculation/0']);
    expect(recorded()).toHaveLength(MANY.length + 2);
  });

  it('a poller that is killed between them corrects a breach that the operator withdraws', async () => {
    killedAfter = 1;
    await expect(poll.run(TOKEN)).rejects.toThrow('killed');
    killedAfter = Infinity;
    rows = [...MANY, row('10:00:00', '900000')];
    await poll.run(TOKEN);
    expect(summarise(recorded()).at(-1)).toMatch(/^margin\.restored 10:00:00 900000 /);
  });
});

it('polls without a response read the saved state once in each term and connection, and again after a failed record', async () => {
  rows = [BREACH];
  const readsOf = async (token = TOKEN): Promise<number> => {
    const before = reads;
    for (let n = 0; n < 3; n += 1) await poll.recordFailure(token);
    return reads - before;
  };
  expect(await readsOf()).toBe(1);
  await poll.run(TOKEN);
  expect(await readsOf()).toBe(0);
  server = 2;
  expect(await readsOf()).toBe(1);
  expect(await readsOf('2' as FencingToken)).toBe(1);
  rows = [BREACH, row('10:00:00', '900000')];
  killedAfter = records.length;
  await expect(poll.run(TOKEN)).rejects.toThrow('killed');
  killedAfter = Infinity;
  expect(await readsOf()).toBe(1);
});

it('a response of few calculations is recorded once', async () => {
  rows = [BREACH];
  await poll.run(TOKEN);
  expect(records.map(({ facts }) => facts.length)).toEqual([2]);
});

describe('a position that another client altered', () => {
  it.each([
    ['a response', () => poll.run(TOKEN)],
    ['a failed poll', () => poll.recordFailure(TOKEN)],
  ])('is written again after %s, once', async (_, next) => {
    rows = [BREACH];
    await poll.run(TOKEN);
    isAltered = true;
    failure = new ReportingUnavailableError('operation 1', 503, undefined);
    await expect(poll.run(TOKEN)).rejects.toBe(failure);
    failure = undefined;
    await next();
    isAltered = false;
    await poll.recordFailure(TOKEN);
    const [position, written, kept] = records.map(({ text, savedText }) => [text, savedText]);
    expect(written).toEqual([position?.[0], undefined]);
    expect(kept).toEqual([position?.[0], position?.[0]]);
  });
});

it('the calculation that ends a pause is open until it comes', async () => {
  settings = settingsWith({ position: { staleAfterMs: 3_600_000, days: [1] } });
  rows = [BREACH];
  await poll.run(TOKEN);
  expect(openItems).toEqual([
    { kind: 'calculation', since: '2026-03-02T01:59:59.000Z', overdueSince: '2026-03-02T02:59:59.000Z' },
  ]);
  rows = [BREACH, row('11:30:00', '900000')];
  await poll.run(TOKEN);
  expect(openItems).toEqual([]);
});

describe('a response', () => {
  const breach = share('5');
  const withoutMargin = row('10:00:00', { outstandingAmount: '1' });

  it.each<[string, PrudentialCalculation[], boolean, number]>([
    ['without calculations', [], true, 0],
    ['whose calculations have no trading margin', [withoutMargin], true, 1],
    ['whose calculations lack the limit of a share', [BREACH], true, 1],
    ['whose calculations are in the future', [row('13:00:00', '-1')], true, 0],
    ['of another participant', [{ ...BREACH, participantCode: 'BETA' }], false, 1],
  ])('%s', async (_, response, hasUsableResponse, failures) => {
    rows = response;
    settings = settingsWith({ margin: { warning: breach, breach } });
    const result = await poll.run(TOKEN);
    expect([result.hasUsableResponse, result.failures.length]).toEqual([hasUsableResponse, failures]);
    const isRead = response.some((each) => each === BREACH || each === withoutMargin);
    expect(recorded().map(({ type }) => type)).toEqual(
      isRead ? ['settlementbus.position.calculated.v1'] : [],
    );
  });
});
