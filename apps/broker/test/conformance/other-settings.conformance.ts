import { createTestChannel, createTestMessage, append, PAGE_LIMITS } from '../support/log-samples.js';
import { waitFor } from '@ssb/testing';
import type { MessageLog, Offset } from '../../src/storage/message-log.js';

export interface LogSettings {
  readonly duplicateWindowMs: number;
  readonly offsetLifetimeMs: number;
}

export type OpenWith = (
  settings: Partial<LogSettings>,
) => Promise<{ readonly log: MessageLog; readonly close: () => Promise<void> }>;

/** Short enough to pass within a test. */
const SHORT_MS = 300;

/**
 * The contract of MessageLog for a broker whose settings differ from those of the broker that created the log.
 * @param logs returns a function that opens the log of another broker on the same engine
 */
export function describeOtherSettings(logs: () => { readonly openWith: OpenWith }): void {
  describe('a broker with other settings', () => {
    it('accepts a correlation id again after the duplicate window', async () => {
      const { log, close } = await logs().openWith({ duplicateWindowMs: SHORT_MS });
      const channel = createTestChannel();
      const message = createTestMessage('a', { correlationId: 'x' });
      await append(log, channel, message);
      const again = await waitFor('an append that is not repeated', async () => {
        const found = await append(log, channel, message);
        return !found.repeated && found;
      });
      expect(again.repeated).toBe(false);
      await close();
    });

    it('applies its longer duplicate window even if it reads the channel first', async () => {
      const { openWith } = logs();
      const channel = createTestChannel();
      const shorter = await openWith({ duplicateWindowMs: SHORT_MS });
      await append(shorter.log, channel, createTestMessage('before'));
      const longer = await openWith({ duplicateWindowMs: 120_000 });
      await longer.log.readAfter(channel, undefined, PAGE_LIMITS);
      const message = createTestMessage('a', { correlationId: 'x' });
      const { offset } = await append(longer.log, channel, message);
      const appended = Date.now();
      await waitFor('the shorter window to pass', () => Date.now() - appended > 4 * SHORT_MS);
      expect(await append(longer.log, channel, message)).toEqual({ offset, repeated: true });
      await Promise.all([shorter.close(), longer.close()]);
    });

    it('removes the offset of an inactive reader even on an active channel', async () => {
      const { log, close } = await logs().openWith({ offsetLifetimeMs: 500 });
      const channel = createTestChannel(500);
      const [inactive, active] = ['inactive', 'active'].map((clientId) => ({ address: '0xab', clientId }));
      if (!inactive || !active) throw new Error('no readers');
      /** Repeats the move, because the offset can expire before it is read on a busy machine. */
      const moveAndRead = (offset: Offset): Promise<Offset | undefined> =>
        waitFor('the offset', async () => {
          await log.moveOffset(channel, inactive, offset);
          const stored = await log.getOffset(channel, inactive);
          return stored !== undefined && stored;
        });
      const { offset } = await append(log, channel, createTestMessage('a'));
      expect(await moveAndRead(offset)).toBe(offset);
      const moveActiveReader = async () => {
        const next = await append(log, channel, createTestMessage('b'));
        await log.moveOffset(channel, active, next.offset);
        return {
          inactive: await log.getOffset(channel, inactive),
          active: await log.getOffset(channel, active),
          next: next.offset,
        };
      };
      const result = await waitFor('the offset to expire', async () => {
        const stored = await moveActiveReader();
        return stored.inactive === undefined && stored.active !== undefined && stored;
      });
      expect(result.active).toBe(result.next);
      // The inactive reader can store an offset again.
      expect(await moveAndRead(offset)).toBe(offset);
      await close();
    });
  });
}
