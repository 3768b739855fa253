import type { DetectedEvent } from '@ssb/events';
import type { Redis } from 'ioredis';
import type { MarginState } from '../domain/margin.js';
import type { FencingToken } from './lease.js';

/** Another replica has taken the lead since: this one's writes no longer count. */
export class FencedOffError extends Error {
  override readonly name = 'FencedOffError';

  constructor(readonly token: FencingToken) {
    super(`the lease of term ${token} is over: another replica leads, and nothing was written`);
  }
}

/**
 * Writes a field of the state, and drops another, if the token is of the latest term. KEYS: fence, state. ARGV: token, field, value, field to
 * drop.
 */
const WRITE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
if ARGV[4] ~= '' then redis.call('HDEL', KEYS[2], ARGV[4]) end
return 1`;

const MARGIN = 'margin';
const MARGIN_INTENT = 'margin-intent';

/** A margin that moved, with the event that says so: on its way to the queue. */
export interface MarginIntent {
  readonly margin: MarginState;
  readonly event: DetectedEvent;
}

/** What the poller remembers: the last margin, and which statements and invoices it has seen. */
export interface RememberedState {
  readonly margin: MarginState | undefined;
  /** Left over when a poller died between announcing an event and remembering the margin. */
  readonly intent: MarginIntent | undefined;
  /** Keys of `askKey`. */
  readonly seen: ReadonlySet<string>;
}

/**
 * The poller's watermarks: one Redis hash per participant. Losing it is survived: everything is detected again, under the same ids.
 */
export class PollerState {
  constructor(
    private readonly redis: Redis,
    private readonly keys: { readonly fence: string; readonly state: string },
  ) {}

  async read(): Promise<RememberedState> {
    const fields = await this.redis.hgetall(this.keys.state);
    const { [MARGIN]: margin, [MARGIN_INTENT]: intent, ...seen } = fields;
    return {
      margin: margin === undefined ? undefined : (JSON.parse(margin) as MarginState),
      intent: intent === undefined ? undefined : (JSON.parse(intent) as MarginIntent),
      seen: new Set(Object.keys(seen)),
    };
  }

  /**
   * Announces a moved margin before its event is queued. The next calculation may already say something else when a poller comes back from
   * the dead: without this, a breach could be told twice, or never be followed by its restoration. @throws FencedOffError
   */
  async intendMargin(token: FencingToken, intent: MarginIntent): Promise<void> {
    await this.write(token, MARGIN_INTENT, JSON.stringify(intent));
  }

  /** Remembers a margin whose event, if any, is on the queue. @throws FencedOffError */
  async rememberMargin(token: FencingToken, margin: MarginState): Promise<void> {
    await this.write(token, MARGIN, JSON.stringify(margin), MARGIN_INTENT);
  }

  /** Remembers an answered ask whose event is on the queue; `version` is kept for whoever looks. @throws FencedOffError */
  async rememberSeen(token: FencingToken, askKey: string, version: string): Promise<void> {
    await this.write(token, askKey, version);
  }

  private async write(token: FencingToken, field: string, value: string, drop = ''): Promise<void> {
    const { fence, state } = this.keys;
    const written = await this.redis.eval(WRITE, 2, fence, state, token, field, value, drop);
    if (written !== 1) throw new FencedOffError(token);
  }
}
