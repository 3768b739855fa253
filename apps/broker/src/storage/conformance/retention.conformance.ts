import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE,
  payloads,
} from '../../../test/support/log-samples.js';
import { waitFor } from '@ssb/testing';
import type { LogPage, LogChannel, MessageLog, Position } from '../message-log.js';

/** What was appended until some of it was read. */
interface ReadInTime {
  /** Of all that was appended, in its order. */
  readonly positions: readonly Position[];
  readonly batch: LogPage;
}

/**
 * What every engine of MessageLog must keep when retention takes messages; a part of its contract's suite. On a busy machine a message may
 * go before anybody came to read it: then one more is appended.
 * @param logs two brokers' logs on one store, once they are open
 */
export function describeRetention(
  logs: () => { readonly one: MessageLog; readonly other: MessageLog },
): void {
  describe('retention', () => {
    const appendUntilRead = async (
      channel: LogChannel,
      payload: string,
      read: (newest: Position) => Promise<LogPage>,
    ): Promise<ReadInTime> => {
      const positions: Position[] = [];
      const batch = await waitFor('a message', async () => {
        const { position } = await append(logs().one, channel, createTestMessage(payload));
        positions.push(position);
        const found = await read(position);
        return found.entries.length > 0 && found;
      });
      return { positions, batch };
    };
    const onlyOf = ({ batch }: ReadInTime): string[] => [...new Set(payloads(batch.entries))];

    it('hides what is older', async () => {
      const { one } = logs();
      const channel = createTestChannel(200);
      const all = (): Promise<LogPage> => one.readAfter(channel, undefined, PAGE);
      const old = await appendUntilRead(channel, 'old', all);
      expect(onlyOf(old)).toEqual(['old']);
      await waitFor('retention', async () => {
        const found = await all();
        return found.entries.length === 0;
      });
      const last = old.positions.at(-1);
      const reads = [
        () => one.readAfter(channel, last, PAGE),
        () => one.readFrom(channel, new Date(0), PAGE),
      ];
      for (const read of reads) expect(onlyOf(await appendUntilRead(channel, 'new', read))).toEqual(['new']);
    });

    it('tells a reader whom it overtook, whether anything is left to read or not', async () => {
      const { one, other } = logs();
      const channel = createTestChannel(300);
      const appended: Position[] = [];
      for (const payload of ['seen', 'missed', 'also missed']) {
        appended.push((await append(one, channel, createTestMessage(payload))).position);
      }
      const [seen, , last] = appended;
      if (!seen || !last) throw new Error('nothing was appended');
      const empty = await waitFor('the gap', async () => {
        const batch = await other.readAfter(channel, seen, PAGE);
        return batch.gap?.upTo === last && batch;
      });
      expect(empty).toEqual({ entries: [], more: false, gap: { after: seen, upTo: last } });
      const fresh = await appendUntilRead(channel, 'new', () => other.readAfter(channel, seen, PAGE));
      expect(onlyOf(fresh)).toEqual(['new']);
      const all = [...appended, ...fresh.positions];
      const firstRead = all.indexOf(fresh.batch.entries[0]?.position ?? seen);
      expect(fresh.batch.gap).toEqual({ after: seen, upTo: all[firstRead - 1] });
    });

    it('tells nobody of a gap before whom nothing went', async () => {
      const { one, other } = logs();
      const channel = createTestChannel(200);
      let seen = (await append(one, channel, createTestMessage('seen'))).position;
      await waitFor('retention', async () => {
        const found = await one.readAfter(channel, undefined, PAGE);
        return found.entries.length === 0;
      });
      for (const position of [seen, undefined]) {
        expect(await other.readAfter(channel, position, PAGE)).toEqual({ entries: [], more: false });
      }
      const { batch } = await appendUntilRead(channel, 'new', (newest) => {
        const before = seen;
        seen = newest;
        return other.readAfter(channel, before, PAGE);
      });
      expect({ read: payloads(batch.entries), gap: batch.gap }).toEqual({ read: ['new'], gap: undefined });
    });
  });
}
