import {
  GatewayError,
  GatewayUnreachableError,
  InvalidGatewayResponseError,
  type Channel,
  type Message,
  type ReadMessagesQuery,
} from '@ssb/bus';
import { createLogger, Metrics } from '@ssb/platform';
import type { CatchUpConsumer, CatchUpConsumerStore } from './catch-up-consumer-store.js';
import type { WatermarkStore } from './watermark-store.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { UnprovenEndError } from './catch-up-errors.js';
import { ChannelCatchUp } from './channel-catch-up.js';
import { ChannelPages } from './channel-pages.js';
import type { Watermark } from './domain/watermark.js';

const MS = 1_000_000n;
const NOW = BigInt(Date.now()) * MS;
const NEVER = new AbortController().signal;
const stream = { write: (): void => undefined };
const log = createLogger({ name: 'subscriber', level: 'error', format: 'json', stream });

function message(id: number, agoMs: number): Message {
  const timestampNanos = NOW - BigInt(agoMs) * MS;
  return { id: String(id), fqcn: 'c', payload: 'p', signature: 's', sender: 'd', timestampNanos };
}

/** One message each `stepMs`, the newest one a second ago. */
const spread = (count: number, stepMs: number): Message[] =>
  Array.from({ length: count }, (_, at) => message(at, 1_000 + (count - 1 - at) * stepMs));

/** A gateway as document 002 describes it. */
const obedient = (all: readonly Message[], { from = '', amount = 1 }: ReadMessagesQuery): Message[] =>
  all.filter(({ timestampNanos }) => Number(timestampNanos / MS) >= Date.parse(from)).slice(0, amount);

interface Gateway {
  readonly respond: (query: ReadMessagesQuery) => Message[];
  readonly channels?: () => Promise<Channel[]>;
  readonly watermark?: Watermark | undefined;
  readonly limits?: ChannelPages['limits'];
}

const LIMITS = { initialAmount: 250, maxAmount: 8_000 };

function open({ respond, channels, watermark, limits = LIMITS }: Gateway) {
  const stored = new Set<string>();
  const gaps: string[] = [];
  const queries: ReadMessagesQuery[] = [];
  const saved = { watermark };
  const client = {
    channels: channels ?? (() => Promise.resolve([])),
    readMessages: async (query: ReadMessagesQuery) => {
      queries.push(query);
      return respond(query);
    },
  };
  const watermarks: Pick<WatermarkStore, 'read' | 'advance'> = {
    read: async () => saved.watermark,
    advance: async (_, next) => void (saved.watermark = next),
  };
  const opened: CatchUpConsumer[] = [];
  const consumers: Pick<CatchUpConsumerStore, 'open' | 'discount'> = {
    open: async (_, startMs) => {
      const consumer = { clientId: `bridge-${opened.length}`, fromMs: Math.max(0, startMs - opened.length) };
      opened.push(consumer);
      return { ...consumer, limitedForMs: 0 };
    },
    discount: async () => undefined,
  };
  const catchUp = new ChannelCatchUp({
    channel: 'c',
    client,
    pages: new ChannelPages({ client, channel: 'c', limits }),
    watermarks,
    consumers,
    receiver: {
      receive: async (messages) => {
        for (const { id } of messages) stored.add(id);
        return messages.length;
      },
    },
    maxBatch: 256,
    onMalformed: () => undefined,
    reportGap: ({ detail }) => void gaps.push(detail),
    metrics: new SubscriberMetrics(new Metrics()),
    log,
  });
  return { stored, gaps, queries, opened, saved, run: () => catchUp.run(NEVER) };
}

it('reads everything after refusals with another cause, without a gap', async () => {
  const all = [message(1, 900), message(2, 800), message(3, 800), message(4, 600)];
  let refuses = true;
  const { stored, gaps, run } = open({
    respond: (query) => {
      if (refuses) throw new GatewayError(422, { code: 'ID::NO_BALANCE', reason: 'no' });
      return obedient(all, query);
    },
  });
  await expect(run()).rejects.toThrow('NO_BALANCE');
  refuses = false;
  expect(await run()).toBe(true);
  expect([stored.size, gaps]).toEqual([4, []]);
});

