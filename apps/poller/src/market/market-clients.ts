import type { TlsFileNames, ClockReading } from '@ssb/net';
import type { MarketInterface } from '@ssb/events';
import { NO_RETRY, ReportingClient, TokenSource, type ClientCredentials } from '@ssb/market';
import { FileWatcher, type FileConnection, type Logger, type OutgoingConnections } from '@ssb/platform';
import type { Connection } from '../faults/failure-classification.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { StoppingError } from '../polls/poll-failures.js';
import type { Settings } from '../settings.js';
import { parseCredentials, type CredentialSource, type ParticipantAccess } from './participant-access.js';
import { createRequestBudget } from './request-budgets.js';
import type { RedisConnection } from '@ssb/redis-queue';

/** The clients of one participant for the two reporting interfaces, which may be two hosts. Each has its own certificate and budget; both share one token. */
export interface MarketClients {
  readonly prudential: ReportingClient;
  readonly settlement: ReportingClient;
  /** The connection of an interface, with its present client certificate. */
  connection(name: MarketInterface | 'token'): Connection;
  /** Whether the request budget of an interface has room for a request beside those of the next poll. */
  hasSpareRequest(name: MarketInterface): Promise<boolean>;
  /** Why changed files are not used, although earlier ones are; empty when all are used. */
  refusals(): readonly unknown[];
  /** Calls the listener after each check of the files. */
  onFileCheck(listener: () => void): void;
  /** Requests that wait for the budget reject with StoppingError. Requests that were sent complete. */
  stopWaiting(): void;
  close(): Promise<void>;
}

