import {
  createTestChannel,
  createTestMessage,
  append,
  PAGE,
  payloads,
} from '../../../test/support/log-samples.js';
import type { LogChannel, MessageLog } from '../message-log.js';

/**
 * What every engine of MessageLog must keep when a channel is dropped; a part of its contract's suite.
 * @param logs two brokers' logs on one store, once they are open
 */
export function describeDrop(logs: () => { readonly one: MessageLog; readonly other: MessageLog }): void {
  describe('dropping a channel', () => {
    it('drops messages and positions of one channel, and may be asked again', async () => {
      const { one, other } = logs();
      const [gone, kept] = [createTestChannel(), createTestChannel()];
      const reader = { address: '0xab', clientId: 'x' };
      const { position } = await append(one, gone, createTestMessage('a'));
      await one.movePosition(gone, reader, position);
      await append(one, kept, createTestMessage('b'));
      await one.drop(gone);
      await one.drop(gone);
      expect((await other.readAfter(gone, undefined, PAGE)).entries).toEqual([]);
      expect(await one.position(gone, reader)).toBeUndefined();
      expect((await one.readAfter(kept, undefined, PAGE)).entries).toHaveLength(1);
    });

    /** Made a moment after the other, under its name. */
    const nextOf = (channel: LogChannel): LogChannel => ({ ...channel, made: channel.made + 1 });

    it('takes a correlation id anew in the next channel of the name', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const sent = createTestMessage('a', { correlationId: 'c' });
      const { position } = await append(one, channel, sent);
      await other.drop(channel);
      const next = nextOf(channel);
      // What else is appended changes nothing about it.
      await append(other, next, createTestMessage('b'));
      const again = await append(one, next, sent);
      expect(again.repeated).toBe(false);
      expect(again.position).not.toBe(position);
      expect(payloads((await other.readAfter(next, undefined, PAGE)).entries)).toEqual(['b', 'a']);
      expect(await append(other, next, sent)).toEqual({ ...again, repeated: true });
    });

    it('shows nothing in the next channel of the name of what was appended too late, nor its positions', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const reader = { address: '0xab', clientId: 'x' };
      await append(one, channel, createTestMessage('before'));
      await other.drop(channel);
      const { position } = await append(one, channel, createTestMessage('under way while it was dropped'));
      await one.movePosition(channel, reader, position);
      const next = nextOf(channel);
      for (const log of [one, other]) {
        expect(await log.readAfter(next, undefined, PAGE)).toEqual({ entries: [], more: false });
        expect(await log.readFrom(next, new Date(0), PAGE)).toEqual({ entries: [], more: false });
        expect(await log.position(next, reader)).toBeUndefined();
      }
      await append(one, next, createTestMessage('new'));
      expect(payloads((await other.readAfter(next, undefined, PAGE)).entries)).toEqual(['new']);
      expect(payloads((await one.readAfter(channel, undefined, PAGE)).entries)).not.toContain('new');
    });

    it('leaves the next channel of the name alone when the former one is dropped once more', async () => {
      const { one, other } = logs();
      const channel = createTestChannel();
      const next = nextOf(channel);
      await append(one, channel, createTestMessage('old'));
      await append(one, next, createTestMessage('new'));
      await other.drop(channel);
      expect(payloads((await one.readAfter(next, undefined, PAGE)).entries)).toEqual(['new']);
    });
  });
}
