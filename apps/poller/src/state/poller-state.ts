import type { Redis } from 'ioredis';
import type { MarginState } from '../domain/margin.js';
import type { FencingToken } from '../lease/lease.js';

/** Another replica has taken the lead since: this one's writes no longer count. */
export class FencedOffError extends Error {
  override readonly name = 'FencedOffError';

  constructor(readonly token: FencingToken) {
    super(`the lease of term ${token} is over: another replica leads, and nothing was written`);
  }
}

/** Writes fields of the state if the token is of the latest term. KEYS: fence, state. ARGV: token, then fields and values. */
const WRITE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], unpack(ARGV, 2))
return 1`;

const MARGIN = 'margin';

/** What the poller remembers: the last margin, and which statements and invoices it has seen. */
export interface RememberedState {
  readonly margin: MarginState | undefined;
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
    const { [MARGIN]: margin, ...seen } = fields;
    return {
      margin: margin === undefined ? undefined : (JSON.parse(margin) as MarginState),
      seen: new Set(Object.keys(seen)),
    };
  }

  /** Remembers a margin whose events are on the queue. @throws FencedOffError */
  async rememberMargin(token: FencingToken, margin: MarginState): Promise<void> {
    await this.write(token, MARGIN, JSON.stringify(margin));
  }

  /** Remembers an answered ask whose event is on the queue; `version` is kept for whoever looks. @throws FencedOffError */
  async rememberSeen(token: FencingToken, askKey: string, version: string): Promise<void> {
    await this.write(token, askKey, version);
  }

  private async write(token: FencingToken, field: string, value: string): Promise<void> {
    const { fence, state } = this.keys;
    const written = await this.redis.eval(WRITE, 2, fence, state, token, field, value);
    if (written !== 1) throw new FencedOffError(token);
  }
}
