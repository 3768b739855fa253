import { GatewayStream } from '@ssb/bus';
import { GATEWAY_USER } from '@ssb/tools';
import type { BusGateway } from '../harness/running-bus.js';
import type { NumberedMessage } from './sender.js';

/** A subscriber's WebSocket connection that records and acknowledges all messages. */
export class Reader {
  /** Message numbers by sender, in the order of their first arrival. */
  readonly numbersBySender = new Map<string, number[]>();
  /** Messages that arrived again, because a killed process had lost their acknowledgement. */
  repeats = 0;
  connected = false;
  private readonly ids = new Set<string>();
  private readonly stream: GatewayStream;

  constructor(
    readonly gateway: BusGateway,
    clientId: string,
  ) {
    this.stream = new GatewayStream({
      url: gateway.url,
      username: GATEWAY_USER,
      password: gateway.password,
      delivery: { mode: 'acknowledged', clientId },
      maxDelayMs: 500,
      onMessages: (batch, acknowledge) => {
        for (const { id, payload } of batch) this.record(id, JSON.parse(payload) as NumberedMessage);
        acknowledge(batch.map(({ id }) => id));
      },
      onState: ({ state }) => (this.connected = state === 'connected'),
      onFault: () => undefined,
    });
  }

  start(): void {
    this.stream.start();
  }

  stop(): Promise<void> {
    return this.stream.stop();
  }

  /** Number of different messages. */
  get messageCount(): number {
    return this.ids.size;
  }

  /** Describes missing messages and messages out of order. @param totals number of messages by sender */
  describeMissing(totals: ReadonlyMap<string, number>): string[] {
    return [...totals].flatMap(([sender, total]) => {
      const numbers = this.numbersBySender.get(sender) ?? [];
      const offset = numbers.findIndex((number, index) => number !== index);
      if (offset >= 0)
        return [`${this.gateway.name}: number ${numbers[offset]} of ${sender} arrived in place of ${offset}`];
      if (numbers.length === total) return [];
      return [`${this.gateway.name}: ${numbers.length} of ${total} arrived from ${sender}`];
    });
  }

  private record(id: string, { sender, number }: NumberedMessage): void {
    if (this.ids.has(id)) {
      this.repeats += 1;
      return;
    }
    this.ids.add(id);
    const numbers = this.numbersBySender.get(sender) ?? [];
    numbers.push(number);
    this.numbersBySender.set(sender, numbers);
  }
}
