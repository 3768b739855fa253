import type { TlsFileNames } from '@ssb/client-connections';
import type { MarketInterface } from '@ssb/events';
import { NO_RETRY, ReportingClient, TokenSource } from '@ssb/market';
import { clientTlsFiles, type FileConnection, type Logger, type OutgoingConnections } from '@ssb/platform';
import type { Connection } from '../domain/failure-classification.js';
import type { PollerClock } from '../clock.js';
import { StoppingError } from '../poll-failures.js';
import type { PollerMetrics } from '../poller-metrics.js';
import type { Settings } from '../settings.js';
import { createRequestBudget } from './request-budgets.js';
import type { RedisConnection } from '@ssb/redis';

/** Clients of the two reporting interfaces, which may be two hosts. Each has its own certificate and budget; both share one token. */
export interface MarketClients {
  readonly prudential: ReportingClient;
  readonly settlement: ReportingClient;
  /** The connection of an interface, with its present client certificate. */
  connection(name: MarketInterface | 'token'): Connection;
  /** Calls the listener after each check of certificate files. */
  onCertificateCheck(listener: () => void): void;
  /** Requests that wait for the budget reject with StoppingError. Requests that were sent complete. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface MarketDependencies {
  readonly connections: OutgoingConnections;
  readonly redis: RedisConnection;
  /** Receives the clocks of the answers. */
  readonly clock: PollerClock;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
}

/** @throws UnusableTlsFilesError */
export async function openMarketClients(
  settings: Settings,
  dependencies: MarketDependencies,
): Promise<MarketClients> {
  const stopping = new AbortController();
  let onCertificateCheck = (): void => undefined;
  const open = async (name: MarketInterface | 'token', files: TlsFileNames): Promise<FileConnection> => {
    const opened = await dependencies.connections.open(name, files);
    opened.files.notifyChecks(() => onCertificateCheck());
    return opened;
  };
  const tokenConnection = await open('token', clientTlsFiles(settings, 'TOKEN'));
  const tokenSource = new TokenSource({
    authUrl: settings.TOKEN_URL,
    clientId: settings.TOKEN_CLIENT_ID,
    clientSecret: settings.TOKEN_CLIENT_SECRET,
    clientAuthentication: settings.TOKEN_CLIENT_AUTHENTICATION,
    scope: settings.TOKEN_SCOPE,
    tls: tokenConnection.tls,
    proxy: tokenConnection.proxy,
    timeoutMs: settings.REQUEST_TIMEOUT_MS,
    onClockReading: (reading) => dependencies.clock.observe('token', reading),
  });
  tokenConnection.files.renewOn(tokenSource);
  const openClient = async (name: MarketInterface, files: TlsFileNames) => {
    const connection = await open(name, files);
    const client = new ReportingClient({
      baseUrl: name === 'prudential' ? settings.PRUDENTIAL_URL : settings.SETTLEMENT_URL,
      tokenSource,
      tls: connection.tls,
      proxy: connection.proxy,
      requestLimiter: createRequestBudget(name, settings, dependencies),
      signal: stopping.signal,
      timeoutMs: requestTimeoutMs(name, settings),
      // The next poll is the retry, and the scheduler has its own pauses.
      retry: NO_RETRY,
      onClockReading: (reading) => dependencies.clock.observe(name, reading),
      onUnknownProperties: (resource, paths) => reportUnknownProperties(dependencies, resource, paths),
    });
    connection.files.renewOn(client);
    return { client, connection };
  };
  const prudential = await openClient('prudential', prudentialFiles(settings));
  const settlement = await openClient('settlement', settlementFiles(settings));
  const connections = {
    prudential: { url: settings.PRUDENTIAL_URL, files: prudential.connection.files },
    settlement: { url: settings.SETTLEMENT_URL, files: settlement.connection.files },
    token: { url: settings.TOKEN_URL, files: tokenConnection.files },
  };
  return {
    prudential: prudential.client,
    settlement: settlement.client,
    connection: (name) => {
      const { url, files } = connections[name];
      return { secure: url.startsWith('https:'), certificate: files.certificate };
    },
    onCertificateCheck: (listener) => {
      onCertificateCheck = listener;
    },
    stopWaiting: () => stopping.abort(new StoppingError()),
    close: async () => {
      stopping.abort(new StoppingError());
      await Promise.all([prudential.client.close(), settlement.client.close(), tokenSource.close()]);
    },
  };
}

/** Maximum wait for one answer of an interface, milliseconds. */
export function requestTimeoutMs(name: MarketInterface, settings: Settings): number {
  const { REQUEST_TIMEOUT_MS, SETTLEMENT_REQUEST_TIMEOUT_MS } = settings;
  return name === 'settlement' ? (SETTLEMENT_REQUEST_TIMEOUT_MS ?? REQUEST_TIMEOUT_MS) : REQUEST_TIMEOUT_MS;
}

function prudentialFiles(settings: Settings): TlsFileNames {
  return { ...clientTlsFiles(settings, 'CLIENT'), ca: settings.REPORTING_CA_FILE };
}

/** Any certificate setting of the settlement interface replaces the form of the other interface. */
function settlementFiles(settings: Settings): TlsFileNames {
  const own = clientTlsFiles(settings, 'SETTLEMENT');
  const ca = settings.SETTLEMENT_CA_FILE ?? settings.REPORTING_CA_FILE;
  if (own.pfx !== undefined) return { ...own, ca };
  const { CLIENT_CERT_FILE, CLIENT_KEY_FILE } = settings;
  if (own.cert === undefined && own.key === undefined) return { ...prudentialFiles(settings), ca };
  return { ca, cert: own.cert ?? CLIENT_CERT_FILE, key: own.key ?? CLIENT_KEY_FILE };
}

const MAX_LOGGED_PATHS = 20;

function reportUnknownProperties(
  { metrics, log }: MarketDependencies,
  resource: string,
  paths: readonly string[],
): void {
  metrics.unknownProperties.inc({ resource }, paths.length);
  log.debug({ resource, paths: paths.slice(0, MAX_LOGGED_PATHS) }, 'unknown properties dropped');
}
