import { GatewayClient, type GatewayStreamOptions } from '@ssb/bus';
import { CatchUp, catchUpFault, type CatchUpLimits } from '../catch-up/catch-up.js';
import { SUPERSEDED_FAULT } from '../catch-up/supersession.js';
import type { SubscriberClock } from '../faults/subscriber-clock.js';
import { DeliveryDetector } from './delivery-detector.js';
import type { DeliveryMode, GatewayDelivery } from './detect-delivery.js';
import type { ReaderDependencies } from './reader-dependencies.js';
import { createGapReport } from './report-gap.js';
import type { MessageStream, StreamOptions } from './message-stream.js';

export interface DetectedStreamOptions
  extends
    Pick<ReaderDependencies, 'gatewayConnection' | 'gatewayPassword' | 'gatewayAccess'>,
    Omit<
      StreamOptions,
      'connection' | 'onConnection' | 'onMessages' | 'onRefused' | 'createCatchUp' | 'reportGap'
    > {
  readonly catchUpLimits?: Partial<CatchUpLimits> | undefined;
  readonly clock: Pick<SubscriberClock, 'observeGateway' | 'observeMessages'>;
  /** Creates the stream for each way in which a gateway can deliver. */
  readonly create: Readonly<Record<DeliveryMode, (options: StreamOptions) => MessageStream>>;
}

/** A page of messages can be large. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Finds out how the gateway delivers, and is the stream for it. */
export class DetectedStream implements MessageStream {
  private readonly client: GatewayClient;
  private readonly stopping = new AbortController();
  /** Creates the stream, or replaces it. */
  private opening: Promise<void> | undefined;
  private readonly detector: DeliveryDetector;
  private delivery: GatewayDelivery | undefined;
  private stream: MessageStream | undefined;

  constructor(private readonly options: DetectedStreamOptions) {
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

  async stop(): Promise<void> {
    await this.end((stream) => stream.stop());
  }

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

  get bufferedCount(): number {
    return this.stream?.bufferedCount ?? 0;
  }

  get completeUntil(): Date | undefined {
    return this.stream?.completeUntil;
  }

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
    const { settings, create, log } = this.options;
    const { mode, reason } = delivery;
    log.info({ mode, reason, gateway: settings.GATEWAY_URL }, 'gateway delivery selected');
    this.clearFaults(mode);
    this.delivery = delivery;
    this.stream = create[mode](this.streamOptions());
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

  /** Ends faults of the other delivery, which an earlier run may have reported. */
  private clearFaults(mode: DeliveryMode): void {
    const { channels, faults } = this.options;
    if (mode === 'acknowledged') for (const channel of channels) faults.clear(catchUpFault(channel));
    // Plain delivery has no client id, and reads what another client acknowledged.
    else faults.clear(SUPERSEDED_FAULT);
  }

  private streamOptions(): StreamOptions {
    const { options, client } = this;
    const { metrics, faults, clock, gatewayAccess, log } = options;
    const reportGap = createGapReport(metrics, faults, log);
    return {
      ...options,
      connection: this.gateway,
      onConnection: (connected) => gatewayAccess.reportConnection(connected),
      onMessages: (batch) => clock.observeMessages(batch),
      onRefused: (status) => this.detectAgain(status),
      createCatchUp: () => new CatchUp({ ...options, client, reportGap }),
      reportGap,
    };
  }

  private get gateway(): Pick<
    GatewayStreamOptions,
    'url' | 'username' | 'password' | 'protocol' | 'connection'
  > {
    const { settings, gatewayPassword, gatewayConnection } = this.options;
    return {
      url: settings.GATEWAY_URL,
      username: settings.GATEWAY_USERNAME,
      password: () => gatewayPassword.current(),
      protocol: settings.GATEWAY_EVENTS_PROTOCOL,
      connection: gatewayConnection,
    };
  }
}
