import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../support/log-samples.js';
import { waitFor } from '@ssb/testing';
import type { LogPage, LogChannel, MessageLog, Offset } from '../../src/storage/message-log.js';

/** Everything that was appended until a page had entries. */
interface ReadInTime {
  /** Of everything appended, in order. */
  readonly offsets: readonly Offset[];
  readonly page: LogPage;
}

/**
 * The contract of MessageLog for retention. On a busy machine a message can expire before it is read; then another one is appended.
 * @param logs the open logs of two brokers on one engine
 */
export function describeRetention(
  logs: () => { readonly one: MessageLog; readonly other: MessageLog },
): void {
  describe('retention', () => {
    const appendUntilRead = async (
      channel: LogChannel,
      payload: string,
      read: (newest: Offset) => Promise<LogPage>,
    ): Promise<ReadInTime> => {
      const offsets: Offset[] = [];
      const page = await waitFor('a message', async () => {
        const { offset } = await append(logs().one, channel, createTestMessage(payload));
        offsets.push(offset);
        const found = await read(offset);
        return found.entries.length > 0 && found;
      });
      return { offsets, page };
    };
    const distinctPayloads = ({ page }: ReadInTime): string[] => [...new Set(payloads(page.entries))];

    it('hides older messages', async () => {
      const { one } = logs();
      const channel = createTestChannel(200);
      const all = (): Promise<LogPage> => one.readAfter(channel, undefined, PAGE_LIMITS);
      const old = await appendUntilRead(channel, 'old', all);
      expect(distinctPayloads(old)).toEqual(['old']);
      await waitFor('retention', async () => {
        const found = await all();
        return found.entries.length === 0;
      });
      const last = old.offsets.at(-1);
      const reads = [
        () => one.readAfter(channel, last, PAGE_LIMITS),
        () => one.readFrom(channel, new Date(0), PAGE_LIMITS),
      ];
      for (const read of reads)
        expect(distinctPayloads(await appendUntilRead(channel, 'new', read))).toEqual(['new']);
    });

    it('reports a gap to a reader that it overtook, on an empty page as well', async () => {
      const { one, other } = logs();
      const channel = createTestChannel(300);
      const appended: Offset[] = [];
      for (const payload of ['seen', 'missed', 'also missed']) {
        appended.push((await append(one, channel, createTestMessage(payload))).offset);
      }
      const [seen, , last] = appended;
      if (!seen || !last) throw new Error('nothing was appended');
      const empty = await waitFor('the gap', async () => {
        const page = await other.readAfter(channel, seen, PAGE_LIMITS);
        return page.gap?.upTo === last && page;
      });
      expect(empty).toEqual({ entries: [], more: false, gap: { after: seen, upTo: last } });
      const fresh = await appendUntilRead(channel, 'new', () => other.readAfter(channel, seen, PAGE_LIMITS));
      expect(distinctPayloads(fresh)).toEqual(['new']);
      const all = [...appended, ...fresh.offsets];
      const firstRead = all.indexOf(fresh.page.entries[0]?.offset ?? seen);
      expect(fresh.page.gap).toEqual({ after: seen, upTo: all[firstRead - 1] });
    });

    it('reports no gap to a reader that missed nothing', async () => {
      const { one, other } = logs();
      const channel = createTestChannel(200);
      let seen = (await append(one, channel, createTestMessage('seen'))).offset;
      await waitFor('retention', async () => {
        const found = await one.readAfter(channel, undefined, PAGE_LIMITS);
        return found.entries.length === 0;
      });
      for (const offset of [seen, undefined]) {
        expect(await other.readAfter(channel, offset, PAGE_LIMITS)).toEqual({ entries: [], more: false });
      }
      const { page } = await appendUntilRead(channel, 'new', (newest) => {
        const before = seen;
        seen = newest;
        return other.readAfter(channel, before, PAGE_LIMITS);
      });
      expect({ read: payloads(page.entries), gap: page.gap }).toEqual({ read: ['new'], gap: undefined });
    });
  });
}
