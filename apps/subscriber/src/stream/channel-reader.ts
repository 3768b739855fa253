import { GatewayStream, type StreamState } from '@ssb/bus';
import type { ClientConnection } from '@ssb/client-connections';
import { ALL_PARTICIPANTS } from '@ssb/events';
import type { FaultReporter } from '@ssb/operational-alerts';
import type { Logger } from '@ssb/platform';
import type { SubscriberClock } from '../clock.js';
import type { MessageReceiver } from '../receive.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type { Settings } from '../settings.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { MessageBuffer } from './message-buffer.js';

/** Reads the channels while this replica holds the reader lease: stream → buffer → receiver. */
export class ChannelReader {
  private readonly stream: GatewayStream;
  private readonly buffer: MessageBuffer;
  private connection: StreamState = { state: 'stopped' };

  /**
   * @param gatewayPassword returns the password of each connection
   * @param onLeaseLost called when the database refuses a batch because another replica reads the channels
   * @param onConnection called when a connection to the gateway began or ended
   */
  constructor(
    readonly token: ReaderToken,
    private readonly settings: Settings,
    gatewayConnection: ClientConnection,
    gatewayPassword: () => string,
    private readonly receiver: MessageReceiver,
    onLeaseLost: () => void,
    private readonly onConnection: (connected: boolean) => void,
    metrics: SubscriberMetrics,
    private readonly log: Logger,
    faults: Pick<FaultReporter, 'raise'>,
    clock: Pick<SubscriberClock, 'observeMessages'>,
  ) {
    this.buffer = new MessageBuffer(receiver, onLeaseLost, settings.WINDOW);
    this.stream = new GatewayStream({
      url: settings.GATEWAY_URL,
      username: settings.GATEWAY_USERNAME,
      password: gatewayPassword,
      protocol: settings.GATEWAY_EVENTS_PROTOCOL,
      connection: gatewayConnection,
      clientId: settings.CLIENT_ID,
      window: settings.WINDOW,
      onMessages: (batch, acknowledge) => {
        clock.observeMessages(batch);
        this.buffer.add(batch, acknowledge);
      },
      onState: (state) => this.onStateChange(state),
      onFault: (fault) => log.warn({ ...fault }, 'gateway stream fault'),
      // The bus no longer has these messages.
      onGap: ({ fqcn: channel, after, upTo }) => {
        metrics.gaps.inc();
        log.error({ channel, after, upTo }, 'retention gap');
        const detail = `The messages after ${after} up to ${upTo} were removed from the bus.`;
        faults.raise({ reason: 'retention-gap', participant: ALL_PARTICIPANTS, channel, detail });
      },
    });
  }

  start(): void {
    this.stream.start();
  }

  /** Stores and acknowledges the current batch while the stream is still open. */
  async stop(): Promise<void> {
    await this.buffer.stop();
    await this.stream.stop();
  }

  /** Called after the lease is lost. Closes the stream without waiting for the buffer, because two readers would disconnect each other. */
  async abort(): Promise<void> {
    await Promise.all([this.stream.stop(), this.buffer.stop()]);
  }

  get connected(): boolean {
    return this.connection.state === 'connected';
  }

  /** Number of messages that are waiting or being stored. */
  get bufferedCount(): number {
    return this.buffer.size;
  }

  /** @throws Error with the reason when the stream is not connected */
  requireConnection(): void {
    if (this.connected) return;
    const reason = this.connection.state === 'disconnected' ? `: ${this.connection.reason}` : '';
    throw new Error(`The gateway stream is not connected${reason}`);
  }

  /** @throws Error with the reason while received messages cannot be stored */
  requireStorage(): void {
    this.receiver.requireStorage();
  }

  private onStateChange(state: StreamState): void {
    const { log, settings } = this;
    if (state.state === 'connected') log.info({ gateway: settings.GATEWAY_URL }, 'gateway stream connected');
    else if (state.state === 'stopped') log.info('gateway stream closed');
    else log.warn({ ...state }, 'gateway stream interrupted');
    this.connection = state;
    if (state.state !== 'stopped') this.onConnection(state.state === 'connected');
  }
}
