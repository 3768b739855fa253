import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../support/log-samples.js';
import { waitFor } from '@ssb/testing';
import type { MessageLog } from '../../src/storage/message-log.js';

/**
 * The contract of MessageLog for several messages in one call.
 * @param logs the open logs of two brokers on one engine
 */
export function describeAppendBatch(
  logs: () => { readonly one: MessageLog; readonly other: MessageLog },
): void {
  describe('given several messages in one call', () => {
    it('appends them in order, each with its own outcome, and notifies the listeners', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const notified: (string | undefined)[] = [];
      const stop = other.onAppended((fqcn) => notified.push(fqcn));
      const known = await append(one, channel, createTestMessage('known', { correlationId: 'k' }));
      await waitFor('its notification', () => notified.includes(channel.fqcn));
      notified.length = 0;
      const outcomes = await one.appendAll(channel, [
        createTestMessage('a', { correlationId: 'x' }),
        createTestMessage('again', { correlationId: 'k' }),
        createTestMessage('b'),
        createTestMessage('a once more', { correlationId: 'x' }),
        createTestMessage('another’s', { correlationId: 'x', sender: 'did:ethr:0xCd' }),
        createTestMessage('b'),
      ]);
      const { entries } = await other.readAfter(channel, known.offset, PAGE_LIMITS);
      expect(payloads(entries)).toEqual(['a', 'b', 'another’s', 'b']);
      const [a, b, theirs, b2] = entries.map(({ offset }) => offset);
      expect(outcomes.map((each) => each.status === 'fulfilled' && each.value)).toEqual([
        { offset: a, repeated: false },
        { offset: known.offset, repeated: true },
        { offset: b, repeated: false },
        { offset: a, repeated: true },
        { offset: theirs, repeated: false },
        { offset: b2, repeated: false },
      ]);
      await waitFor('a notification', () => notified.includes(channel.fqcn));
      stop();
    });

    it('keeps their order after another broker has dropped the log', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const texts = Array.from({ length: 10 }, (_, index) => String(index));
      for (let round = 0; round < 3; round += 1) {
        await append(one, channel, createTestMessage('before'));
        await other.drop(channel);
        const outcomes = await one.appendAll(
          channel,
          texts.map((text) => createTestMessage(text)),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(texts.map(() => 'fulfilled'));
        const { entries } = await other.readAfter(channel, undefined, PAGE_LIMITS);
        expect(payloads(entries)).toEqual(texts);
        await other.drop(channel);
      }
    });

    it('stores each once when two brokers get the same messages at the same instant', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const messages = Array.from({ length: 20 }, (_, index) =>
        createTestMessage(String(index), { correlationId: String(index) }),
      );
      const responses = await Promise.all(
        Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? one : other).appendAll(channel, messages)),
      );
      const offsets = responses.map((outcomes) =>
        outcomes.map((each) => each.status === 'fulfilled' && each.value.offset),
      );
      expect(new Set(offsets.map((each) => JSON.stringify(each))).size).toBe(1);
      const { entries } = await one.readAfter(channel, undefined, PAGE_LIMITS);
      expect(new Set(payloads(entries))).toEqual(new Set(messages.map(({ payload }) => payload)));
      expect(entries).toHaveLength(20);
    });
  });
}
