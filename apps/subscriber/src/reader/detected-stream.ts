import { GatewayClient } from '@ssb/bus';
import { CatchUp, catchUpFault } from '../catch-up/catch-up.js';
import { PlainStream } from '../catch-up/plain-stream.js';
import { SUPERSEDED_FAULT } from '../catch-up/supersession.js';
import { AcknowledgedStream } from './acknowledged-stream.js';
import { DeliveryDetector, type DeliveryMode, type GatewayDelivery } from './delivery-detector.js';
import type { MessageStream, StreamOptions } from './message-stream.js';
import type { ReaderDependencies } from './reader-dependencies.js';
import { createGapReport } from './report-gap.js';

/** What the reader session decides about its stream. */
type SessionOptions = Pick<StreamOptions, 'token' | 'channels' | 'receiver' | 'onLeaseLost'>;

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

  constructor(
    private readonly dependencies: ReaderDependencies,
    private readonly session: SessionOptions,
  ) {
    const { settings, clock, log } = dependencies;
    const { url, username, password, connection = {} } = this.gateway;
    this.client = new GatewayClient({
      baseUrl: url,
      username,
      password,
      connection,
      timeoutMs: REQUEST_TIMEOUT_MS,
      onClockReading: (reading) => clock.observeGateway(reading),
    });
    const { client, stopping } = this;
    this.detector = new DeliveryDetector({ client, settings, stopping: stopping.signal, log });
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
      `The delivery mode of the gateway is unknown: ${this.detector.failure}. Check the gateway and GATEWAY_URL, or set GATEWAY_DELIVERY to acknowledged or plain.`,
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
    const { settings, log } = this.dependencies;
    const { mode, reason } = delivery;
    log.info({ mode, reason, gateway: settings.GATEWAY_URL }, 'gateway delivery selected');
    this.clearFaults(mode);
    this.delivery = delivery;
    this.stream = this.createStream(mode);
    this.stream.start();
  }

  private createStream(mode: DeliveryMode): MessageStream {
    const { dependencies, session, client } = this;
    const { settings, database, clock, faults, gatewayAccess, metrics, log, limits } = dependencies;
    const reportGap = createGapReport(metrics, faults, log);
    const shared = { ...session, settings, database, faults, metrics, log, reportGap };
    const options: StreamOptions = {
      ...shared,
      connection: this.gateway,
      supersededForMs: limits.supersededForMs,
      onConnection: (connected) => gatewayAccess.reportConnection(connected),
      onMessages: (batch) => clock.observeMessages(batch),
      onRefused: (status) => this.detectAgain(status),
      createCatchUp: () => new CatchUp({ ...shared, client, catchUpLimits: limits.catchUpLimits }),
    };
    return mode === 'acknowledged' ? new AcknowledgedStream(options) : new PlainStream(options);
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
    const { channels } = this.session;
    const { faults } = this.dependencies;
    if (mode === 'acknowledged') for (const channel of channels) faults.clear(catchUpFault(channel));
    // Plain delivery has no client id, and reads what another client acknowledged.
    else faults.clear(SUPERSEDED_FAULT);
  }

  private get gateway(): StreamOptions['connection'] {
    const { settings, gatewayPassword, gatewayConnection } = this.dependencies;
    return {
      url: settings.GATEWAY_URL,
      username: settings.GATEWAY_USERNAME,
      password: () => gatewayPassword.current(),
      protocol: settings.GATEWAY_EVENTS_PROTOCOL,
      connection: gatewayConnection,
    };
  }
}
