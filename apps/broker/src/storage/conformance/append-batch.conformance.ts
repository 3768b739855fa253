import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE,
  payloads,
} from '../../../test/support/log-samples.js';
import { waitFor } from '@ssb/testing';
import type { MessageLog } from '../message-log.js';

/**
 * What every engine of MessageLog must keep when messages are appended together; a part of its contract's suite.
 * @param logs two brokers' logs on one store, once they are open
 */
export function describeAppendBatch(
  logs: () => { readonly one: MessageLog; readonly other: MessageLog },
): void {
  describe('given messages together', () => {
    it('appends them in their order, each with its own outcome, and wakes the watchers', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const woken: (string | undefined)[] = [];
      const stop = other.watch((fqcn) => woken.push(fqcn));
      const known = await append(one, channel, createTestMessage('known', { correlationId: 'k' }));
      woken.length = 0;
      const outcomes = await one.appendAll(channel, [
        createTestMessage('a', { correlationId: 'x' }),
        createTestMessage('again', { correlationId: 'k' }),
        createTestMessage('b'),
        createTestMessage('a once more', { correlationId: 'x' }),
        createTestMessage('another’s', { correlationId: 'x', sender: 'did:ethr:0xCd' }),
        createTestMessage('b'),
      ]);
      const { entries } = await other.readAfter(channel, known.position, PAGE);
      expect(payloads(entries)).toEqual(['a', 'b', 'another’s', 'b']);
      const [a, b, theirs, b2] = entries.map(({ position }) => position);
      expect(outcomes.map((each) => each.status === 'fulfilled' && each.value)).toEqual([
        { position: a, repeated: false },
        { position: known.position, repeated: true },
        { position: b, repeated: false },
        { position: a, repeated: true },
        { position: theirs, repeated: false },
        { position: b2, repeated: false },
      ]);
      await waitFor('a wake-up', () => woken.includes(channel.fqcn));
      stop();
    });

    it('keeps their order also where the log is gone that was there a moment ago', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const texts = Array.from({ length: 30 }, (_, index) => String(index));
      for (let round = 0; round < 5; round += 1) {
        await append(one, channel, createTestMessage('before'));
        await other.drop(channel);
        const outcomes = await one.appendAll(
          channel,
          texts.map((text) => createTestMessage(text)),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(texts.map(() => 'fulfilled'));
        const { entries } = await other.readAfter(channel, undefined, PAGE);
        expect(payloads(entries)).toEqual(texts);
        await other.drop(channel);
      }
    });

    it('writes each once when the same ones reach two brokers together at the same instant', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const messages = Array.from({ length: 20 }, (_, index) =>
        createTestMessage(String(index), { correlationId: String(index) }),
      );
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? one : other).appendAll(channel, messages)),
      );
      const positions = answers.map((outcomes) =>
        outcomes.map((each) => each.status === 'fulfilled' && each.value.position),
      );
      expect(new Set(positions.map((each) => JSON.stringify(each))).size).toBe(1);
      const { entries } = await one.readAfter(channel, undefined, PAGE);
      expect(new Set(payloads(entries))).toEqual(new Set(messages.map(({ payload }) => payload)));
      expect(entries).toHaveLength(20);
    });
  });
}
