import { describe, expect, it } from '@jest/globals';
import { aChannel, aMessage, PAGE } from '../testing/log-samples.js';
import { until } from '../testing/until.js';
import type { MessageLog } from './message-log.js';

export interface LogSettings {
  readonly duplicateWindowMs: number;
  readonly positionLifeMs: number;
}

export type OpenWith = (
  settings: Partial<LogSettings>,
) => Promise<{ readonly log: MessageLog; readonly close: () => Promise<void> }>;

/**
 * What every engine of MessageLog must keep when a broker has other settings than the one that began a log; a part of its contract's suite.
 * @param logs a broker's log and one more on its store, once they are open
 */
export function describeOtherSettings(
  logs: () => { readonly one: MessageLog; readonly openWith: OpenWith },
  { duplicateWindowMs }: { readonly duplicateWindowMs: number },
): void {
  describe('a broker with other settings', () => {
    it('keeps a longer duplicate window, also where the channel is read first', async () => {
      const { one, openWith } = logs();
      const channel = aChannel();
      await one.append(channel, aMessage('before'));
      const longer = await openWith({ duplicateWindowMs: 60_000 });
      await longer.log.readAfter(channel, undefined, PAGE);
      const message = aMessage('a', { correlationId: 'x' });
      const { position } = await longer.log.append(channel, message);
      const appended = Date.now();
      await until(
        () => Date.now() - appended,
        (passed) => passed > 4 * duplicateWindowMs,
      );
      expect(await longer.log.append(channel, message)).toEqual({ position, repeated: true });
      await longer.close();
    });

    it('forgets the position of a reader who is gone, on a channel in use as well', async () => {
      const { log, close } = await logs().openWith({ positionLifeMs: 1_500 });
      const channel = aChannel(500);
      const [gone, stays] = ['gone', 'stays'].map((clientId) => ({ address: '0xab', clientId }));
      if (!gone || !stays) throw new Error('no readers');
      const { position } = await log.append(channel, aMessage('a'));
      await log.movePosition(channel, gone, position);
      expect(await log.position(channel, gone)).toBe(position);
      const moveOn = async () => {
        const next = await log.append(channel, aMessage('b'));
        await log.movePosition(channel, stays, next.position);
        return { of: await log.position(channel, gone), next: next.position };
      };
      const { next } = await until(moveOn, ({ of }) => of === undefined);
      expect(await log.position(channel, stays)).toBe(next);
      // Whoever comes back begins anew.
      await log.movePosition(channel, gone, position);
      expect(await log.position(channel, gone)).toBe(position);
      await close();
    });
  });
}
