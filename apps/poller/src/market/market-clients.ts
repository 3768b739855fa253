import { NO_RETRY, ReportingClient, TokenSource, type TlsFileNames } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { Redis } from 'ioredis';
import { StoppingError } from '../poll-failures.js';
import type { PollerMetrics } from '../poller-metrics.js';
import type { Settings } from '../settings.js';
import { createRequestBudget, type MarketInterface } from './request-budgets.js';
import { watchTlsFiles } from './tls-watcher.js';

/** Clients of the two reporting interfaces, which may be two hosts. Each has its own certificate and budget; both share one token. */
export interface MarketClients {
  readonly prudential: ReportingClient;
  readonly settlement: ReportingClient;
  /** Requests that wait for the budget reject with StoppingError. Requests that were sent complete. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface MarketDependencies {
  readonly redis: Redis;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
}

/** @throws UnusableTlsFilesError */
export async function openMarketClients(
  settings: Settings,
  dependencies: MarketDependencies,
): Promise<MarketClients> {
  const stopping = new AbortController();
  const tokenTls = await watchTlsFiles('token', tokenFiles(settings), settings, dependencies);
  const tokenSource = new TokenSource({
    authUrl: settings.TOKEN_URL,
    clientId: settings.CLIENT_ID,
    clientSecret: settings.CLIENT_SECRET,
    clientAuthentication: settings.TOKEN_CLIENT_AUTHENTICATION,
    scope: settings.TOKEN_SCOPE,
    tls: tokenTls.material,
    timeoutMs: settings.REQUEST_TIMEOUT_MS,
  });
  tokenTls.renewOn(tokenSource);
  const openClient = async (name: MarketInterface, files: TlsFileNames) => {
    const tls = await watchTlsFiles(name, files, settings, dependencies);
    const client = new ReportingClient({
      baseUrl: name === 'prudential' ? settings.PRUDENTIAL_URL : settings.SETTLEMENT_URL,
      tokenSource,
      tls: tls.material,
      requestLimiter: createRequestBudget(name, settings, dependencies),
      signal: stopping.signal,
      timeoutMs: requestTimeoutMs(name, settings),
      // The next poll is the retry, and the scheduler has its own pauses.
      retry: NO_RETRY,
      onUnknownProperties: (resource, paths) => reportUnknownProperties(dependencies, resource, paths),
    });
    tls.renewOn(client);
    return { client, tls };
  };
  const prudential = await openClient('prudential', prudentialFiles(settings));
  const settlement = await openClient('settlement', settlementFiles(settings));
  return {
    prudential: prudential.client,
    settlement: settlement.client,
    stopWaiting: () => stopping.abort(new StoppingError()),
    close: async () => {
      stopping.abort(new StoppingError());
      await Promise.all([tokenTls, prudential.tls, settlement.tls].map((each) => each.stop()));
      await Promise.all([prudential.client.close(), settlement.client.close(), tokenSource.close()]);
    },
  };
}

function requestTimeoutMs(name: MarketInterface, settings: Settings): number {
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
