import { createTestChannel, createTestMessage, payloads } from '../../../test/support/log-samples.js';
import type { MessageLog } from '../message-log.js';

const LARGE = 200_000;

/**
 * What every engine of MessageLog must keep of the bounds of a page; a part of its contract's suite.
 * @param log once it is open, with the bytes that the engine has sent to it so far
 */
export function describePageLimits(
  log: () => { readonly one: MessageLog; readonly fetched: () => Promise<number> },
): void {
  describe('given the bounds of a page', () => {
    const page = { limit: 1_000, bytes: 1_000_000 };

    async function fetchedBy(reading: () => Promise<unknown>): Promise<number> {
      const { fetched } = log();
      const before = await fetched();
      await reading();
      return (await fetched()) - before;
    }

    it('fetches hardly more large messages than fit', async () => {
      const { one } = log();
      const channel = createTestChannel();
      const large = 'x'.repeat(LARGE);
      await one.appendAll(
        channel,
        Array.from({ length: 30 }, () => createTestMessage(large)),
      );
      const counts: number[] = [];
      const bytes = await fetchedBy(async () => {
        const { entries, more } = await one.readAfter(channel, undefined, page);
        counts.push(entries.length, Number(more));
      });
      expect(counts).toEqual([5, 1]);
      expect(bytes).toBeLessThan(page.bytes + 1.5 * LARGE);
    });

    it('fetches few that do not fit where large ones follow small ones', async () => {
      const { one } = log();
      const channel = { ...createTestChannel(), maxMessageBytes: 8 * 1_048_576 };
      const sizes = Array.from({ length: 70 }, (_, index) => (index < 40 ? 10 : LARGE));
      await one.appendAll(
        channel,
        sizes.map((size) => createTestMessage('x'.repeat(size))),
      );
      let count = 0;
      const bytes = await fetchedBy(async () => {
        count = (await one.readAfter(channel, undefined, page)).entries.length;
      });
      // 40 × 10 bytes leave room for four large ones.
      expect(count).toBe(44);
      expect(bytes).toBeLessThan(page.bytes + 4.5 * LARGE);
    });

    it.each([1, 2, 63, 64, 65, 130])(
      'says of a page that took all %i that there is no more',
      async (count) => {
        const { one } = log();
        const channel = createTestChannel();
        const sent = Array.from({ length: count }, (_, index) => String(index));
        await one.appendAll(
          channel,
          sent.map((text) => createTestMessage(text)),
        );
        const { entries, more } = await one.readAfter(channel, undefined, { ...page, limit: count });
        expect({ read: payloads(entries), more }).toEqual({ read: sent, more: false });
        const [first] = entries;
        const rest = await one.readAfter(channel, first?.position, { ...page, limit: count });
        expect({ read: payloads(rest.entries), more: rest.more }).toEqual({
          read: sent.slice(1),
          more: false,
        });
      },
    );
  });
}
