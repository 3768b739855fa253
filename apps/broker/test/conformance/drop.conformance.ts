import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../support/log-samples.js';
import type { LogChannel, MessageLog } from '../../src/storage/message-log.js';

/**
 * The contract of MessageLog for dropped channels.
 * @param logs the open logs of two brokers on one engine
 */
export function describeDrop(logs: () => { readonly one: MessageLog; readonly other: MessageLog }): void {
  describe('dropping a channel', () => {
    it('removes the messages and the offsets of one channel; a second drop is harmless', async () => {
      const { one, other } = logs();
      const [dropped, kept] = [createTestChannel(), createTestChannel()];
      const reader = { address: '0xab', clientId: 'x' };
      const { offset } = await append(one, dropped, createTestMessage('a'));
      await one.moveOffset(dropped, reader, offset);
      await append(one, kept, createTestMessage('b'));
      await one.drop(dropped);
      await one.drop(dropped);
      expect((await other.readAfter(dropped, undefined, PAGE_LIMITS)).entries).toEqual([]);
      expect(await one.getOffset(dropped, reader)).toBeUndefined();
      expect((await one.readAfter(kept, undefined, PAGE_LIMITS)).entries).toHaveLength(1);
    });

    /** A channel that is created later with the same name. */
    const recreate = (channel: LogChannel): LogChannel => ({
      ...channel,
      createdAt: channel.createdAt + 1,
    });

    it('accepts a correlation id again in the recreated channel', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const sent = createTestMessage('a', { correlationId: 'c' });
      const { offset } = await append(one, channel, sent);
      await other.drop(channel);
      const recreated = recreate(channel);
      await append(other, recreated, createTestMessage('b'));
      const again = await append(one, recreated, sent);
      expect(again.repeated).toBe(false);
      expect(again.offset).not.toBe(offset);
      expect(payloads((await other.readAfter(recreated, undefined, PAGE_LIMITS)).entries)).toEqual([
        'b',
        'a',
      ]);
      expect(await append(other, recreated, sent)).toEqual({ ...again, repeated: true });
    });

    it('hides late appends and offsets of the dropped channel from the recreated channel', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const reader = { address: '0xab', clientId: 'x' };
      await append(one, channel, createTestMessage('before'));
      await other.drop(channel);
      const { offset } = await append(one, channel, createTestMessage('in flight while it was dropped'));
      await one.moveOffset(channel, reader, offset);
      const recreated = recreate(channel);
      for (const log of [one, other]) {
        expect(await log.readAfter(recreated, undefined, PAGE_LIMITS)).toEqual({ entries: [], more: false });
        expect(await log.readFrom(recreated, new Date(0), PAGE_LIMITS)).toEqual({ entries: [], more: false });
        expect(await log.getOffset(recreated, reader)).toBeUndefined();
      }
      await append(one, recreated, createTestMessage('new'));
      expect(payloads((await other.readAfter(recreated, undefined, PAGE_LIMITS)).entries)).toEqual(['new']);
      expect(payloads((await one.readAfter(channel, undefined, PAGE_LIMITS)).entries)).not.toContain('new');
    });

    it('keeps the recreated channel when the old channel is dropped after the recreation', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const recreated = recreate(channel);
      await append(one, channel, createTestMessage('old'));
      await append(one, recreated, createTestMessage('new'));
      await other.drop(channel);
      expect(payloads((await one.readAfter(recreated, undefined, PAGE_LIMITS)).entries)).toEqual(['new']);
    });
  });
}
