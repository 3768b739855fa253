import { isIP } from 'node:net';
import {
  chooseProxy,
  IpNetworks,
  NoProxyList,
  type ClientConnection,
  type ProxySettings,
  type TlsFileNames,
} from '@ssb/net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { ConfigurationError } from '../lifecycle/configuration-error.js';
import type { Logger } from '../logging/logger.js';
import { clientTlsMetrics } from '../observability/common-metrics.js';
import type { Metrics } from '../observability/metrics.js';
import { ClientTlsFiles, type ClientTlsFilesOptions, type ClientTlsMetrics } from './client-tls-files.js';

/** The settings of `outgoingConnectionSettings` that this class reads itself. */
interface ConnectionSettings {
  readonly HTTPS_PROXY?: string | undefined;
  readonly NO_PROXY?: NoProxyList | undefined;
  readonly WEBHOOK_ALLOWED_NETWORKS?: IpNetworks | undefined;
  readonly TLS_RELOAD_INTERVAL_MS: number;
}

export interface OutgoingConnectionsOptions {
  /** Prefix of the metric names. */
  readonly app: string;
  /** Whether connections belong to participants, which are a label of the metrics. Default false. */
  readonly hasParticipants?: boolean;
  readonly settings: ConnectionSettings;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** A webhook of the configuration. */
export interface WebhookTarget {
  /** How an error names it, e.g. `OPERATIONS_WEBHOOK_URL`. The address may contain a secret. */
  readonly name: string;
  readonly url: string;
}

/** A connection with its files, for a client that also shows its certificate. */
export interface FileConnection extends ClientConnection {
  readonly files: ClientTlsFiles;
}

/** The connections that an app of the bridge opens: their certificates, which change with their files, and the proxy. */
export class OutgoingConnections implements OnApplicationShutdown {
  readonly proxy: ProxySettings | undefined;
  private readonly opened = new Set<ClientTlsFiles>();
  private readonly metrics: ClientTlsMetrics;

  constructor(private readonly options: OutgoingConnectionsOptions) {
    const { app, hasParticipants = false, settings, metrics } = options;
    const { HTTPS_PROXY: url, NO_PROXY: except = NoProxyList.EMPTY } = settings;
    this.proxy = url === undefined ? undefined : { url, except };
    const { daysLeft, reloads } = clientTlsMetrics(app, { hasParticipants });
    this.metrics = { daysLeft: metrics.gauge(daysLeft), reloads: metrics.counter(reloads) };
  }

  /**
   * @param name of the service, for the log and the metrics
   * @param participant whose connection it is; undefined for a connection of the whole app
   * @throws UnusableTlsFilesError, or the file system's error
   */
  async open(name: string, files: TlsFileNames, participant?: string): Promise<FileConnection> {
    return this.connect(await ClientTlsFiles.open(this.describe(name, files, participant)));
  }

  /** As `open`, but the files may be missing or unusable: the caller checks `files.isLoaded`. */
  openOptional(name: string, files: TlsFileNames): FileConnection {
    return this.connect(ClientTlsFiles.openOptional(this.describe(name, files)));
  }

  /**
   * The connection of all webhooks of the app.
   * @throws ConfigurationError when a webhook contradicts WEBHOOK_ALLOWED_NETWORKS, and the errors of `open`
   */
  async openWebhooks(targets: readonly WebhookTarget[]): Promise<ClientConnection> {
    const { WEBHOOK_ALLOWED_NETWORKS: allowedNetworks } = this.options.settings;
    this.assertAllowedWebhooks(targets);
    const { files, proxy } = await this.open('webhook', clientTlsFiles(this.options.settings, 'WEBHOOK'));
    return {
      proxy,
      allowedNetworks,
      get tls() {
        return files.material;
      },
    };
  }

  /** @throws ConfigurationError when a webhook contradicts WEBHOOK_ALLOWED_NETWORKS */
  assertAllowedWebhooks(targets: readonly WebhookTarget[]): void {
    const { WEBHOOK_ALLOWED_NETWORKS: allowedNetworks } = this.options.settings;
    if (allowedNetworks === undefined) return;
    for (const target of targets) assertAllowed(target, allowedNetworks, this.proxy);
  }

  /** Ends the checks of a connection's files, and removes its metrics. */
  async close({ files }: FileConnection): Promise<void> {
    this.opened.delete(files);
    await files.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.opened].map((files) => files.stop()));
  }

  private describe(name: string, files: TlsFileNames, participant?: string): ClientTlsFilesOptions {
    const { settings, log } = this.options;
    const intervalMs = settings.TLS_RELOAD_INTERVAL_MS;
    return { name, participant, files, intervalMs, metrics: this.metrics, log };
  }

  private connect(opened: ClientTlsFiles): FileConnection {
    this.opened.add(opened);
    return {
      files: opened,
      proxy: this.proxy,
      get tls() {
        return opened.material;
      },
    };
  }
}

/**
 * The files of one service from the settings `{prefix}_CA_FILE`, `{prefix}_CERT_FILE` and so on.
 * @throws ConfigurationError when they name two client certificates
 */
export function clientTlsFiles(settings: object, prefix: string): TlsFileNames {
  const values = settings as Readonly<Record<string, string | undefined>>;
  const [ca, cert, key, pfx, pfxPassword] = [
    'CA_FILE',
    'CERT_FILE',
    'KEY_FILE',
    'PFX_FILE',
    'PFX_PASSWORD_FILE',
  ].map((name) => values[`${prefix}_${name}`]);
  const pem = `${prefix}_CERT_FILE and ${prefix}_KEY_FILE`;
  if (pfx !== undefined && (cert !== undefined || key !== undefined))
    throw new ConfigurationError(
      `${prefix}_PFX_FILE is set together with ${prefix}_${cert === undefined ? 'KEY' : 'CERT'}_FILE, but one form of the client certificate is allowed: set ${pem}, or ${prefix}_PFX_FILE.`,
    );
  if (pfx === undefined && pfxPassword !== undefined)
    throw new ConfigurationError(
      `${prefix}_PFX_PASSWORD_FILE needs ${prefix}_PFX_FILE: set both, or neither.`,
    );
  return { ca, cert, key, pfx, pfxPassword };
}

function assertAllowed(
  { name, url }: WebhookTarget,
  networks: IpNetworks,
  proxy: ProxySettings | undefined,
): void {
  const target = new URL(url);
  if (chooseProxy(target, proxy) !== undefined)
    throw new ConfigurationError(
      `WEBHOOK_ALLOWED_NETWORKS cannot be checked for ${name}, because HTTPS_PROXY opens its connections: add its host to NO_PROXY, or remove one of the two settings.`,
    );
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !networks.includes(host))
    throw new ConfigurationError(
      `The address of ${name} is not in WEBHOOK_ALLOWED_NETWORKS: add its network, or change the address.`,
    );
}
