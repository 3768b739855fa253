import type { SignedEvent } from '@ssb/events';
import type { EventContext } from './consumer-options.js';

interface Offered {
  readonly event: SignedEvent;
  readonly context: EventContext;
  /** The iteration is done with the event. Resolves once its message is acknowledged; rejects when it was not saved. */
  readonly accept: () => Promise<void>;
}

/** The iteration ended before it accepted the event. */
export class IterationEndedError extends Error {
  override readonly name = 'IterationEndedError';
}

/** Passes events one by one to an iteration, as a handler that resolves once the iteration has accepted the event. */
export class Handoff {
  private offered: Offered | undefined;
  private reject: (error: Error) => void = () => undefined;
  private wake: () => void = () => undefined;
  private resolveAcknowledged: () => void = () => undefined;
  private rejectAcknowledged: (error: unknown) => void = () => undefined;
  private hasEnded = false;

  /** Whether the iteration has an event that it did not accept yet. */
  get isPending(): boolean {
    return this.offered !== undefined;
  }

  readonly handle = async (event: SignedEvent, context: EventContext): Promise<void> => {
    if (this.hasEnded) throw new IterationEndedError();
    const acknowledged = new Promise<void>((resolve, reject) => {
      [this.resolveAcknowledged, this.rejectAcknowledged] = [resolve, reject];
    });
    // Nothing waits for it unless the iteration accepts the event.
    acknowledged.catch(() => undefined);
    try {
      await new Promise<void>((resolve, reject) => {
        this.reject = reject;
        const accept = (): Promise<void> => {
          resolve();
          return acknowledged;
        };
        this.offered = { event, context, accept };
        this.wake();
      });
    } finally {
      this.offered = undefined;
    }
  };

  /** Called once the message of the accepted event is acknowledged. */
  acknowledged(): void {
    this.resolveAcknowledged();
  }

  /** The next event; undefined after the end. */
  async next(): Promise<Offered | undefined> {
    while (this.offered === undefined && !this.hasEnded)
      await new Promise<void>((resolve) => (this.wake = resolve));
    return this.offered;
  }

  /**
   * Ends the iteration. An event that was not accepted stays unacknowledged.
   * @param reason why an accepted event was not saved
   */
  end(reason: unknown = new IterationEndedError('The consumer stopped before the event was saved.')): void {
    this.hasEnded = true;
    this.reject(new IterationEndedError());
    this.rejectAcknowledged(reason);
    this.wake();
  }
}
