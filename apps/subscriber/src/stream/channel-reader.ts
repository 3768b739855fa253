import { GatewayStream, type StreamState } from '@ssb/bus';
import type { OperatorConfig } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import { MessageReceiver } from '../receive.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import type { Settings } from '../settings.js';
import type { Archive } from '../storage/archive.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { MessageBuffer } from './message-buffer.js';

export interface ChannelReaderDependencies {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  /** Certificate authority of the gateway, PEM. */
  readonly gatewayCa: string | undefined;
  readonly archive: Archive;
  readonly log: Logger;
  readonly metrics: SubscriberMetrics;
  readonly wakeDispatcher: () => void;
  /** Called when the database refuses a group because another replica reads the channels. */
  readonly onLeaseLost: () => void;
}

/** Reads the channels while this replica holds the reader lease: stream → buffer → receiver → archive. */
export class ChannelReader {
  private readonly stream: GatewayStream;
  private readonly buffer: MessageBuffer;
  private readonly stopping = new AbortController();
  private state: StreamState = { state: 'stopped' };

  constructor(
    readonly token: ReaderToken,
    private readonly dependencies: ChannelReaderDependencies,
  ) {
    const { settings, config, gatewayCa, log, metrics, archive, wakeDispatcher } = dependencies;
    const receiver = new MessageReceiver({
      config,
      verification: {
        scheme: settings.SIGNATURE_SCHEME,
        freshness: { skewMs: settings.MESSAGE_SKEW_MS, maxAgeMs: settings.MESSAGE_MAX_AGE_MS },
      },
      archive,
      reader: token,
      log,
      metrics,
      wakeDispatcher,
      now: () => new Date(),
      stopping: this.stopping.signal,
    });
    this.buffer = new MessageBuffer(async (messages) => {
      try {
        await receiver.receive(messages);
      } catch (error) {
        if (error instanceof LeaseLostError) dependencies.onLeaseLost();
        throw error;
      }
    }, settings.WINDOW);
    this.stream = new GatewayStream({
      url: settings.GATEWAY_URL,
      username: settings.GATEWAY_USERNAME,
      password: settings.GATEWAY_PASSWORD,
      protocol: settings.GATEWAY_EVENTS_PROTOCOL,
      ...(gatewayCa !== undefined && { ca: gatewayCa }),
      clientId: settings.CLIENT_ID,
      window: settings.WINDOW,
      onMessages: (batch, acknowledge) => this.buffer.add(batch, acknowledge),
      onState: (state) => this.onStateChange(state),
      onFault: (fault) => log.warn({ ...fault }, 'gateway stream fault'),
      // Only the sender still has these messages.
      onGap: ({ fqcn: channel, after, upTo }) => {
        metrics.gaps.inc();
        log.error({ channel, after, upTo }, 'messages removed before receipt');
      },
    });
  }

  start(): void {
    this.stream.start();
  }

  /** Stores and acknowledges the current group while the stream is still open. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.buffer.stop();
    await this.stream.stop();
  }

  /** For a lost lease: closes the stream first, because two readers would disconnect each other. */
  async abort(): Promise<void> {
    this.stopping.abort();
    await this.stream.stop();
    await this.buffer.stop();
  }

  get connected(): boolean {
    return this.state.state === 'connected';
  }

  /** Number of messages that are waiting or being stored. */
  get bufferedCount(): number {
    return this.buffer.size;
  }

  /** @throws Error with the reason when the stream is not connected */
  requireConnection(): void {
    if (this.connected) return;
    const reason = this.state.state === 'disconnected' ? `: ${this.state.reason}` : '';
    throw new Error(`The gateway stream is not connected${reason}`);
  }

  private onStateChange(state: StreamState): void {
    const { log, settings } = this.dependencies;
    if (state.state === 'connected') log.info({ gateway: settings.GATEWAY_URL }, 'gateway stream connected');
    else if (state.state === 'stopped') log.info('gateway stream closed');
    else log.warn({ ...state }, 'gateway stream interrupted');
    this.state = state;
  }
}
