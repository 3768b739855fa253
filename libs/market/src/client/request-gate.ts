import type { Exchanger } from './http-edge.js';

/** What stands before each request: a request budget, as `@ssb/request-budget` keeps one. */
export interface RequestGate {
  /**
   * Resolves when one request may be sent; rejects, with an error of its own, when there is no room in time or the signal is aborted. Blocks
   * for as long as the gate's own bound says.
   */
  take(signal?: AbortSignal): Promise<RequestPermit>;
  /** The server answered 429: nobody is let through for as long as it asked for, or for a while where it did not say. */
  pause(retryAfterMs: number | undefined): Promise<void>;
}

export interface RequestPermit {
  /** The request is over, whatever became of it. Neither blocks nor throws. */
  settle(): void;
}

/** Every single request, a repeat with another token included, goes through the gate. What the gate throws is passed on. */
export function throughGate(edge: Exchanger, gate: RequestGate, signal?: AbortSignal): Exchanger {
  return {
    exchange: async (request) => {
      const permit = await gate.take(signal);
      try {
        const answer = await edge.exchange(request);
        if (answer.status === 429) await gate.pause(answer.retryAfterMs);
        return answer;
      } finally {
        permit.settle();
      }
    },
  };
}