export interface MarketDependencies {
  readonly connections: OutgoingConnections;
  readonly redis: RedisConnection;
  /** Receives the clocks of the responses. */
  readonly onClockReading: (source: MarketInterface | 'token', reading: ClockReading) => void;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** @throws UnusableTlsFilesError, UnusableCredentialFileError, or the file system's error */
export async function openMarketClients(
  participant: string,
  access: ParticipantAccess,
  settings: Settings,
  dependencies: MarketDependencies,
): Promise<MarketClients> {
  const { onClockReading } = dependencies;
  const stopping = new AbortController();
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    stopping.abort(new StoppingError());
    await Promise.all(closing.map((each) => each()));
  };
  let onFileCheck = (): void => undefined;
  const open = async (name: MarketInterface | 'token', files: TlsFileNames): Promise<FileConnection> => {
    const opened = await dependencies.connections.open(name, files, participant);
    closing.push(() => dependencies.connections.close(opened));
    opened.files.notifyChecks(() => onFileCheck());
    return opened;
  };
  try {
    const account = await watchCredentials(access.credentials, settings, dependencies, () => onFileCheck());
    closing.push(() => account.stop());
    const tokenConnection = await open('token', access.tls.token);
    const tokenSource = new TokenSource({
      authUrl: settings.TOKEN_URL,
      ...account.credentials(),
      clientAuthentication: settings.TOKEN_CLIENT_AUTHENTICATION,
      scope: settings.TOKEN_SCOPE,
      tls: tokenConnection.tls,
      proxy: tokenConnection.proxy,
      timeoutMs: settings.REQUEST_TIMEOUT_MS,
      onClockReading: (reading) => onClockReading('token', reading),
    });
    closing.push(() => tokenSource.close());
    tokenConnection.files.renewOn(tokenSource);
    account.renewOn(tokenSource);
    const openClient = async (name: MarketInterface) => {
      const connection = await open(name, access.tls[name]);
      const budget = createRequestBudget(name, participant, settings, dependencies);
      const client = new ReportingClient({
        baseUrl: name === 'prudential' ? settings.PRUDENTIAL_URL : settings.SETTLEMENT_URL,
        tokenSource,
        tls: connection.tls,
        proxy: connection.proxy,
        requestLimiter: budget,
        signal: stopping.signal,
        timeoutMs: requestTimeoutMs(name, settings),
        // The next poll is the retry, and the scheduler has its own pauses.
        retry: NO_RETRY,
        notFoundMembers: settings.REPORTING_NOT_FOUND_MEMBERS,
        onClockReading: (reading) => onClockReading(name, reading),
        onUnknownProperties: (resource, paths) => reportUnknownProperties(dependencies, resource, paths),
      });
      closing.push(() => client.close());
      connection.files.renewOn(client);
      return { client, connection, budget };
    };
    const prudential = await openClient('prudential');
    const settlement = await openClient('settlement');
    const connections = {
      prudential: { url: settings.PRUDENTIAL_URL, files: prudential.connection.files },
      settlement: { url: settings.SETTLEMENT_URL, files: settlement.connection.files },
      token: { url: settings.TOKEN_URL, files: tokenConnection.files },
    };
    const budgets = { prudential: prudential.budget, settlement: settlement.budget };
    return {
      prudential: prudential.client,
      settlement: settlement.client,
      hasSpareRequest: (name) => budgets[name].hasSpareRequest(),
      connection: (name) => {
        const { url, files } = connections[name];
        return { secure: url.startsWith('https:'), certificate: files.certificate };
      },
      refusals: () =>
        [account.refusal(), ...Object.values(connections).map(({ files }) => files.refusal)].filter(
          (refusal) => refusal !== undefined,
        ),
      onFileCheck: (listener) => {
        onFileCheck = listener;
      },
      stopWaiting: () => stopping.abort(new StoppingError()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Maximum wait for one response of an interface, milliseconds. */
export function requestTimeoutMs(name: MarketInterface, settings: Settings): number {
  const { REQUEST_TIMEOUT_MS, SETTLEMENT_REQUEST_TIMEOUT_MS } = settings;
  return name === 'settlement' ? (SETTLEMENT_REQUEST_TIMEOUT_MS ?? REQUEST_TIMEOUT_MS) : REQUEST_TIMEOUT_MS;
}

/** The account of a participant. */
interface Account {
  credentials(): ClientCredentials;
  /** Passes a changed account to this client. */
  renewOn(client: Pick<TokenSource, 'renewCredentials'>): void;
  /** Why the present files are not used; undefined when they are. */
  refusal(): unknown;
  stop(): Promise<void>;
}

/** Reads the files of an account, and reads them again when they change. @throws UnusableCredentialFileError, or the file system's error */
async function watchCredentials(
  source: CredentialSource,
  settings: Settings,
  { log }: MarketDependencies,
  onChecked: () => void,
): Promise<Account> {
  if (source.kind === 'texts')
    return {
      credentials: () => source.credentials,
      renewOn: () => undefined,
      refusal: () => undefined,
      stop: () => Promise.resolve(),
    };
  let current: ClientCredentials = { clientId: '', clientSecret: '' };
  let client: Parameters<Account['renewOn']>[0] | undefined;
  let refusal: unknown;
  const watcher = new FileWatcher({
    paths: source.files,
    intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
    apply: (contents) => {
      current = parseCredentials(source, contents);
      client?.renewCredentials(current);
    },
    onApplied: () => log.info('client credentials reloaded'),
    onRefused: (err) => {
      refusal = err;
      log.error({ err }, 'client credentials reload failed');
    },
    onRecovered: () => {
      refusal = undefined;
    },
    onChecked,
  });
  await watcher.start();
  return {
    credentials: () => current,
    renewOn: (given) => {
      client = given;
    },
    refusal: () => refusal,
    stop: () => watcher.stop(),
  };
}

const MAX_LOGGED_PATHS = 20;

function reportUnknownProperties(
  { metrics, log }: MarketDependencies,
  resource: string,
  paths: readonly string[],
): void {
  metrics.shared.unknownProperties.inc({ resource }, paths.length);
  log.debug({ resource, paths: paths.slice(0, MAX_LOGGED_PATHS) }, 'unknown properties dropped');
}
