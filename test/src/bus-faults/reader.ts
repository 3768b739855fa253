import { GatewayStream } from '@ssb/bus';
import { GATEWAY_USER } from '@ssb/tools';
import type { BusGateway } from '../harness/running-bus.js';
import type { Numbered } from './sender.js';

/** A subscriber's socket: notes what comes, acknowledges it, and tells apart what is new and what came again. */
export class Reader {
  /** Numbers of each sender's messages in the order in which they came for the first time. */
  readonly numbers = new Map<string, number[]>();
  /** Messages that came again: their acknowledgement was lost with a process that was killed. */
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
      clientId,
      longestPauseMs: 500,
      onMessages: (batch, acknowledge) => {
        for (const { id, payload } of batch) this.note(id, JSON.parse(payload) as Numbered);
        acknowledge(batch.map(({ id }) => id));
      },
      onState: ({ state }) => (this.connected = state === 'connected'),
    });
  }

  start(): void {
    this.stream.start();
  }

  stop(): Promise<void> {
    return this.stream.stop();
  }

  /** How many different messages came. */
  get count(): number {
    return this.ids.size;
  }

  /** What of so many messages of each sender has not come, or not in its order; empty when all is well. */
  missing(totals: ReadonlyMap<string, number>): string[] {
    return [...totals].flatMap(([sender, total]) => {
      const numbers = this.numbers.get(sender) ?? [];
      const at = numbers.findIndex((number, index) => number !== index);
      if (at >= 0) return [`${this.gateway.name}: number ${numbers[at]} of ${sender} came in place of ${at}`];
      if (numbers.length === total) return [];
      return [`${this.gateway.name}: ${numbers.length} of ${total} came from ${sender}`];
    });
  }

  private note(id: string, { sender, number }: Numbered): void {
    if (this.ids.has(id)) {
      this.repeats += 1;
      return;
    }
    this.ids.add(id);
    const numbers = this.numbers.get(sender) ?? [];
    numbers.push(number);
    this.numbers.set(sender, numbers);
  }
}
