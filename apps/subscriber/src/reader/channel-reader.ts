import { GatewayClient, type GatewayStreamOptions } from '@ssb/bus';
import type { ClientConnection } from '@ssb/net';
import type { Database } from '@ssb/postgres';
import type { FaultReporter } from '@ssb/faults';
import type { Logger } from '@ssb/platform';
import { CatchUp, catchUpFault, type CatchUpLimits } from '../catch-up/catch-up.js';
import type { SubscriberClock } from '../faults/subscriber-clock.js';
import { DeliveryDetector } from './delivery-detector.js';
import type { DeliveryMode, GatewayDelivery } from './detect-delivery.js';
import type { MessageReceiver } from '../receiver/message-receiver.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type { Settings } from '../settings.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { AcknowledgedStream } from './acknowledged-stream.js';
import type { MessageStream, StreamOptions } from './message-stream.js';
import { PlainStream } from '../catch-up/plain-stream.js';
import { createGapReport } from './report-gap.js';
import { SUPERSEDED_FAULT } from '../catch-up/supersession.js';

export interface ChannelReaderOptions {
  readonly token: ReaderToken;
  readonly settings: Settings;
  /** The channels of the configuration. */
  readonly channels: readonly string[];
  readonly database: Database;
  readonly gatewayConnection: ClientConnection;
  /** Returns the password of each connection. */
  readonly gatewayPassword: () => string;
  readonly receiver: MessageReceiver;
  /** Called when the database refuses a write because another replica reads the channels. */
  readonly onLeaseLost: () => void;
  /** Called when a connection to the gateway begins or ends. */
  readonly onConnection: (connected: boolean) => void;
  readonly catchUpLimits?: Partial<CatchUpLimits> | undefined;
  /** Option of `Supersession`. */
  readonly supersededForMs?: number | undefined;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear' | 'forget'>;
  readonly clock: Pick<SubscriberClock, 'observeGateway' | 'observeMessages'>;
  readonly metrics: SubscriberMetrics;
  readonly log: Logger;
}

/** A page of messages can be large. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Finds out how the gateway delivers, and reads the channels with the stream for it. */
export class ChannelReader {
  private readonly client: GatewayClient;
  private readonly stopping = new AbortController();
  /** Creates the stream, or replaces it. */
  private opening: Promise<void> | undefined;
  private readonly detector: DeliveryDetector;
  private delivery: GatewayDelivery | undefined;
  private stream: MessageStream | undefined;

  constructor(private readonly options: ChannelReaderOptions) {
    const { url, username, password, connection = {} } = this.gateway;
    this.client = new GatewayClient({
      baseUrl: url,
      username,
      password,
      connection,
      timeoutMs: REQUEST_TIMEOUT_MS,
      onClockReading: (reading) => options.clock.observeGateway(reading),
    });
    this.detector = new DeliveryDetector({ ...options, client: this.client, stopping: this.stopping.signal });
  }

  start(): void {
    this.opening = this.open();
  }

  /** Stores and acknowledges the current batch while the stream is still open. */
  async stop(): Promise<void> {
    await this.end((stream) => stream.stop());
  }

  /** Called after the lease is lost. Closes the stream without waiting for the buffer. */
  async abort(): Promise<void> {
    await this.end((stream) => stream.abort());
  }

  get connected(): boolean {
    return this.stream?.connected ?? false;
  }

  /** Undefined while it is unknown. */
  get deliveryMode(): DeliveryMode | undefined {
    return this.delivery?.mode;
  }

  /** Number of messages that are waiting or being stored. */
  get bufferedCount(): number {
    return this.stream?.bufferedCount ?? 0;
  }

  /** Everything that the bus stored before this time was read; undefined where the gateway keeps the offset. */
  get completeUntil(): Date | undefined {
    return this.stream?.completeUntil;
  }

  /** @throws Error with the reason while no messages arrive */
  assertConnection(): void {
    if (this.stream !== undefined) return this.stream.assertConnection();
    throw new Error(
      `The delivery mode of the gateway is unknown: ${this.detector.failure}. GATEWAY_DELIVERY can be acknowledged or plain. Check the gateway and GATEWAY_URL.`,
    );
  }

  private async end(endStream: (stream: MessageStream) => Promise<void>): Promise<void> {
    this.stopping.abort();
    const ended = this.stream === undefined ? undefined : endStream(this.stream);
    await this.client.abort();
    await Promise.all([ended, this.opening]);
  }

  private async open(): Promise<void> {
    // It repeats and logs failures, and throws only when this replica stops reading.
    const delivery = await this.detector.detect().catch(() => undefined);
    if (delivery !== undefined) this.startStream(delivery);
  }

  private startStream(delivery: GatewayDelivery): void {
    if (this.stopping.signal.aborted) return;
    const { settings, log } = this.options;
    log.info(
      { mode: delivery.mode, reason: delivery.reason, gateway: settings.GATEWAY_URL },
      'gateway delivery selected',
    );
    this.delivery = delivery;
    this.stream = this.createStream(delivery);
    this.stream.start();
  }

  /** Another gateway may have replaced the one that acknowledges. */
  private async detectAgain(status: number): Promise<void> {
    const { stream } = this;
    const delivery = await this.detector.detectAfterRefusal(status);
    if (stream === undefined || delivery === undefined || delivery.mode === this.delivery?.mode) return;
    this.delivery = delivery;
    // The stream awaits this method, so its end is not awaited here.
    this.opening = stream.stop().then(() => this.startStream(delivery));
  }

  private createStream({ mode }: GatewayDelivery): MessageStream {
    const { options, client } = this;
    const { channels, metrics, faults, clock, log } = options;
    const reportGap = createGapReport(metrics, faults, log);
    const streamOptions: StreamOptions = {
      ...options,
      connection: this.gateway,
      onMessages: (batch) => clock.observeMessages(batch),
      reportGap,
    };
    const createCatchUp = (): CatchUp => new CatchUp({ ...options, client, reportGap });
    if (mode === 'acknowledged') {
      // An earlier run with plain delivery may have reported this fault.
      for (const channel of channels) faults.clear(catchUpFault(channel));
      return new AcknowledgedStream({ ...options, ...streamOptions, createCatchUp }, (status) =>
        this.detectAgain(status),
      );
    }
    // Plain delivery has no client id, and reads what another client acknowledged.
    faults.clear(SUPERSEDED_FAULT);
    return new PlainStream(streamOptions, createCatchUp());
  }

  private get gateway(): Pick<
    GatewayStreamOptions,
    'url' | 'username' | 'password' | 'protocol' | 'connection'
  > {
    const { settings, gatewayPassword, gatewayConnection } = this.options;
    return {
      url: settings.GATEWAY_URL,
      username: settings.GATEWAY_USERNAME,
      password: gatewayPassword,
      protocol: settings.GATEWAY_EVENTS_PROTOCOL,
      connection: gatewayConnection,
    };
  }
}
