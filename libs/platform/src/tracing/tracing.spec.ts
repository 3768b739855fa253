import { hash } from 'node:crypto';
import { type OtlpCollector, startOtlpCollector, waitFor } from '@ssb/testing/in-process';
import { startSpan, startTrace } from './spans.js';
import { startTracing, type Tracing } from './start-tracing.js';
import type { TracingOptions } from './tracing-options.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const NOT_SAMPLED = `00-${TRACE}-b7ad6b7169203331-00`;
/** Only ends a failed test: spans that are not sent within the limit are lost. */
const STOP_TIMEOUT_MS = 60_000;

let collector: OtlpCollector;
let tracing: Tracing | undefined;
let failures: unknown[];

beforeEach(async () => {
  collector = await startOtlpCollector();
  failures = [];
});

afterEach(async () => {
  await tracing?.stop(1_000);
  tracing = undefined;
  await collector.stop();
});

async function start(options: Partial<TracingOptions> = {}): Promise<Tracing> {
  tracing = await startTracing({
    ...collector.tracing,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  return tracing;
}

describe('without tracing', () => {
  it('a step passes the context of its parent on, and adds no header', () => {
    const { traceparent, headers } = startSpan('step', { parent: PARENT });
    expect([traceparent, headers]).toEqual([PARENT, {}]);
    expect(startSpan('step', { parent: 'forged' }).traceparent).toBeUndefined();
  });

  it('a trace has a valid context of its own', () => {
    const [one, other] = [startTrace('detect'), startTrace('detect')];
    expect(one.traceparent).toMatch(/^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-01$/);
    expect(other.traceparent).not.toBe(one.traceparent);
  });
});

describe('with tracing', () => {
  it('exports the spans of a trace with their parents, attributes and outcomes', async () => {
    const { stop } = await start({ headers: () => Promise.resolve({ authorization: 'Bearer secret' }) });
    const root = startTrace('detect', {
      startTime: new Date(1_700_000_000_000),
      attributes: { eventId: 'e' },
    });
    const child = startSpan('send', { parent: root.traceparent });
    expect(child.headers).toEqual({ traceparent: child.traceparent });
    child.add({ channel: 'c', attempt: 2 });
    child.fail('refused');
    await expect(
      startSpan('work', { parent: child.traceparent }).during(Promise.reject(new Error('x')), 'done'),
    ).rejects.toThrow('x');
    root.succeed('detected');
    await stop(STOP_TIMEOUT_MS);
    const spans = Object.fromEntries(collector.spans.map((span) => [span.name, span]));
    const { detect, send, work } = spans;
    expect(detect).toMatchObject({
      service: 'test',
      instance: 'host:1',
      parentSpanId: undefined,
      startNanos: 1_700_000_000_000_000_000n,
      failed: false,
      attributes: { 'cloudevents.event_id': 'e', 'settlement_bus.outcome': 'detected' },
    });
    expect(send).toMatchObject({ parentSpanId: detect?.spanId, traceId: detect?.traceId, failed: true });
    expect(send?.attributes).toEqual({
      'messaging.destination.name': 'c',
      'settlement_bus.attempt': '2',
      'settlement_bus.outcome': 'refused',
    });
    expect(work).toMatchObject({ parentSpanId: send?.spanId, failed: true });
    expect(root.traceparent).toBe(`00-${detect?.traceId}-${detect?.spanId}-01`);
    expect(collector.server.received[0]?.headers['authorization']).toBe('Bearer secret');
  });

  it('records no span of a trace that its root did not sample', async () => {
    const { stop } = await start();
    const step = startSpan('step', { parent: NOT_SAMPLED });
    expect([step.traceparent?.slice(0, 36), step.traceparent?.slice(-2)]).toEqual([`00-${TRACE}-`, '00']);
    expect(step.sampledTraceparent).toBeUndefined();
    step.succeed('done');
    await stop(STOP_TIMEOUT_MS);
    expect(collector.spans).toEqual([]);
  });

  it('decides by the trace id, also about a trace that another process has marked as sampled', async () => {
    const ids = Array.from({ length: 200 }, (_, number) => hash('md5', String(number)));
    const decide = async (sampleRatio: number): Promise<string[]> => {
      const { stop } = await start({ sampleRatio });
      const sampled = ids.filter((id) => {
        const step = startSpan('step', { parent: `00-${id}-b7ad6b7169203331-01` });
        return step.sampledTraceparent !== undefined;
      });
      await stop(STOP_TIMEOUT_MS);
      return sampled;
    };
    const half = await decide(0.5);
    expect(half.length).toBeGreaterThan(70);
    expect(half.length).toBeLessThan(130);
    expect(await decide(0.5)).toEqual(half);
    expect(await decide(0)).toEqual([]);
  });
});

describe('a collector', () => {
  it('that is unavailable for a moment gets the spans later', async () => {
    const { respond } = collector.server;
    collector.server.respond = (request, count) => (count === 1 ? { status: 503 } : respond(request, count));
    await start();
    startTrace('detect').succeed('detected');
    await waitFor('the span', () => collector.spans.length > 0);
    expect([collector.server.received.length, failures]).toEqual([2, []]);
  });

  it('that refuses gets no repeat, and its refusal is reported', async () => {
    collector.server.respond = () => ({ status: 401 });
    const { stop } = await start();
    startTrace('detect').succeed('detected');
    await stop(STOP_TIMEOUT_MS);
    expect(collector.server.received).toHaveLength(1);
    expect(String(failures)).toBe('ExportRefusedError: the collector responded with status 401');
  });

  it('that never responds delays the shutdown for no longer than its limit', async () => {
    collector.server.respond = () => undefined;
    const { stop } = await start();
    startTrace('detect').succeed('detected');
    const startedAt = performance.now();
    await stop(200);
    // Below the time-out of an export.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    expect(failures).toHaveLength(1);
  });
});
