import type { Redis } from 'ioredis';
import { NO_RETRY, ReportingClient, TokenSource, type TlsFileNames } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import { watchCertificates } from './tls-watcher.js';
import { StoppingError } from '../poll-failures.js';
import type { PollerMetrics } from '../poller-metrics.js';
import { openBudget, type MarketInterface } from './request-budgets.js';
import type { Settings } from '../settings.js';

/** The market as the poller sees it: two interfaces that may be two hosts, each with its certificate and its budget, and one token for both. */
export interface MarketEdge {
  readonly prudential: ReportingClient;
  readonly settlement: ReportingClient;
  /** Nobody waits for the budget any more: operations that do throw StoppingError. What is sent is brought to its end. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface MarketSurroundings {
  readonly redis: Redis;
  readonly metrics: PollerMetrics;
  readonly log: Logger;
}

/** @throws UnusableTlsFilesError */
export async function openMarket(settings: Settings, surroundings: MarketSurroundings): Promise<MarketEdge> {
  const stopping = new AbortController();
  const tokenTls = await watchCertificates('token', tokenFiles(settings), settings, surroundings);
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
  const open = async (name: MarketInterface, files: TlsFileNames) => {
    const tls = await watchCertificates(name, files, settings, surroundings);
    const client = new ReportingClient({
      baseUrl: name === 'prudential' ? settings.PRUDENTIAL_URL : settings.SETTLEMENT_URL,
      tokenSource,
      tls: tls.material,
      gate: openBudget(name, settings, surroundings),
      signal: stopping.signal,
      timeoutMs: timeoutOf(name, settings),
      // The next poll is the repeat, and the schedule has pauses of its own.
      retry: NO_RETRY,
      onUnknownProperties: (resource, paths) => tellUnknown(surroundings, resource, paths),
    });
    tls.renewOn(client);
    return { client, tls };
  };
  const prudential = await open('prudential', prudentialFiles(settings));
  const settlement = await open('settlement', settlementFiles(settings));
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

export function timeoutOf(name: MarketInterface, settings: Settings): number {
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

function tellUnknown({ metrics, log }: MarketSurroundings, resource: string, paths: readonly string[]): void {
  metrics.unknownProperties.inc({ resource }, paths.length);
  const shown = paths.slice(0, 20);
  log.debug(
    { resource, paths: shown },
    `${resource} has properties that the interface document does not know`,
  );
}
