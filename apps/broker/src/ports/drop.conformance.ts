import { describe, expect, it } from '@jest/globals';
import { aChannel, aMessage, PAGE, payloads } from '../testing/log-samples.js';
import type { MessageLog } from './message-log.js';

/**
 * What every engine of MessageLog must keep when a channel is dropped; a part of its contract's suite.
 * @param logs two brokers' logs on one store, once they are open
 */
export function describeDrop(logs: () => { readonly one: MessageLog; readonly other: MessageLog }): void {
  describe('dropping a channel', () => {
    it('drops messages and positions of one channel, and may be asked again', async () => {
      const { one, other } = logs();
      const [gone, kept] = [aChannel(), aChannel()];
      const reader = { address: '0xab', clientId: 'x' };
      const { position } = await one.append(gone, aMessage('a'));
      await one.movePosition(gone, reader, position);
      await one.append(kept, aMessage('b'));
      await one.drop(gone.fqcn);
      await one.drop(gone.fqcn);
      expect((await other.readAfter(gone, undefined, PAGE)).entries).toEqual([]);
      expect(await one.position(gone, reader)).toBeUndefined();
      expect((await one.readAfter(kept, undefined, PAGE)).entries).toHaveLength(1);
    });

    it('takes a correlation id anew after its channel was dropped', async () => {
      const { one, other } = logs();
      const channel = aChannel();
      const sent = aMessage('a', { correlationId: 'c' });
      const { position } = await one.append(channel, sent);
      await other.drop(channel.fqcn);
      // What else is appended changes nothing about it.
      await other.append(channel, aMessage('b'));
      const again = await one.append(channel, sent);
      expect(again.repeated).toBe(false);
      expect(again.position).not.toBe(position);
      expect(payloads((await other.readAfter(channel, undefined, PAGE)).entries)).toEqual(['b', 'a']);
      expect(await other.append(channel, sent)).toEqual({ ...again, repeated: true });
    });
  });
}
