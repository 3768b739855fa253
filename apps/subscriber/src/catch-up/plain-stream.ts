import { GatewayStream, type MalformedMessageError, type Message, type StreamState } from '@ssb/bus';
import type { CatchUp } from './catch-up.js';
import { ConnectionState } from '../reader/connection-state.js';
import { MessageBuffer } from '../reader/message-buffer.js';
import type { MessageStream, StreamOptions } from '../reader/message-stream.js';

/** Responses to the upgrade of a gateway that has no `/events`. */
const NO_EVENTS_STATUSES: readonly number[] = [404, 405, 501];
/** Pushed messages beyond this limit are dropped, and read by a catch-up. */
const MAX_BUFFERED_CHARACTERS = 32 * 2 ** 20;
const NEVER_ACKNOWLEDGED = (): void => undefined;

/**
 * For a gateway that sends each message once, and only to connected clients. A catch-up on each connection and at intervals reads what was
 * missed, and reads everything while the stream is not connected.
 */
export class PlainStream implements MessageStream {
  private readonly stream: GatewayStream;
  private readonly catchUp: CatchUp;
  private readonly buffer: MessageBuffer;
  private readonly connection: ConnectionState;
  private readonly stopping = new AbortController();
  /** The connection whose catch-up holds back what is pushed. */
  private holder: object | undefined;
  private holdTimer: NodeJS.Timeout | undefined;
  private hasEvents = true;
  private isOverflowing = false;
  private retry: NodeJS.Timeout | undefined;
  /** Runs while the stream is not connected, until the channels are read instead. */
  private disconnectedTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: StreamOptions) {
    const { settings, connection, receiver, onLeaseLost, createCatchUp, log } = options;
    this.catchUp = createCatchUp();
    this.buffer = new MessageBuffer(receiver, onLeaseLost, settings.WINDOW);
    this.connection = new ConnectionState('plain', options);
    this.stream = new GatewayStream({
      ...connection,
      delivery: { mode: 'plain' },
      onMessages: (batch) => this.receive(batch),
      onMalformed: (error) => this.skip(error),
      onState: (state) => this.onState(state),
      onFault: (fault) => log.warn({ ...fault }, 'gateway stream fault'),
      onRefused: (status) => this.onRefused(status),
    });
  }

  start(): void {
    this.catchUp.start();
    this.expectConnection();
    this.stream.start();
  }

  async stop(): Promise<void> {
    this.end();
    await Promise.all([this.buffer.stop(), this.catchUp.stop()]);
    await this.stream.stop();
  }

  async abort(): Promise<void> {
    this.end();
    await Promise.all([this.stream.stop(), this.buffer.stop(), this.catchUp.stop()]);
  }

  get connected(): boolean {
    return this.connection.connected || (!this.hasEvents && this.catchUp.failure === undefined);
  }

  get bufferedCount(): number {
    return this.buffer.size;
  }

  get completeUntil(): Date | undefined {
    return this.catchUp.completeUntil;
  }

  assertConnection(): void {
    if (this.hasEvents) return this.connection.assertConnected();
    const { failure } = this.catchUp;
    if (failure !== undefined)
      throw new Error(
        `The gateway has no /events connection (plain delivery), and reading fails: ${failure}`,
      );
  }

  private end(): void {
    this.stopping.abort();
    clearTimeout(this.retry);
    clearTimeout(this.holdTimer);
    clearTimeout(this.disconnectedTimer);
  }

  /** Buffers as many messages as fit. A catch-up reads the others. */
  private receive(batch: readonly Message[]): void {
    const { onMessages, metrics, log } = this.options;
    onMessages(batch);
    const accepted = this.countAccepted(batch);
    this.buffer.add(batch.slice(0, accepted), NEVER_ACKNOWLEDGED);
    const dropped = batch.slice(accepted);
    if (dropped.length > 0) {
      metrics.pushesDropped.inc(dropped.length);
      if (!this.isOverflowing) log.warn({ messages: dropped.length }, 'pushed messages dropped');
      this.catchUp.trigger(new Set(dropped.map(({ fqcn }) => fqcn)));
    }
    this.isOverflowing = dropped.length > 0;
  }

  private countAccepted(batch: readonly Message[]): number {
    const { maxBuffered } = this.catchUp.limits;
    let size = this.buffer.payloadSize;
    const count = batch.findIndex(
      ({ payload }, at) =>
        this.buffer.size + at >= maxBuffered || (size += payload.length) > MAX_BUFFERED_CHARACTERS,
    );
    return count < 0 ? batch.length : count;
  }

  /** A gateway may return by REST what it pushes malformed. */
  private skip(error: MalformedMessageError): void {
    const { fqcn } = error.readableFields;
    this.catchUp.reportMalformed(fqcn, error);
    this.catchUp.trigger(fqcn === undefined ? undefined : new Set([fqcn]));
  }

  private onState(state: StreamState): void {
    if (state.state === 'connected') this.onConnected();
    else if (state.state === 'disconnected') this.expectConnection();
    // Failed attempts to reach a missing stream are not interruptions.
    if (this.hasEvents) this.connection.change(state);
  }

  /** Reads the channels at short intervals unless a connection is established soon. */
  private expectConnection(): void {
    if (!this.hasEvents || this.stopping.signal.aborted) return;
    const { maxDisconnectedMs } = this.catchUp.limits;
    this.disconnectedTimer ??= setTimeout(() => {
      this.options.log.warn('gateway read without its stream');
      this.readInstead();
    }, maxDisconnectedMs);
  }

  private readInstead(): void {
    clearTimeout(this.disconnectedTimer);
    this.hasEvents = false;
    this.catchUp.setHasEvents(false);
    this.catchUp.trigger();
  }

  private onConnected(): void {
    clearTimeout(this.disconnectedTimer);
    this.disconnectedTimer = undefined;
    // The last read of a time without a stream is also the first one of the connection.
    const { startsInMs, ended } = this.catchUp.request();
    if (!this.hasEvents) {
      this.hasEvents = true;
      void ended.then(() => {
        if (this.hasEvents) this.catchUp.setHasEvents(true);
      });
    }
    const { maxHoldMs } = this.catchUp.limits;
    if (startsInMs >= maxHoldMs) return;
    const holder = {};
    this.holder = holder;
    this.buffer.hold();
    // The first connection decides, so that a connection that is interrupted often holds nothing longer.
    this.holdTimer ??= setTimeout(() => this.release(), maxHoldMs);
    void ended.then(() => {
      if (this.holder === holder) this.release();
    });
  }

  private release(): void {
    clearTimeout(this.holdTimer);
    this.holdTimer = undefined;
    this.buffer.release();
  }

  private onRefused(status: number): Promise<void> {
    if (!NO_EVENTS_STATUSES.includes(status) || this.stopping.signal.aborted) return Promise.resolve();
    if (this.hasEvents) {
      this.options.log.warn({ status }, 'gateway without events endpoint');
      this.readInstead();
    }
    this.retry = setTimeout(() => this.stream.start(), this.catchUp.limits.eventsRetryMs);
    void this.stream.stop();
    return Promise.resolve();
  }
}
