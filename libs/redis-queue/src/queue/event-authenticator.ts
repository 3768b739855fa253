import type { DetectedEvent } from '@ssb/events';
import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import { isRecord, type Refusal } from './domain/refused-job.js';

/** The data of a job: the event, and a code that only the apps of the bridge can make. */
export interface QueuedEvent {
  readonly event: DetectedEvent;
  /** `ContentAuthenticator` over the JSON of the event and the Redis key of the job. */
  readonly hmac: string;
}

export type JobVerdict =
  | { readonly ok: true; readonly event: DetectedEvent }
  | { readonly ok: false; readonly reason: Refusal };

/**
 * Authenticates the events of one queue. The code covers the Redis key, so the job of another bridge, another queue or another id does
 * not verify.
 */
export class EventAuthenticator {
  private readonly authenticator: ContentAuthenticator;

  constructor(
    keys: KeySource,
    private readonly queue: { toKey(id: string): string },
  ) {
    this.authenticator = new ContentAuthenticator(keys, 'queue-job');
  }

  /** Adds the code of the active key. */
  authenticate(id: string, event: DetectedEvent): QueuedEvent {
    return { event, hmac: this.authenticator.authenticate(this.queue.toKey(id), JSON.stringify(event)) };
  }

  /** Verifies the data of a job, which may be any JSON value. Never rejects. */
  async verify(id: string, data: unknown): Promise<JobVerdict> {
    const { event, hmac } = isRecord(data) ? data : {};
    if (hmac === undefined) return { ok: false, reason: 'missing' };
    const content = isRecord(event) ? stringify(event) : undefined;
    if (content === undefined) return { ok: false, reason: 'malformed' };
    const result = await this.authenticator.verify(this.queue.toKey(id), content, hmac);
    return result.ok ? { ok: true, event: event as DetectedEvent } : result;
  }
}

/** The JSON of a value; undefined for one that is nested too deeply. */
export function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
