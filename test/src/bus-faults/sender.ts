import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError, GatewayUnreachableError, type GatewayClient } from '@ssb/bus';
import { retry } from '@ssb/resilience';

/** What a message says of itself. */
export interface Numbered {
  readonly sender: string;
  readonly number: number;
}

const PAUSE_MS = 50;
const BETWEEN_MESSAGES_MS = 100;
/** A message that nobody takes for so long will not be taken. */
const LONGEST_TRY_MS = 60_000;

/**
 * Publishes numbered messages one after the other, each until it was taken, always under its own transaction id: what had arrived although
 * the answer was lost must not be there twice.
 */
export class Sender {
  /** How many were taken so far. */
  taken = 0;
  /** How many attempts failed and were repeated. */
  repeated = 0;
  /** What the last failed attempt met, for a test that waited in vain. */
  fault = 'none';

  constructor(
    readonly name: string,
    private readonly client: GatewayClient,
    private readonly fqcn: string,
  ) {}

  async publish(total: number): Promise<void> {
    while (this.taken < total) await this.publishNext();
  }

  /** Publishes until it is aborted. The pause leaves processor time to the processes that start again. */
  async publishUntil(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      await this.publishNext();
      await delay(BETWEEN_MESSAGES_MS);
    }
  }

  private async publishNext(): Promise<void> {
    await this.publishOne({ sender: this.name, number: this.taken });
    this.taken += 1;
  }

  private async publishOne(message: Numbered): Promise<void> {
    const body = { fqcn: this.fqcn, payload: JSON.stringify(message), transactionId: randomUUID() };
    const deadline = Date.now() + LONGEST_TRY_MS;
    const delayMs = (error: unknown): number | undefined => {
      if (!passes(error) || Date.now() > deadline) return undefined;
      this.repeated += 1;
      this.fault = error instanceof Error ? error.message : String(error);
      return PAUSE_MS;
    };
    await retry(() => this.client.sendMessage(body), { delayMs });
  }
}

/** What a crash of the gateway, the broker or the engine looks like from here; anything else is a refusal. */
function passes(error: unknown): boolean {
  if (error instanceof GatewayUnreachableError) return true;
  return error instanceof GatewayError && error.status >= 500;
}
