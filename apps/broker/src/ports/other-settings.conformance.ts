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
  });
}
