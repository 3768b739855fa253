import { createTestChannel, createTestMessage, append, PAGE } from '../../../test/support/log-samples.js';
import { waitFor } from '@ssb/testing';
import type { MessageLog, Position } from '../message-log.js';

export interface LogSettings {
  readonly duplicateWindowMs: number;
  readonly positionLifetimeMs: number;
}

export type OpenWith = (
  settings: Partial<LogSettings>,
) => Promise<{ readonly log: MessageLog; readonly close: () => Promise<void> }>;

/** To be outwaited. */
const SHORT_MS = 300;

/**
 * What every engine of MessageLog must keep when a broker has other settings than the usual ones, or than the one that began a log; a part
 * of its contract's suite.
 * @param logs one more broker's log on the store, once that is open
 */
export function describeOtherSettings(logs: () => { readonly openWith: OpenWith }): void {
  describe('a broker with other settings', () => {
    it('forgets a correlation id after the duplicate window', async () => {
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

    it('keeps a longer duplicate window, also where the channel is read first', async () => {
      const { openWith } = logs();
      const channel = createTestChannel();
      const shorter = await openWith({ duplicateWindowMs: SHORT_MS });
      await append(shorter.log, channel, createTestMessage('before'));
      const longer = await openWith({ duplicateWindowMs: 120_000 });
      await longer.log.readAfter(channel, undefined, PAGE);
      const message = createTestMessage('a', { correlationId: 'x' });
      const { position } = await append(longer.log, channel, message);
      const appended = Date.now();
      await waitFor('the shorter window to pass', () => Date.now() - appended > 4 * SHORT_MS);
      expect(await append(longer.log, channel, message)).toEqual({ position, repeated: true });
      await Promise.all([shorter.close(), longer.close()]);
    });

    it('forgets the position of a reader who is gone, on a channel in use as well', async () => {
      const { log, close } = await logs().openWith({ positionLifetimeMs: 500 });
      const channel = createTestChannel(500);
      const [gone, stays] = ['gone', 'stays'].map((clientId) => ({ address: '0xab', clientId }));
      if (!gone || !stays) throw new Error('no readers');
      /** On a busy machine it may be forgotten before anybody looks; then it is moved once more. */
      const movedTo = (position: Position): Promise<Position | undefined> =>
        waitFor('the position', async () => {
          await log.movePosition(channel, gone, position);
          const held = await log.position(channel, gone);
          return held !== undefined && held;
        });
      const { position } = await append(log, channel, createTestMessage('a'));
      expect(await movedTo(position)).toBe(position);
      const moveOn = async () => {
        const next = await append(log, channel, createTestMessage('b'));
        await log.movePosition(channel, stays, next.position);
        return {
          gone: await log.position(channel, gone),
          stays: await log.position(channel, stays),
          next: next.position,
        };
      };
      const left = await waitFor('the position to be forgotten', async () => {
        const held = await moveOn();
        return held.gone === undefined && held.stays !== undefined && held;
      });
      expect(left.stays).toBe(left.next);
      // Whoever comes back begins anew.
      expect(await movedTo(position)).toBe(position);
      await close();
    });
  });
}
