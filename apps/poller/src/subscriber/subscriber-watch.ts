import type { Provider } from '@nestjs/common';
import {
  ServerConnections,
  type ClientConnection,
  describeRequestError,
  PeriodicTask,
  readResponse,
} from '@ssb/net';
import { ALL_PARTICIPANTS } from '@ssb/events';
import { FaultReporter } from '@ssb/faults';
import { clientTlsFiles, LOGGER, OutgoingConnections, readSecretFile, type Logger } from '@ssb/platform';
import { evaluateSubscriber, silenceLimits, type SilenceLimits } from './subscriber-silence.js';
import type { Settings } from '../settings.js';

/** As often as there are heartbeats, and at least this often. */
const MAX_CHECK_INTERVAL_MS = 15_000;
const MAX_REQUEST_TIMEOUT_MS = 5_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const FAULT = { reason: 'subscriber-silent', participant: ALL_PARTICIPANTS } as const;

export interface SubscriberWatchOptions {
  readonly settings: Pick<Settings, 'SUBSCRIBER_URL' | 'SUBSCRIBER_TOKEN_FILE' | 'HEARTBEAT_INTERVAL_MS'>;
  readonly connection: ClientConnection;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear'>;
  readonly log: Logger;
  readonly intervalMs?: number;
  readonly limits?: Partial<SilenceLimits>;
}

/**
 * Requests the heartbeats that the subscriber has verified. A subscriber that is dead, or cut off, cannot report that itself. All replicas
 * of the poller do this; their reports are one fault.
 */
export class SubscriberWatch {
  private readonly url: URL | undefined;
  private readonly connections: ServerConnections | undefined;
  private readonly task: PeriodicTask;
  private readonly limits: SilenceLimits;
  private readonly timeoutMs: number;
  private readonly watchedSince = new Date();
  private respondedAt: Date | undefined;
  private newestHeartbeatAt: Date | undefined;

  constructor(private readonly options: SubscriberWatchOptions) {
    const { settings, connection, limits, log } = options;
    const { SUBSCRIBER_URL: url, HEARTBEAT_INTERVAL_MS } = settings;
    const { intervalMs = Math.min(HEARTBEAT_INTERVAL_MS, MAX_CHECK_INTERVAL_MS) } = options;
    this.timeoutMs = Math.min(HEARTBEAT_INTERVAL_MS, MAX_REQUEST_TIMEOUT_MS);
    const { timeoutMs } = this;
    this.limits = {
      ...silenceLimits({ intervalMs, timeoutMs, heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS }),
      ...limits,
    };
    if (url !== undefined) {
      this.url = new URL(url);
      this.connections = new ServerConnections(this.url, connection, {
        connections: 1,
        timeoutMs: this.timeoutMs,
      });
    }
    this.task = new PeriodicTask(
      (stopping) => this.check(stopping),
      intervalMs,
      (err) => log.error({ err }, 'subscriber check failed'),
    );
  }

  /** Does nothing without SUBSCRIBER_URL. */
  start(): void {
    if (this.url !== undefined) this.task.start();
  }

  async stop(): Promise<void> {
    await this.connections?.destroy();
    await this.task.stop();
  }

  private async check(stopping: AbortSignal): Promise<void> {
    const { faults } = this.options;
    const { watchedSince } = this;
    const failure = await this.request().then(() => undefined, describeRequestError);
    if (stopping.aborted) return;
    const { respondedAt, newestHeartbeatAt } = this;
    const verdict = evaluateSubscriber(
      { watchedSince, respondedAt, failure, newestHeartbeatAt },
      this.limits,
      new Date(),
    );
    if (verdict.status === 'silent') faults.raise({ ...FAULT, detail: verdict.detail });
    else if (verdict.status === 'alive') faults.clear(FAULT);
  }

  private async request(): Promise<void> {
    const { url, connections, timeoutMs } = this;
    if (url === undefined || connections === undefined) return;
    const { SUBSCRIBER_TOKEN_FILE: tokenFile } = this.options.settings;
    // Read each time, because it can be replaced.
    const token = tokenFile === undefined ? undefined : await readSecretFile(tokenFile);
    const response = await connections.request({
      method: 'GET',
      path: `${url.pathname.replace(/\/+$/, '')}/heartbeats`,
      headers: {
        accept: 'application/json',
        ...(token && { authorization: `Bearer ${token.toString()}` }),
      },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = (await readResponse(response, MAX_BODY_BYTES)).toString();
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    this.newestHeartbeatAt = readNewest(text);
    this.respondedAt = new Date();
  }
}

/** Opens the connection of SUBSCRIBER_URL. Its start throws ConfigurationError or UnusableTlsFilesError. */
export function subscriberWatchProvider(settings: Settings): Provider {
  return {
    provide: SubscriberWatch,
    inject: [OutgoingConnections, FaultReporter, LOGGER],
    useFactory: async (outgoing: OutgoingConnections, faults: FaultReporter, log: Logger) => {
      const connection =
        settings.SUBSCRIBER_URL === undefined
          ? {}
          : await outgoing.open('subscriber', clientTlsFiles(settings, 'SUBSCRIBER'));
      return new SubscriberWatch({ settings, connection, faults, log });
    },
  };
}

/** @throws Error when the response is not that of a subscriber */
function readNewest(text: string): Date | undefined {
  const { newest } = JSON.parse(text) as { newest?: unknown };
  if (newest === null) return undefined;
  const at = new Date(typeof newest === 'string' ? newest : NaN);
  if (Number.isNaN(at.getTime())) throw new Error('the response has no time of the newest heartbeat');
  return at;
}