it.each([60_000, 3_600_000])('reads what comes after a message with a time %d ms ahead', async (aheadMs) => {
  const all = [message(1, 5_000), message(2, -aheadMs)];
  const { stored, gaps, saved, run } = open({ respond: (query) => obedient(all, query) });
  await run();
  expect(saved.watermark?.readUpToNanos).toBe(all[0]?.timestampNanos);
  expect(saved.watermark?.completeUntil.getTime()).toBeLessThanOrEqual(Date.now());
  all.push(message(3, 100), message(4, 0));
  await run();
  expect([stored.size, gaps]).toEqual([4, []]);
});

it('reports messages of one millisecond once that are more than the gateway returns, and reads later ones', async () => {
  const all = [...spread(20, 0), message(20, 500), message(21, 400)];
  const respond = (query: ReadMessagesQuery) => obedient(all, query);
  const limits = { initialAmount: 4, maxAmount: 16 };
  const { stored, gaps, saved, run } = open({ respond, limits });
  expect(await run()).toBe(true);
  expect(await run()).toBe(true);
  expect(stored.size).toBe(18);
  expect(gaps).toEqual([expect.stringContaining('16 messages')]);
  const restarted = open({ respond, limits, watermark: saved.watermark });
  expect(await restarted.run()).toBe(true);
  expect(restarted.gaps).toEqual([]);
});

it('fails where a full page does not have the oldest messages, and does not move the watermark', async () => {
  const all = spread(20, 1);
  const limits = { initialAmount: 4, maxAmount: 16 };
  const { saved, run } = open({ respond: ({ amount = 1 }) => all.slice(-amount), limits });
  await expect(run()).rejects.toThrow(
    /16 messages were returned for from=1970.*The gateway must return the oldest/,
  );
  expect(saved.watermark).toBeUndefined();
});

/** A gateway with durable consumers: each pair of client id and time continues where its last response ended. */
function durable(all: readonly Message[]) {
  const positions = new Map<string, number>();
  return {
    positions,
    respond: ({ clientId, from = '', amount = 1 }: ReadMessagesQuery): Message[] => {
      const key = `${clientId}${from}`;
      const first = all.findIndex(({ timestampNanos }) => Number(timestampNanos / MS) >= Date.parse(from));
      const start = positions.get(key) ?? (first < 0 ? all.length : first);
      const page = all.slice(start, start + amount);
      positions.set(key, start + page.length);
      return page;
    },
  };
}

const lost = new GatewayUnreachableError('no response');

describe('a gateway with durable consumers', () => {
  it('is read on with one consumer, each minute of two hours', async () => {
    const all = spread(1_000, 7);
    const { positions, respond } = durable(all);
    const { stored, saved, run } = open({ respond });
    expect(await run()).toBe(true);
    expect(saved.watermark?.readUpToNanos).toBe(all.at(-1)?.timestampNanos);
    for (let minute = 0; minute < 120; minute += 1) {
      if (minute % 5 === 0) all.push(message(2_000 + minute, 0));
      await run();
    }
    expect([stored.size, positions.size]).toEqual([1_000 + 120 / 5, 1]);
  });

  it.each([0, 1, 2])('returns to another consumer what was in the lost response %d', async (losses) => {
    const all = spread(600, 7);
    const gateway = durable(all);
    let toLose = -1;
    const { stored, gaps, run } = open({
      respond: (query) => {
        const page = gateway.respond(query);
        if (toLose-- === 0) throw lost;
        return page;
      },
    });
    toLose = losses;
    await expect(run()).rejects.toBe(lost);
    expect(await run()).toBe(true);
    expect([stored.size, gaps]).toEqual([600, []]);
    expect(gateway.positions.size).toBe(2);
  });

  it('is read on with the same consumer after a refusal, and with another one after an unclear read', async () => {
    const all = spread(4, 7);
    const gateway = durable(all);
    let failure: Error | undefined;
    const { stored, gaps, opened, run } = open({
      respond: (query) => {
        if (failure !== undefined) throw failure;
        return gateway.respond(query);
      },
    });
    await run();
    failure = new GatewayError(429, { code: 'REQ::TOO_MANY', reason: 'no' });
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(run()).rejects.toBe(failure);
    failure = undefined;
    all.push(message(9, 0));
    expect(await run()).toBe(true);
    expect([stored.size, opened.length]).toEqual([5, 1]);
    for (const error of [lost, new GatewayError(429, { code: 'REQ::TOO_MANY', reason: 'no' })]) {
      failure = error;
      await expect(run()).rejects.toBe(failure);
    }
    failure = undefined;
    expect(await run()).toBe(true);
    expect([gateway.positions.size, gaps]).toEqual([2, []]);
  });

  it('makes no consumer after a failed read while the bus is away', async () => {
    let isAway = true;
    const gateway = durable([message(1, 500)]);
    const away = new GatewayError(502, { code: 'DSB::REQUEST_FAILED', reason: 'no' });
    const respond = <T>(value: T): T => {
      if (isAway) throw away;
      return value;
    };
    const { stored, opened, run } = open({
      respond: (query) => respond(gateway.respond(query)),
      channels: async () => respond([]),
    });
    for (let attempt = 0; attempt < 5; attempt += 1) await expect(run()).rejects.toBe(away);
    expect(opened).toHaveLength(1);
    isAway = false;
    expect(await run()).toBe(true);
    expect([stored.size, opened.length]).toEqual([1, 2]);
  });
});

