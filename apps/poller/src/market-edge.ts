import { readFileSync } from 'node:fs';
import { NO_RETRY, ReportingClient, TokenSource, type TlsMaterial } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import type { Settings } from './settings.js';

/** The market as the poller sees it: two interfaces that may be two hosts, and one token for both. */
export interface MarketEdge {
  readonly prudential: ReportingClient;
  readonly settlement: ReportingClient;
  close(): Promise<void>;
}

export function openMarket(settings: Settings, log: Logger): MarketEdge {
  const tokenSource = new TokenSource({
    authUrl: settings.TOKEN_URL,
    clientId: settings.CLIENT_ID,
    clientSecret: settings.CLIENT_SECRET,
    scope: settings.TOKEN_SCOPE,
    ca: read(settings.TOKEN_CA_FILE),
    timeoutMs: settings.REQUEST_TIMEOUT_MS,
  });
  const client = (baseUrl: string, tls: TlsMaterial): ReportingClient =>
    new ReportingClient({
      baseUrl,
      tokenSource,
      tls,
      timeoutMs: settings.REQUEST_TIMEOUT_MS,
      // The next poll is the repeat, and the schedule has pauses of its own.
      retry: NO_RETRY,
      onUnknownProperties: (resource, paths) =>
        log.debug(
          { resource, paths },
          `${resource} has properties that the interface document does not know`,
        ),
    });
  const prudential = client(
    settings.PRUDENTIAL_URL,
    tlsMaterial(settings.CLIENT_CERT_FILE, settings.CLIENT_KEY_FILE, settings.REPORTING_CA_FILE),
  );
  const settlement = client(
    settings.SETTLEMENT_URL,
    tlsMaterial(
      settings.SETTLEMENT_CERT_FILE ?? settings.CLIENT_CERT_FILE,
      settings.SETTLEMENT_KEY_FILE ?? settings.CLIENT_KEY_FILE,
      settings.SETTLEMENT_CA_FILE ?? settings.REPORTING_CA_FILE,
    ),
  );
  return {
    prudential,
    settlement,
    close: async () => {
      await Promise.all([prudential.close(), settlement.close(), tokenSource.close()]);
    },
  };
}

function tlsMaterial(cert?: string, key?: string, ca?: string): TlsMaterial {
  return {
    ...(cert !== undefined && { cert: readFileSync(cert) }),
    ...(key !== undefined && { key: readFileSync(key) }),
    ...(ca !== undefined && { ca: readFileSync(ca) }),
  };
}

function read(path: string | undefined): Buffer | undefined {
  return path === undefined ? undefined : readFileSync(path);
}
