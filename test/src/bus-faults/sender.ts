import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError, GatewayUnreachableError, type GatewayClient } from '@ssb/bus';
import { retry } from '@ssb/net';

/** Payload of a test message. */
export interface NumberedMessage {
  readonly sender: string;
  readonly number: number;
}

const RETRY_DELAY_MS = 50;
const MESSAGE_INTERVAL_MS = 100;
const SEND_TIMEOUT_MS = 60_000;

/** Publishes numbered messages in order. It repeats each message with the same transaction id until the gateway accepts it. */
export class Sender {
  /** Number of accepted messages. */
  accepted = 0;
  /** For the error message of a timeout. */
  lastError = 'none';

  constructor(
    readonly name: string,
    private readonly client: GatewayClient,
    private readonly fqcn: string,
  ) {}

  async publish(total: number): Promise<void> {
    while (this.accepted < total) await this.publishNext();
  }

  /** Publishes until the signal aborts. The interval leaves processor time to restarting processes. */
  async publishUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.publishNext();
      await delay(MESSAGE_INTERVAL_MS);
    }
  }

  private async publishNext(): Promise<void> {
    await this.publishOne({ sender: this.name, number: this.accepted });
    this.accepted += 1;
  }

  private async publishOne(message: NumberedMessage): Promise<void> {
    const body = { fqcn: this.fqcn, payload: JSON.stringify(message), transactionId: randomUUID() };
    const deadline = Date.now() + SEND_TIMEOUT_MS;
    const delayMs = (error: unknown): number | undefined => {
      if (!isTransient(error) || Date.now() > deadline) return undefined;
      this.lastError = error instanceof Error ? error.message : String(error);
      return RETRY_DELAY_MS;
    };
    await retry(() => this.client.sendMessage(body), { delayMs });
  }
}

/** True for errors that a crash of the gateway, the broker or the engine can cause. */
function isTransient(error: unknown): boolean {
  if (error instanceof GatewayUnreachableError) return true;
  return error instanceof GatewayError && error.status >= 500;
}