it('does not regard an empty response after a failed one as the end', async () => {
  const all = [message(1, 900)];
  let offset = 0;
  let failure: Error | undefined = lost;
  const { stored, gaps, saved, run } = open({
    // It ignores the client id and the time, and continues after what it once sent.
    respond: () => {
      const page = all.slice(offset);
      offset = all.length;
      if (failure !== undefined) throw failure;
      return page;
    },
  });
  await expect(run()).rejects.toBe(lost);
  failure = undefined;
  await expect(run()).rejects.toThrow(UnprovenEndError);
  await expect(run()).rejects.toThrow(UnprovenEndError);
  expect(saved.watermark).toBeUndefined();
  all.push(message(2, 500));
  expect(await run()).toBe(true);
  expect([stored.size, gaps]).toEqual([1, []]);

  failure = lost;
  all.push(message(3, 300));
  await expect(run()).rejects.toBe(lost);
  failure = undefined;
  all.push(message(4, 100));
  expect(await run()).toBe(true);
  expect(gaps).toEqual([expect.stringMatching(/^The gateway did not return the message of .* may be lost/)]);
});

it('expects the last message again after a restart', async () => {
  const watermark = { readUpToNanos: NOW - 60_000n * MS, completeUntil: new Date(), gapEndNanos: 0n };
  const { saved, run } = open({ respond: () => [], watermark });
  await expect(run()).rejects.toThrow(UnprovenEndError);
  expect(saved.watermark).toBe(watermark);
});

it('reads every page of a gateway that responds to each client id once', async () => {
  const all = spread(1_000, 1_000);
  const seen = new Set<string | undefined>();
  const { stored, run } = open({
    respond: (query) => {
      if (seen.has(query.clientId)) return [];
      seen.add(query.clientId);
      return obedient(all, query);
    },
  });
  while (!(await run()));
  expect(stored.size).toBe(1_000);
});

it('regards messages of the last catch-up as progress of a gateway that keeps an offset', async () => {
  const all = spread(4, 0);
  let offset = 0;
  const { stored, gaps, run } = open({
    respond: () => all.slice(offset, (offset += 1)),
  });
  await run();
  offset = 0;
  all.push(message(9, 1_000));
  await run();
  expect([stored.size, gaps]).toEqual([5, []]);
});

describe('the check of the retention', () => {
  const readAt = new Date(Date.now() - 600_000);
  const watermark = { readUpToNanos: NOW - 600_000n * MS, completeUntil: readAt, gapEndNanos: 0n };
  const respond = (query: ReadMessagesQuery): Message[] =>
    obedient([message(0, 600_000), message(1, 300_000)], query);

  it.each([
    new InvalidGatewayResponseError(200, 'not an array'),
    new GatewayError(502, { code: 'DSB::REQUEST_FAILED', reason: 'no' }),
  ])('does not prevent the reading, and is repeated: %s', async (error) => {
    const responses: Channel[][] = [];
    const channels = () =>
      responses[0] === undefined ? Promise.reject(error) : Promise.resolve(responses[0]);
    const { stored, gaps, run } = open({ respond, watermark, channels });
    expect(await run()).toBe(true);
    expect([stored.size, gaps]).toEqual([2, []]);
    responses.push([{ fqcn: 'c', maxMsgAge: 300_000 * 1e6 }]);
    await run();
    await run();
    expect(gaps).toEqual([expect.stringContaining(readAt.toISOString())]);
  });
});
