import { createLogger } from '../logging/logger.js';
import { Metrics } from '../observability/metrics.js';
import { ClockMonitor } from './clock-monitor.js';

type Source = 'operator' | 'redis' | 'broker';

const MINUTE_MS = 60_000;
/** The local clock when a test starts. */
const START = 1_700_000_000_000;

let lines: Record<string, unknown>[];
let reports: string[];
let elapsedMs: number;
/** How far the local clock was set forward. */
let stepMs: number;
let metrics: Metrics;
let monitor: ClockMonitor<Source>;

beforeEach(() => {
  lines = [];
  reports = [];
  elapsedMs = 0;
  stepMs = 0;
  metrics = new Metrics();
  monitor = open(['operator', 'redis']);
});
afterEach(() => monitor.stop());

function open(sources: readonly Source[]): ClockMonitor<Source> {
  return new ClockMonitor({
    sources,
    participant: 'PART1',
    limitMs: 30_000,
    faults: {
      raise: ({ reason, participant, detail }) => reports.push(`${reason} ${participant}: ${detail}`),
      clear: () => reports.push('cleared'),
      forget: () => reports.push('forgotten'),
    },
    metrics,
    log: createLogger({
      name: 'clock',
      level: 'info',
      format: 'json',
      stream: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    }),
    intervalMs: 5,
    elapsedMs: () => elapsedMs,
  });
}

const now = (): number => START + elapsedMs + stepMs;

/** A reading, by default without a round trip. */
const observe = (source: Source, offsetMs: number, roundTripMs = 0): void =>
  monitor.observe(source, {
    requestedAt: now(),
    respondedAt: now() + roundTripMs,
    remoteTime: now() - offsetMs,
    resolutionMs: 0,
  });

const offset = async (source: Source): Promise<number | undefined> => {
  const text = await metrics.registry.metrics();
  const line = text
    .split('\n')
    .find((each) => each.startsWith(`settlement_bridge_clock_offset_seconds{source="${source}"}`));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

describe('a clock beyond the limit', () => {
  it('is one fault until every measured clock is within the limit again', async () => {
    observe('redis', -120_000);
    observe('operator', 45_000);
    expect(reports.at(-1)).toBe(
      'clock-offset PART1: The clock of the app is 45.0 s ahead of operator, 120.0 s behind redis; the limit is 30 s.',
    );
    expect(await offset('redis')).toBe(-120);
    observe('operator', 10);
    expect(reports.at(-1)).toContain('120.0 s behind redis;');
    expect(reports).not.toContain('cleared');
    observe('redis', 10);
    expect(reports.at(-1)).toBe('cleared');
    expect(await offset('redis')).toBe(0.01);
  });

  it('is logged once for each change', () => {
    for (const offsetMs of [10, 31_000, 32_000, 20, 10]) observe('operator', offsetMs);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'clock offset beyond limit',
        source: 'operator',
        offsetMs: 31_000,
        limitMs: 30_000,
      }),
      expect.objectContaining({ level: 'info', msg: 'clock offset within limit', offsetMs: 20 }),
    ]);
  });

  it('changes nothing while a reading leaves it open on which side of the limit it is', () => {
    observe('operator', 29_500, 900);
    expect(reports).toEqual([]);
    observe('operator', 40_000);
    observe('operator', 29_500, 900);
    expect(reports).not.toContain('cleared');
  });

  it('does not end by silence, and its value expires', async () => {
    observe('operator', 120_000);
    elapsedMs = 5 * MINUTE_MS;
    expect(await offset('operator')).toBeUndefined();
    observe('redis', 0);
    expect(reports.at(-1)).toContain('120.0 s ahead of operator;');
  });
});

describe('a local clock that is set', () => {
  beforeEach(() => {
    observe('operator', 120_000);
    stepMs = -120_000;
    observe('redis', 0);
  });

  it('ends the fault when each clock that was beyond the limit is within it again', async () => {
    expect(reports).not.toContain('cleared');
    expect(reports.at(-1)).toContain('is not yet compared again with operator;');
    expect(await offset('operator')).toBeUndefined();
    observe('operator', 0);
    expect(reports.at(-1)).toBe('cleared');
  });

  it('keeps the fault when another clock shows that it is still wrong', () => {
    observe('operator', -120_000);
    observe('redis', 0);
    expect(reports.at(-1)).toContain('120.0 s behind operator;');
    expect(reports).not.toContain('cleared');
  });

  it('ends the fault after five minutes in which the other clock is silent', () => {
    elapsedMs = 5 * MINUTE_MS - 1;
    observe('redis', 0);
    expect(reports).not.toContain('cleared');
    elapsedMs += 1;
    observe('redis', 0);
    expect(reports.at(-1)).toBe('cleared');
  });
});

describe('clocks that are forgotten', () => {
  it('end no fault, and are not reported any more', async () => {
    observe('operator', 120_000);
    monitor.forget(['operator']);
    expect(reports.at(-1)).toBe('forgotten');
    expect(await offset('operator')).toBeUndefined();
    const reported = reports.length;
    observe('redis', 0);
    expect(reports).toHaveLength(reported);
  });
});

describe('a fault of an earlier run', () => {
  it('ends when every clock was measured', () => {
    observe('redis', 0);
    expect(reports).toEqual([]);
    observe('operator', 0);
    expect(reports).toEqual(['cleared']);
  });
});

describe('readings', () => {
  it('with a long round trip are ignored', async () => {
    observe('operator', 120_000, 5_001);
    expect(reports).toEqual([]);
    expect(await offset('operator')).toBeUndefined();
  });
});

describe('deliveries', () => {
  beforeEach(() => {
    monitor.stop();
    metrics = new Metrics();
    monitor = open(['broker']);
  });
  const deliver = (delayMs: number): void => monitor.observeDelivery('broker', now() - delayMs, now());

  it('from the future prove that the local clock is behind, until none has come for two windows', async () => {
    deliver(-120_000);
    elapsedMs = MINUTE_MS;
    deliver(50);
    expect(await offset('broker')).toBe(-120);
    expect(reports.at(-1)).toContain('120.0 s behind broker;');
    for (const minutes of [2, 3, 4]) {
      elapsedMs = minutes * MINUTE_MS;
      deliver(50);
    }
    expect(await offset('broker')).toBe(0.05);
    expect(reports.at(-1)).toBe('cleared');
  });

  it('of a backlog prove nothing', () => {
    deliver(3_600_000);
    expect(reports).toEqual([]);
  });
});

describe('watch', () => {
  it('measures at once and repeatedly, also after failures, and never twice at a time', async () => {
    let running = 0;
    const overlaps: number[] = [];
    await new Promise<void>((resolve) => {
      monitor.watch(async () => {
        running += 1;
        overlaps.push(running);
        // Longer than the interval.
        await new Promise((done) => setTimeout(done, 12));
        running -= 1;
        if (overlaps.length === 3) resolve();
        throw new Error('no response');
      });
    });
    monitor.stop();
    expect(overlaps).toEqual([1, 1, 1]);
  });
});
