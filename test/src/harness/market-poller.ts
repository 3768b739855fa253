import { freePorts } from '@ssb/dev/free-ports';
import { type AppProcess, mergeSettings } from '@ssb/tools';
import { stringify } from 'yaml';
import type { MarketParticipant, MarketServices, RunningMarket } from './market-services.js';

const CHANNEL = 'all.channels.bridge.apps.participant.iam.market';

export interface MarketPollerOptions {
  readonly name: string;
  readonly market: RunningMarket;
  readonly participants: readonly MarketParticipant[];
  readonly redisUrl: string;
  /** File of INTEGRITY_KEYS_FILE. */
  readonly integrityKeysFile: string;
  /** Further settings, the schedule above all. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings of a scenario, which are in CONFIG_FILE. */
  readonly scenarioSettings?: Readonly<Record<string, unknown>>;
}

export interface MarketPoller {
  readonly process: AppProcess;
  readonly metricsUrl: string;
}

/** Starts one poller for many participants, without a bus: its events stay in the queue. The request budgets are off. */
export async function startMarketPoller(
  services: MarketServices,
  {
    name,
    market,
    participants,
    redisUrl,
    integrityKeysFile,
    settings,
    scenarioSettings = {},
  }: MarketPollerOptions,
): Promise<MarketPoller> {
  const config = {
    defaults: { margin: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' } },
    participants: participants.map(({ code, account, tls }) => ({
      code,
      access: {
        clientId: account.clientId,
        clientSecretFile: services.writeFile(`${code}.secret`, account.clientSecret),
        certFile: services.writeFile(`${code}.pem`, String(tls.cert)),
        keyFile: services.writeFile(`${code}.key`, String(tls.key)),
      },
    })),
    routes: [{ types: ['*'], channel: CHANNEL }],
    senders: [],
    alerts: {
      unattended: true,
      sinks: [{ name: 'log', kind: 'log' }],
      rules: [{ types: ['*'], sinks: ['log'] }],
    },
  };
  const [port] = await freePorts(1);
  const process = await services.startProcess('poller', name, {
    PORT: String(port),
    REDIS_URL: redisUrl,
    CONFIG_FILE: services.writeFile(`${name}.yaml`, stringify(mergeSettings(config, scenarioSettings))),
    INTEGRITY_KEYS_FILE: integrityKeysFile,
    TOKEN_URL: services.tokenUrl,
    TOKEN_CA_FILE: services.pathOf('ca.pem'),
    PRUDENTIAL_URL: market.url,
    SETTLEMENT_URL: market.url,
    REPORTING_CA_FILE: services.pathOf('ca.pem'),
    DOCUMENT_STORE: 'folder',
    DOCUMENT_FOLDER: services.pathOf(`${name}-documents`),
    PRUDENTIAL_REQUESTS_PER_MINUTE: '0',
    PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: '0',
    ...settings,
  });
  return { process, metricsUrl: `http://127.0.0.1:${port}/metrics` };
}
