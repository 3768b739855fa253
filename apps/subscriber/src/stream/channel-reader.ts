import { GatewayStream, type StreamState } from '@ssb/bus';
import type { OperatorConfig } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import { Intake } from './message-buffer.js';
import { Receive } from '../receive.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import type { Settings } from '../settings.js';
import type { Archive } from '../storage/archive.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';

export interface ChannelReaderDependencies {
  readonly settings: Settings;
  readonly config: OperatorConfig;
  /** PEM; the authority of the gateway's certificate. */
  readonly gatewayCa: string | undefined;
  readonly archive: Archive;
  readonly log: Logger;
  readonly metrics: SubscriberMetrics;
  readonly wakeDispatcher: () => void;
  /** The database refused a group because another replica reads the channels. */
  readonly onLeaseLost: () => void;
}

/** Reads the channels as long as this replica has the reader's lease: stream → intake → receive → archive. */
export class ChannelReader {
  private readonly stream: GatewayStream;
  private readonly intake: Intake;
  private readonly stopping = new AbortController();
  private state: StreamState = { state: 'stopped' };

  constructor(
    readonly token: ReaderToken,
    private readonly dependencies: ChannelReaderDependencies,
  ) {
    const { settings, config, gatewayCa, log, metrics, archive, wakeDispatcher } = dependencies;
    const receive = new Receive({
      config,
      terms: {
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
    this.intake = new Intake(async (messages) => {
      try {
        await receive.group(messages);
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
      onMessages: (batch, acknowledge) => this.intake.offer(batch, acknowledge),
      onState: (state) => this.noteState(state),
      // What was missed is on no channel any more: only its sender still has it.
      onGap: (missed) => {
        metrics.gaps.inc();
        log.error(missed, 'messages were removed from the bus before they were received');
      },
    });
  }

  start(): void {
    this.stream.start();
  }

  /** Messages that are held are stored and acknowledged while the stream is still open. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.intake.stop();
    await this.stream.stop();
  }

  /** The lease is over: the stream is closed first, because two that read would disconnect each other. */
  async abandon(): Promise<void> {
    this.stopping.abort();
    await this.stream.stop();
    await this.intake.stop();
  }

  get connected(): boolean {
    return this.state.state === 'connected';
  }

  /** How many messages are held, waiting or being stored. */
  get held(): number {
    return this.intake.size;
  }

  /** @throws Error with the reason while the stream is not connected */
  requireConnection(): void {
    if (this.connected) return;
    const why = this.state.state === 'disconnected' ? `: ${this.state.reason}` : '';
    throw new Error(`not connected${why}`);
  }

  /** A fault leaves the connection as it was: the state that follows says what became of it. */
  private noteState(state: StreamState): void {
    const { log, settings } = this.dependencies;
    if (state.state === 'connected') log.info({ gateway: settings.GATEWAY_URL }, 'gateway stream connected');
    else if (state.state === 'stopped') log.info('gateway stream closed');
    else log.warn({ ...state }, 'gateway stream disturbed');
    if (state.state !== 'fault') this.state = state;
  }
}
