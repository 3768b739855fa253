import { createTestChannel, createTestMessage, payloads } from '../support/log-samples.js';
import type { MessageLog } from '../../src/storage/message-log.js';

const LARGE = 200_000;

/**
 * The contract of MessageLog for the limits of a page.
 * @param log the open log, and the bytes that the engine has sent to it
 */
export function describePageLimits(
  log: () => { readonly one: MessageLog; readonly countFetchedBytes: () => Promise<number> },
): void {
  describe('given the limits of a page', () => {
    const limits = { maxEntries: 1_000, maxBytes: 1_000_000 };

    async function measureFetched(read: () => Promise<unknown>): Promise<number> {
      const { countFetchedBytes } = log();
      const before = await countFetchedBytes();
      await read();
      return (await countFetchedBytes()) - before;
    }

    it('fetches few more large messages than fit', async () => {
      const { one } = log();
      const channel = createTestChannel();
      const large = 'x'.repeat(LARGE);
      await one.appendAll(
        channel,
        Array.from({ length: 30 }, () => createTestMessage(large)),
      );
      const counts: number[] = [];
      const bytes = await measureFetched(async () => {
        const { entries, more } = await one.readAfter(channel, undefined, limits);
        counts.push(entries.length, Number(more));
      });
      expect(counts).toEqual([5, 1]);
      expect(bytes).toBeLessThan(limits.maxBytes + 1.5 * LARGE);
    });

    it('fetches few more than fit where large messages follow small ones', async () => {
      const { one } = log();
      const channel = { ...createTestChannel(), maxMessageBytes: 8 * 1_048_576 };
      const sizes = Array.from({ length: 70 }, (_, index) => (index < 40 ? 10 : LARGE));
      await one.appendAll(
        channel,
        sizes.map((size) => createTestMessage('x'.repeat(size))),
      );
      let count = 0;
      const bytes = await measureFetched(async () => {
        count = (await one.readAfter(channel, undefined, limits)).entries.length;
      });
      // 40 × 10 bytes leave space for four large messages.
      expect(count).toBe(44);
      expect(bytes).toBeLessThan(limits.maxBytes + 4.5 * LARGE);
    });

    it.each([1, 64, 65, 130])(
      'reports for a page of all %i messages that there is no more',
      async (count) => {
        const { one } = log();
        const channel = createTestChannel();
        const sent = Array.from({ length: count }, (_, index) => String(index));
        await one.appendAll(
          channel,
          sent.map((text) => createTestMessage(text)),
        );
        const { entries, more } = await one.readAfter(channel, undefined, { ...limits, maxEntries: count });
        expect({ read: payloads(entries), more }).toEqual({ read: sent, more: false });
        const [first] = entries;
        const rest = await one.readAfter(channel, first?.offset, { ...limits, maxEntries: count });
        expect({ read: payloads(rest.entries), more: rest.more }).toEqual({
          read: sent.slice(1),
          more: false,
        });
      },
    );
  });
}
