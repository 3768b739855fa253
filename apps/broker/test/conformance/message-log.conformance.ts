import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../support/log-samples.js';
import { waitFor } from '@ssb/testing';
import { describeAppendBatch } from './append-batch.conformance.js';
import { describeDrop } from './drop.conformance.js';
import type { MessageLog, NewMessage, Position } from '../../src/storage/message-log.js';
import { describeOtherSettings, type OpenWith } from './other-settings.conformance.js';
import { describePageLimits } from './page-limits.conformance.js';
import { describeRetention } from './retention.conformance.js';

/** The logs of two brokers on one engine, with a duplicate window that outlasts a test. */
export interface LogUnderTest {
  readonly one: MessageLog;
  readonly other: MessageLog;
  /** A further broker's log on the engine, with other settings. */
  readonly openWith: OpenWith;
  /** Bytes that the engine has sent to `one`, and perhaps to others. */
  readonly countFetchedBytes: () => Promise<number>;
  readonly close: () => Promise<void>;
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The contract of MessageLog; each engine's spec calls it once. */
export function describeMessageLog(engine: string, open: () => Promise<LogUnderTest>): void {
  describe(`${engine} keeps the contract of MessageLog`, () => {
    let one: MessageLog;
    let other: MessageLog;
    let openWith: LogUnderTest['openWith'];
    let countFetchedBytes: LogUnderTest['countFetchedBytes'];
    let close: LogUnderTest['close'];

    beforeAll(async () => {
      ({ one, other, openWith, countFetchedBytes, close } = await open());
    });

    afterAll(() => close());

    it('returns every field at any broker', async () => {
      const channel = createTestChannel();
      const message = createTestMessage('{"ü":"\u0000\n"}', {
        topic: 't.v1',
        correlationId: 'c-1',
        traceparent: TRACEPARENT,
      });
      const { position } = await append(one, channel, message);
      const { entries } = await other.readAfter(channel, undefined, PAGE_LIMITS);
      expect(entries).toEqual([{ ...message, position, timestampNanos: expect.any(BigInt) }]);
    });

    it.each([{}, { traceparent: TRACEPARENT }, { correlationId: 'c-1' }])(
      'returns no optional field that a message does not have: %j',
      async (optional) => {
        const channel = createTestChannel();
        await append(one, channel, createTestMessage('a', optional));
        const { entries } = await one.readAfter(channel, undefined, PAGE_LIMITS);
        const names = ['correlationId', 'traceparent'].filter((name) => name in (entries[0] ?? {}));
        expect(names).toEqual(Object.keys(optional));
      },
    );

    it('keeps the append order, with strictly rising timestamps of the present', async () => {
      const channel = createTestChannel();
      const sent = Array.from({ length: 100 }, (_, index) => String(index));
      const before = BigInt(Date.now() - 2_000) * 1_000_000n;
      for (const payload of sent) await append(one, channel, createTestMessage(payload));
      const { entries } = await one.readAfter(channel, undefined, PAGE_LIMITS);
      expect(payloads(entries)).toEqual(sent);
      const nanos = entries.map(({ timestampNanos }) => timestampNanos);
      expect(nanos.every((each, index) => index === 0 || each > (nanos[index - 1] ?? each))).toBe(true);
      expect(nanos[0]).toBeGreaterThan(before);
      expect(nanos.at(-1)).toBeLessThan(BigInt(Date.now() + 2_000) * 1_000_000n);
    });

    it('reads after a position', async () => {
      const channel = createTestChannel();
      const first = await append(one, channel, createTestMessage('a'));
      await append(one, channel, createTestMessage('b'));
      const after = await one.readAfter(channel, first.position, PAGE_LIMITS);
      expect({ read: payloads(after.entries), more: after.more }).toEqual({ read: ['b'], more: false });
    });

    it.each([
      ['the number of entries', { maxEntries: 2, maxBytes: 1_000_000 }, 2],
      ['the bytes of payload', { maxEntries: 1_000, maxBytes: 25 }, 2],
      ['the bytes, but never before one entry', { maxEntries: 1_000, maxBytes: 1 }, 1],
    ])('ends a page by %s and reports that there is more', async (_, limits, count) => {
      const channel = createTestChannel();
      for (let index = 0; index < 50; index += 1) await append(one, channel, createTestMessage('ten bytes.'));
      const batch = await one.readAfter(channel, undefined, limits);
      expect({ count: batch.entries.length, more: batch.more }).toEqual({ count, more: true });
    });

    it('reads from an instant', async () => {
      const channel = createTestChannel();
      await append(one, channel, createTestMessage('earlier'));
      const { entries } = await one.readAfter(channel, undefined, PAGE_LIMITS);
      const appendedAt = Number((entries[0]?.timestampNanos ?? 0n) / 1_000_000n);
      await waitFor('a later millisecond', () => Date.now() > appendedAt + 2);
      await append(one, channel, createTestMessage('later'));
      expect(payloads((await one.readFrom(channel, new Date(appendedAt + 1), PAGE_LIMITS)).entries)).toEqual([
        'later',
      ]);
      expect(payloads((await one.readFrom(channel, new Date(appendedAt), PAGE_LIMITS)).entries)).toHaveLength(
        2,
      );
    });

    it.each<[string, Partial<NewMessage>]>([
      ['another sender', { sender: 'did:ethr:0xCd' }],
      ['another correlation id', { correlationId: 'y' }],
      ['no correlation id', { correlationId: undefined }],
    ])('does not treat a message with %s as a repeat', async (_, more) => {
      const channel = createTestChannel();
      await append(one, channel, createTestMessage('a', { correlationId: 'x' }));
      expect(
        await append(one, channel, createTestMessage('a', { correlationId: 'x', ...more })),
      ).toMatchObject({
        repeated: false,
      });
    });

    it('does not treat the same correlation id on another channel as a repeat', async () => {
      await append(one, createTestChannel(), createTestMessage('a', { correlationId: 'x' }));
      expect(
        await append(one, createTestChannel(), createTestMessage('a', { correlationId: 'x' })),
      ).toMatchObject({
        repeated: false,
      });
    });

    describeAppendBatch(() => ({ one, other }));
    describeDrop(() => ({ one, other }));
    describeOtherSettings(() => ({ openWith }));
    describePageLimits(() => ({ one, countFetchedBytes }));
    describeRetention(() => ({ one, other }));

    it('stores a position for each identity and client id', async () => {
      const channel = createTestChannel();
      const { position } = await append(one, channel, createTestMessage('a'));
      const reader = { address: '0xab', clientId: 'x' };
      await one.movePosition(channel, reader, position);
      expect(await other.getPosition(channel, reader)).toBe(position);
      expect(await one.getPosition(channel, { ...reader, clientId: 'y' })).toBeUndefined();
      expect(await one.getPosition(channel, { ...reader, address: '0xcd' })).toBeUndefined();
      expect(await one.getPosition(createTestChannel(), reader)).toBeUndefined();
    });

    it('never moves a position back, and ignores a repeat', async () => {
      const channel = createTestChannel();
      const reader = { address: '0xab', clientId: 'x' };
      const positions: Position[] = [];
      for (let index = 0; index < 12; index += 1) {
        positions.push((await append(one, channel, createTestMessage(String(index)))).position);
      }
      const [first, last] = [positions[0], positions.at(-1)];
      if (!first || !last) throw new Error('nothing was appended');
      for (const position of [first, last, first, last]) await one.movePosition(channel, reader, position);
      expect(await one.getPosition(channel, reader)).toBe(last);
      await Promise.all([...positions].reverse().map((each) => one.movePosition(channel, reader, each)));
      expect(await one.getPosition(channel, reader)).toBe(last);
    });

    it('notifies the listeners of every broker after an append, until they are removed', async () => {
      const channel = createTestChannel();
      const notified: string[] = [];
      const removers = [
        one.onAppended((fqcn) => notified.push(`one ${fqcn}`)),
        other.onAppended((fqcn) => notified.push(`other ${fqcn}`)),
      ];
      await append(one, channel, createTestMessage('a'));
      await waitFor(
        'two notifications',
        () => notified.filter((each) => each.endsWith(channel.fqcn)).length === 2,
      );
      removers[0]?.();
      await append(one, channel, createTestMessage('b'));
      await waitFor(
        'another notification',
        () => notified.filter((each) => each === `other ${channel.fqcn}`).length === 2,
      );
      expect(notified.filter((each) => each === `one ${channel.fqcn}`)).toHaveLength(1);
      removers[1]?.();
    });
  });
}
