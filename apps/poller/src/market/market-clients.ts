import { NO_RETRY, ReportingClient, TokenSource, type TlsFileNames } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { Redis } from 'ioredis';
import type { Connection } from '../domain/failure-classification.js';
import type { PollerClock } from '../clock.js';
import { StoppingError } from '../poll-failures.js';
import type { PollerMetrics } from '../poller-metrics.js';
import type { Settings } from '../settings.js';
import { createRequestBudget, type MarketInterface } from './request-budgets.js';
import { watchTlsFiles } from './tls-watcher.js';

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
  readonly redis: Redis;
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
  const watch = (name: MarketInterface | 'token', files: TlsFileNames) =>
    watchTlsFiles(name, files, settings, { ...dependencies, onChecked: () => onCertificateCheck() });
  const tokenTls = await watch('token', tokenFiles(settings));
  const tokenSource = new TokenSource({
    authUrl: settings.TOKEN_URL,
    clientId: settings.TOKEN_CLIENT_ID,
    clientSecret: settings.TOKEN_CLIENT_SECRET,
    clientAuthentication: settings.TOKEN_CLIENT_AUTHENTICATION,
    scope: settings.TOKEN_SCOPE,
    tls: tokenTls.material,
    timeoutMs: settings.REQUEST_TIMEOUT_MS,
    onClockReading: (reading) => dependencies.clock.observe('token', reading),
  });
  tokenTls.renewOn(tokenSource);
  const openClient = async (name: MarketInterface, files: TlsFileNames) => {
    const tls = await watch(name, files);
    const client = new ReportingClient({
      baseUrl: name === 'prudential' ? settings.PRUDENTIAL_URL : settings.SETTLEMENT_URL,
      tokenSource,
      tls: tls.material,
      requestLimiter: createRequestBudget(name, settings, dependencies),
      signal: stopping.signal,
      timeoutMs: requestTimeoutMs(name, settings),
      // The next poll is the retry, and the scheduler has its own pauses.
      retry: NO_RETRY,
      onClockReading: (reading) => dependencies.clock.observe(name, reading),
      onUnknownProperties: (resource, paths) => reportUnknownProperties(dependencies, resource, paths),
    });
    tls.renewOn(client);
    return { client, tls };
  };
  const prudential = await openClient('prudential', prudentialFiles(settings));
  const settlement = await openClient('settlement', settlementFiles(settings));
  const connections = {
    prudential: { url: settings.PRUDENTIAL_URL, tls: prudential.tls },
    settlement: { url: settings.SETTLEMENT_URL, tls: settlement.tls },
    token: { url: settings.TOKEN_URL, tls: tokenTls },
  };
  return {
    prudential: prudential.client,
    settlement: settlement.client,
    connection: (name) => {
      const { url, tls } = connections[name];
      return { secure: url.startsWith('https:'), certificate: tls.certificate };
    },
    onCertificateCheck: (listener) => {
      onCertificateCheck = listener;
    },
    stopWaiting: () => stopping.abort(new StoppingError()),
    close: async () => {
      stopping.abort(new StoppingError());
      await Promise.all([tokenTls, prudential.tls, settlement.tls].map((each) => each.stop()));
      await Promise.all([prudential.client.close(), settlement.client.close(), tokenSource.close()]);
    },
  };
}

/** Maximum wait for one answer of an interface, milliseconds. */
export function requestTimeoutMs(name: MarketInterface, settings: Settings): number {
  const { REQUEST_TIMEOUT_MS, SETTLEMENT_REQUEST_TIMEOUT_MS } = settings;
  return name === 'settlement' ? (SETTLEMENT_REQUEST_TIMEOUT_MS ?? REQUEST_TIMEOUT_MS) : REQUEST_TIMEOUT_MS;
}

function tokenFiles({ TOKEN_CA_FILE, TOKEN_CERT_FILE, TOKEN_KEY_FILE }: Settings): TlsFileNames {
  return { ca: TOKEN_CA_FILE, cert: TOKEN_CERT_FILE, key: TOKEN_KEY_FILE };
}

function prudentialFiles(settings: Settings): TlsFileNames {
  const { REPORTING_CA_FILE, CLIENT_CERT_FILE, CLIENT_KEY_FILE } = settings;
  return { ca: REPORTING_CA_FILE, cert: CLIENT_CERT_FILE, key: CLIENT_KEY_FILE };
}

function settlementFiles(settings: Settings): TlsFileNames {
  return {
    ca: settings.SETTLEMENT_CA_FILE ?? settings.REPORTING_CA_FILE,
    cert: settings.SETTLEMENT_CERT_FILE ?? settings.CLIENT_CERT_FILE,
    key: settings.SETTLEMENT_KEY_FILE ?? settings.CLIENT_KEY_FILE,
  };
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
