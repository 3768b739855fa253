import type { DetectedEvent } from '@ssb/events';
import { createLogger, Metrics } from '@ssb/platform';
import { PARTICIPANT, pollAll, row } from '../../test/support/positions.js';
import type { FencingToken } from '../state/poller-keys.js';
import { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import type { PendingDetection } from '../state/saved-state.js';
import { DetectionRecorder } from './detection-recorder.js';

const TOKEN = '1' as FencingToken;
const ROWS = 1_000;

let pending: PendingDetection | undefined;
let saved: string | undefined;
let queued: DetectedEvent[][];
let failAfter: number;
let recorder: DetectionRecorder;

beforeEach(() => {
  pending = undefined;
  saved = undefined;
  queued = [];
  failAfter = Infinity;
  recorder = new DetectionRecorder({
    participant: PARTICIPANT,
    store: {
      savePending: async (_token, _part, detection) => void (pending = detection),
      savePart: async (_token, _part, text) => void (saved = text),
    },
    queue: {
      enqueue: async (events) => {
        if (queued.length >= failAfter) throw new Error('Redis is away');
        queued.push([...events]);
      },
    },
    metrics: new ParticipantMetrics(PARTICIPANT, new PollerMetrics(new Metrics())),
    now: () => new Date(),
    log: createLogger({ name: 'poller', level: 'error', format: 'json', stream: { write: () => undefined } }),
  });
});

/** A response whose last calculation is a breach. */
function detectBreach(): Parameters<DetectionRecorder['record']>[1] {
  const rows = Array.from({ length: ROWS }, (_, index) =>
    row(`09:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`, {
      tradingMargin: index === ROWS - 1 ? '-1' : '900000',
    }),
  );
  const facts = pollAll([{ rows }]).flatMap((polled) => polled.facts);
  return { part: 'position', facts, text: 'next', savedText: undefined, requestedAt: new Date() };
}

const isBreach = ({ type }: DetectedEvent): boolean => type === 'settlementbus.margin.breached.v1';

it('queues a breach before the calculations of its response, which follow in batches, then saves the state', async () => {
  await recorder.record(TOKEN, detectBreach());
  expect(queued[0]?.map(({ type }) => type)).toEqual(['settlementbus.margin.breached.v1']);
  expect(queued.flat()).toHaveLength(ROWS + 1);
  expect(Math.max(...queued.map(({ length }) => length))).toBeLessThan(ROWS);
  expect(saved).toBe('next');
});

it('saves no state before every event is queued, and completes the detection after a restart, the breach first', async () => {
  failAfter = 3;
  await expect(recorder.record(TOKEN, detectBreach())).rejects.toThrow('Redis is away');
  expect(saved).toBeUndefined();
  const before = queued.flat().map(({ id }) => id);
  queued = [];
  failAfter = Infinity;
  await recorder.completePending(TOKEN, {
    parts: new Map(),
    pending: new Map([['position', pending as PendingDetection]]),
    altered: new Set(),
  });
  expect(queued[0]?.every(isBreach)).toBe(true);
  expect(queued.flat()).toHaveLength(ROWS + 1);
  expect(queued.flat().map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  expect(saved).toBe('next');
});
