import { GatewayStream, type StreamState } from '@ssb/bus';
import { ConnectionState } from './connection-state.js';
import { MessageBuffer } from './message-buffer.js';
import type { MessageStream, StreamOptions } from './message-stream.js';
import { Supersession } from '../catch-up/supersession.js';

/** Reads from a gateway that keeps the offset and repeats unacknowledged messages. Messages are acknowledged after they are stored. */
export class AcknowledgedStream implements MessageStream {
  readonly completeUntil = undefined;
  private readonly stream: GatewayStream;
  private readonly buffer: MessageBuffer;
  private readonly connection: ConnectionState;
  private readonly supersession: Supersession;

  constructor(options: StreamOptions) {
    const { settings, connection, receiver, onLeaseLost, onMessages, onRefused, reportGap, log } = options;
    this.buffer = new MessageBuffer(receiver, onLeaseLost, settings.WINDOW);
    this.connection = new ConnectionState('acknowledged', options);
    this.supersession = new Supersession(options);
    this.stream = new GatewayStream({
      ...connection,
      delivery: { mode: 'acknowledged', clientId: settings.CLIENT_ID, window: settings.WINDOW },
      onMessages: (batch, acknowledge) => {
        onMessages(batch);
        this.buffer.add(batch, acknowledge);
      },
      onRefused,
      onState: (state) => this.changeState(state),
      onFault: (fault) => log.warn({ ...fault }, 'gateway stream fault'),
      // The bus no longer has these messages.
      onGap: ({ fqcn: channel, after, upTo }) =>
        reportGap({
          channel,
          fields: { after, upTo },
          detail: `The messages after ${after} up to ${upTo} were removed from the bus.`,
        }),
    });
  }

  start(): void {
    this.supersession.start();
    this.stream.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.buffer.stop(), this.supersession.stop()]);
    await this.stream.stop();
  }

  async abort(): Promise<void> {
    await Promise.all([this.stream.stop(), this.buffer.stop(), this.supersession.stop()]);
  }

  get connected(): boolean {
    return this.connection.connected;
  }

  get bufferedCount(): number {
    return this.buffer.size;
  }

  assertConnection(): void {
    this.connection.assertConnected();
  }

  private changeState(state: StreamState): void {
    this.connection.change(state);
    if (state.state === 'connected') this.supersession.connected();
    else this.supersession.disconnected(state.state === 'disconnected' && state.isSuperseded);
  }
}
