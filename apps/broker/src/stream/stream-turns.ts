import { MOST_NAMED_CHANNELS } from '@ssb/bus';
import { PAGE_BYTES } from '../read-messages.js';
import { Turns } from './turns.js';

/** What the subscriptions of one stream share, so that many of them neither stall the broker nor fill its memory. */
export class StreamTurns {
  /** Reviews; in channels that are looked up. */
  readonly reviews = new Turns(MOST_NAMED_CHANNELS);
  /** Pages that have been read and not yet been taken by the client's socket; in bytes of payload. */
  readonly pages = new Turns(2 * PAGE_BYTES);
}
