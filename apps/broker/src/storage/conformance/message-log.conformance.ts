import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE,
  payloads,
} from '../../../test/support/log-samples.js';
import { waitFor } from '@ssb/testing';
import { describeAppendBatch } from './append-batch.conformance.js';
import { describeDrop } from './drop.conformance.js';
import type { MessageLog, NewMessage, Position } from '../message-log.js';
import { describeOtherSettings, type OpenWith } from './other-settings.conformance.js';
import { describePageLimits } from './page-limits.conformance.js';
import { describeRetention } from './retention.conformance.js';

/** An engine under test: two brokers' logs on one store, with a duplicate window that outlasts a test. */
export interface LogUnderTest {
  readonly one: MessageLog;
  readonly other: MessageLog;
  /** One more broker's log on the store, with other settings. */
  readonly openWith: OpenWith;
  /** Bytes that the store has sent to `one` so far, and perhaps to others. */
  readonly fetched: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** What every engine of MessageLog must keep; called once by each engine's own test file. */
export function describeMessageLog(engine: string, open: () => Promise<LogUnderTest>): void {
  describe(`${engine} keeps the contract of MessageLog`, () => {
    let one: MessageLog;
    let other: MessageLog;
    let openWith: LogUnderTest['openWith'];
    let fetched: LogUnderTest['fetched'];
    let close: LogUnderTest['close'];

    beforeAll(async () => {
      ({ one, other, openWith, fetched, close } = await open());
    });

    afterAll(() => close());

    it('gives back every field, to any broker', async () => {
      const channel = createTestChannel();
      const message = createTestMessage('{"ü":"\u0000\n"}', { topic: 't.v1', correlationId: 'c-1' });
      const { position } = await append(one, channel, message);
      const { entries } = await other.readAfter(channel, undefined, PAGE);
      expect(entries).toEqual([{ ...message, position, timestampNanos: expect.any(BigInt) }]);
    });

    it('gives back no correlation id where there was none', async () => {
      const channel = createTestChannel();
      await append(one, channel, createTestMessage('a'));
      const { entries } = await one.readAfter(channel, undefined, PAGE);
      expect(entries[0]).not.toHaveProperty('correlationId');
    });

    it('keeps the order of appending, with timestamps that rise strictly, at about the present time', async () => {
      const channel = createTestChannel();
      const sent = Array.from({ length: 100 }, (_, index) => String(index));
      const before = BigInt(Date.now() - 2_000) * 1_000_000n;
      for (const payload of sent) await append(one, channel, createTestMessage(payload));
      const { entries } = await one.readAfter(channel, undefined, PAGE);
      expect(payloads(entries)).toEqual(sent);
      const nanos = entries.map(({ timestampNanos }) => timestampNanos);
      expect(nanos.every((each, index) => index === 0 || each > (nanos[index - 1] ?? each))).toBe(true);
      expect(nanos[0]).toBeGreaterThan(before);
      expect(nanos.at(-1)).toBeLessThan(BigInt(Date.now() + 2_000) * 1_000_000n);
    });

    it('keeps channels apart', async () => {
      const [a, b] = [createTestChannel(), createTestChannel()];
      await append(one, a, createTestMessage('for a'));
      expect((await one.readAfter(b, undefined, PAGE)).entries).toEqual([]);
    });

    it('reads on after a position', async () => {
      const channel = createTestChannel();
      const first = await append(one, channel, createTestMessage('a'));
      await append(one, channel, createTestMessage('b'));
      const after = await one.readAfter(channel, first.position, PAGE);
      expect({ read: payloads(after.entries), more: after.more }).toEqual({ read: ['b'], more: false });
    });

    it.each([
      ['the number of entries', { limit: 2, bytes: 1_000_000 }, 2],
      ['the bytes of payload', { limit: 1_000, bytes: 25 }, 2],
      ['the bytes, but never before one entry', { limit: 1_000, bytes: 1 }, 1],
    ])('ends a page by %s and says that there is more', async (_, page, count) => {
      const channel = createTestChannel();
      for (let index = 0; index < 50; index += 1) await append(one, channel, createTestMessage('ten bytes.'));
      const batch = await one.readAfter(channel, undefined, page);
      expect({ count: batch.entries.length, more: batch.more }).toEqual({ count, more: true });
    });

    it('reads everything by pages, each entry once', async () => {
      const channel = createTestChannel();
      const sent = Array.from({ length: 77 }, (_, index) => String(index));
      for (const payload of sent) await append(one, channel, createTestMessage(payload));
      const read: string[] = [];
      let position: Position | undefined;
      for (let more = true; more;) {
        const batch = await one.readAfter(channel, position, { limit: 10, bytes: 1_000 });
        read.push(...payloads(batch.entries));
        position = batch.entries.at(-1)?.position ?? position;
        more = batch.more;
      }
      expect(read).toEqual(sent);
    });

    it('reads from an instant on', async () => {
      const channel = createTestChannel();
      await append(one, channel, createTestMessage('earlier'));
      const { entries } = await one.readAfter(channel, undefined, PAGE);
      const appendedAt = Number((entries[0]?.timestampNanos ?? 0n) / 1_000_000n);
      await waitFor('a later millisecond', () => Date.now() > appendedAt + 2);
      await append(one, channel, createTestMessage('later'));
      expect(payloads((await one.readFrom(channel, new Date(appendedAt + 1), PAGE)).entries)).toEqual([
        'later',
      ]);
      expect(payloads((await one.readFrom(channel, new Date(appendedAt), PAGE)).entries)).toHaveLength(2);
    });

    it('gives a repeated correlation id the first position and writes nothing', async () => {
      const channel = createTestChannel();
      const first = await append(one, channel, createTestMessage('a', { correlationId: 'x' }));
      const again = await append(other, channel, createTestMessage('changed', { correlationId: 'x' }));
      expect(first.repeated).toBe(false);
      expect(again).toEqual({ position: first.position, repeated: true });
      expect(payloads((await one.readAfter(channel, undefined, PAGE)).entries)).toEqual(['a']);
    });

    it('writes one message when many repeats reach two brokers at the same instant', async () => {
      const channel = createTestChannel();
      const message = createTestMessage('a', { correlationId: 'x' });
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => append(index % 2 === 0 ? one : other, channel, message)),
      );
      expect(new Set(answers.map(({ position }) => position)).size).toBe(1);
      expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect((await one.readAfter(channel, undefined, PAGE)).entries).toHaveLength(1);
    });

    it.each<[string, Partial<NewMessage>]>([
      ['another sender', { sender: 'did:ethr:0xCd' }],
      ['another correlation id', { correlationId: 'y' }],
      ['no correlation id', { correlationId: undefined }],
    ])('does not take a message of %s for a repeat', async (_, more) => {
      const channel = createTestChannel();
      await append(one, channel, createTestMessage('a', { correlationId: 'x' }));
      expect(
        await append(one, channel, createTestMessage('a', { correlationId: 'x', ...more })),
      ).toMatchObject({
        repeated: false,
      });
    });

    it('does not take the same correlation id on another channel for a repeat', async () => {
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
    describePageLimits(() => ({ one, fetched }));
    describeRetention(() => ({ one, other }));

    it('keeps a position for each identity and client id', async () => {
      const channel = createTestChannel();
      const { position } = await append(one, channel, createTestMessage('a'));
      const reader = { address: '0xab', clientId: 'x' };
      await one.movePosition(channel, reader, position);
      expect(await other.position(channel, reader)).toBe(position);
      expect(await one.position(channel, { ...reader, clientId: 'y' })).toBeUndefined();
      expect(await one.position(channel, { ...reader, address: '0xcd' })).toBeUndefined();
      expect(await one.position(createTestChannel(), reader)).toBeUndefined();
    });

    it('never moves a position back, nor is disturbed by a repeat', async () => {
      const channel = createTestChannel();
      const reader = { address: '0xab', clientId: 'x' };
      const positions: Position[] = [];
      for (let index = 0; index < 12; index += 1) {
        positions.push((await append(one, channel, createTestMessage(String(index)))).position);
      }
      const [first, last] = [positions[0], positions.at(-1)];
      if (!first || !last) throw new Error('nothing was appended');
      for (const position of [first, last, first, last]) await one.movePosition(channel, reader, position);
      expect(await one.position(channel, reader)).toBe(last);
      await Promise.all([...positions].reverse().map((each) => one.movePosition(channel, reader, each)));
      expect(await one.position(channel, reader)).toBe(last);
    });

    it('wakes the watchers of every broker after an append, and no longer after they stopped', async () => {
      const channel = createTestChannel();
      const woken: string[] = [];
      const stops = [
        one.watch((fqcn) => woken.push(`one ${fqcn}`)),
        other.watch((fqcn) => woken.push(`other ${fqcn}`)),
      ];
      await append(one, channel, createTestMessage('a'));
      await waitFor('two wake-ups', () => woken.filter((each) => each.endsWith(channel.fqcn)).length === 2);
      stops[0]?.();
      await append(one, channel, createTestMessage('b'));
      await waitFor(
        'another wake-up',
        () => woken.filter((each) => each === `other ${channel.fqcn}`).length === 2,
      );
      expect(woken.filter((each) => each === `one ${channel.fqcn}`)).toHaveLength(1);
      stops[1]?.();
    });
  });
}
