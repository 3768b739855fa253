import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE_LIMITS,
  payloads,
} from '../../../test/support/log-samples.js';
import type { LogChannel, MessageLog } from '../message-log.js';

/**
 * The contract of MessageLog for dropped channels.
 * @param logs the open logs of two brokers on one engine
 */
export function describeDrop(logs: () => { readonly one: MessageLog; readonly other: MessageLog }): void {
  describe('dropping a channel', () => {
    it('removes messages and positions of one channel; a repeat is harmless', async () => {
      const { one, other } = logs();
      const [gone, kept] = [createTestChannel(), createTestChannel()];
      const reader = { address: '0xab', clientId: 'x' };
      const { position } = await append(one, gone, createTestMessage('a'));
      await one.movePosition(gone, reader, position);
      await append(one, kept, createTestMessage('b'));
      await one.drop(gone);
      await one.drop(gone);
      expect((await other.readAfter(gone, undefined, PAGE_LIMITS)).entries).toEqual([]);
      expect(await one.getPosition(gone, reader)).toBeUndefined();
      expect((await one.readAfter(kept, undefined, PAGE_LIMITS)).entries).toHaveLength(1);
    });

    /** Created later under the same name. */
    const nextChannel = (channel: LogChannel): LogChannel => ({
      ...channel,
      createdAt: channel.createdAt + 1,
    });

    it('accepts a correlation id again in the next channel of the name', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const sent = createTestMessage('a', { correlationId: 'c' });
      const { position } = await append(one, channel, sent);
      await other.drop(channel);
      const next = nextChannel(channel);
      await append(other, next, createTestMessage('b'));
      const again = await append(one, next, sent);
      expect(again.repeated).toBe(false);
      expect(again.position).not.toBe(position);
      expect(payloads((await other.readAfter(next, undefined, PAGE_LIMITS)).entries)).toEqual(['b', 'a']);
      expect(await append(other, next, sent)).toEqual({ ...again, repeated: true });
    });

    it('hides late appends and positions of the former channel from the next channel of the name', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const reader = { address: '0xab', clientId: 'x' };
      await append(one, channel, createTestMessage('before'));
      await other.drop(channel);
      const { position } = await append(one, channel, createTestMessage('in flight while it was dropped'));
      await one.movePosition(channel, reader, position);
      const next = nextChannel(channel);
      for (const log of [one, other]) {
        expect(await log.readAfter(next, undefined, PAGE_LIMITS)).toEqual({ entries: [], more: false });
        expect(await log.readFrom(next, new Date(0), PAGE_LIMITS)).toEqual({ entries: [], more: false });
        expect(await log.getPosition(next, reader)).toBeUndefined();
      }
      await append(one, next, createTestMessage('new'));
      expect(payloads((await other.readAfter(next, undefined, PAGE_LIMITS)).entries)).toEqual(['new']);
      expect(payloads((await one.readAfter(channel, undefined, PAGE_LIMITS)).entries)).not.toContain('new');
    });

    it('keeps the next channel of the name when the former one is dropped again', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const next = nextChannel(channel);
      await append(one, channel, createTestMessage('old'));
      await append(one, next, createTestMessage('new'));
      await other.drop(channel);
      expect(payloads((await one.readAfter(next, undefined, PAGE_LIMITS)).entries)).toEqual(['new']);
    });
  });
}
