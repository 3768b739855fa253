import type { MarketDate } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { Market } from '../market.js';
import type { Clock } from './clock.js';
import type { ProgressFile } from './progress-file.js';
import type { Publisher } from './publisher.js';

/** What a play is played on. */
export interface Stage {
  market: Market;
  publisher: Publisher;
  clock: Clock;
  participants: readonly string[];
  progress: ProgressFile;
  log: Logger;
  /** How many times faster than written; infinite for without waiting. */
  speed: number;
  /** The market day on which the play begins; the real one when undefined. */
  from: MarketDate | undefined;
  /** The last market day of a play by the calendar. */
  until: MarketDate | undefined;
}
