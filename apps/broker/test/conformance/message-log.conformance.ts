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
import type { MessageLog, NewMessage, Offset } from '../../src/storage/message-log.js';
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
      const { offset } = await append(one, channel, message);
      const { entries } = await other.readAfter(channel, undefined, PAGE_LIMITS);
      expect(entries).toEqual([{ ...message, offset, timestampNanos: expect.any(BigInt) }]);
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
      const sent = Array.from({ length: 40 }, (_, index) => String(index));
      const before = BigInt(Date.now() - 2_000) * 1_000_000n;
      for (const payload of sent) await append(one, channel, createTestMessage(payload));
      const { entries } = await one.readAfter(channel, undefined, PAGE_LIMITS);
      expect(payloads(entries)).toEqual(sent);
      const nanos = entries.map(({ timestampNanos }) => timestampNanos);
      expect(nanos.every((each, index) => index === 0 || each > (nanos[index - 1] ?? each))).toBe(true);
      expect(nanos[0]).toBeGreaterThan(before);
      expect(nanos.at(-1)).toBeLessThan(BigInt(Date.now() + 2_000) * 1_000_000n);
    });

    it('reads after an offset', async () => {
      const channel = createTestChannel();
      const first = await append(one, channel, createTestMessage('a'));
      await append(one, channel, createTestMessage('b'));
      const after = await one.readAfter(channel, first.offset, PAGE_LIMITS);
      expect({ read: payloads(after.entries), more: after.more }).toEqual({ read: ['b'], more: false });
    });

    it.each([
      ['the number of entries', { maxEntries: 2, maxBytes: 1_000_000 }, 2],
      ['the bytes of payload', { maxEntries: 1_000, maxBytes: 25 }, 2],
      ['the bytes, but never before one entry', { maxEntries: 1_000, maxBytes: 1 }, 1],
    ])('ends a page by %s and reports that there is more', async (_, limits, count) => {
      const channel = createTestChannel();
      for (let index = 0; index < 4; index += 1) await append(one, channel, createTestMessage('ten bytes.'));
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

    it('treats no message with another sender, channel or correlation id, or without one, as a repeat', async () => {
      const channel = createTestChannel();
      const isRepeated = async (more: Partial<NewMessage>, to = channel): Promise<boolean> =>
        (await append(one, to, createTestMessage('a', { correlationId: 'x', ...more }))).repeated;
      expect(await isRepeated({})).toBe(false);
      expect(await isRepeated({ sender: 'did:ethr:0xCd' })).toBe(false);
      expect(await isRepeated({ correlationId: 'y' })).toBe(false);
      expect(await isRepeated({ correlationId: undefined })).toBe(false);
      expect(await isRepeated({}, createTestChannel())).toBe(false);
      expect(await isRepeated({})).toBe(true);
    });

    describeAppendBatch(() => ({ one, other }));
    describeDrop(() => ({ one, other }));
    describeOtherSettings(() => ({ openWith }));
    describePageLimits(() => ({ one, countFetchedBytes }));
    describeRetention(() => ({ one, other }));

    it('reads after the end only what is appended later, of an empty log too', async () => {
      const channel = createTestChannel();
      const empty = await one.getEnd(channel);
      await append(one, channel, createTestMessage('a'));
      const end = await other.getEnd(channel);
      expect(await one.readAfter(channel, end, PAGE_LIMITS)).toEqual({ entries: [], more: false });
      await append(one, channel, createTestMessage('b'));
      const read = async (offset: Offset) => {
        const { entries, gap } = await one.readAfter(channel, offset, PAGE_LIMITS);
        return { read: payloads(entries), gap };
      };
      expect(await read(empty)).toEqual({ read: ['a', 'b'], gap: undefined });
      expect(await read(end)).toEqual({ read: ['b'], gap: undefined });
    });

    it('stores an offset for each identity and client id', async () => {
      const channel = createTestChannel();
      const { offset } = await append(one, channel, createTestMessage('a'));
      const reader = { address: '0xab', clientId: 'x' };
      await one.moveOffset(channel, reader, offset);
      expect(await other.getOffset(channel, reader)).toBe(offset);
      expect(await one.getOffset(channel, { ...reader, clientId: 'y' })).toBeUndefined();
      expect(await one.getOffset(channel, { ...reader, address: '0xcd' })).toBeUndefined();
      expect(await one.getOffset(createTestChannel(), reader)).toBeUndefined();
    });

    it('never moves an offset back, and ignores a repeat', async () => {
      const channel = createTestChannel();
      const reader = { address: '0xab', clientId: 'x' };
      const offsets: Offset[] = [];
      for (let index = 0; index < 12; index += 1) {
        offsets.push((await append(one, channel, createTestMessage(String(index)))).offset);
      }
      const [first, last] = [offsets[0], offsets.at(-1)];
      if (!first || !last) throw new Error('nothing was appended');
      for (const offset of [first, last, first, last]) await one.moveOffset(channel, reader, offset);
      expect(await one.getOffset(channel, reader)).toBe(last);
      await Promise.all([...offsets].reverse().map((each) => one.moveOffset(channel, reader, each)));
      expect(await one.getOffset(channel, reader)).toBe(last);
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
