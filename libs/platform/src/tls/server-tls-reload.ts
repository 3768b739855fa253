import { X509Certificate } from 'node:crypto';
import { Server } from 'node:tls';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FileWatcher } from '../files/file-watcher.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { serverTlsMetrics } from '../observability/common-metrics.js';
import { Metrics } from '../observability/metrics.js';
import { SETTINGS } from '../platform.module.js';
import {
  serverTlsPaths,
  toSecureContext,
  type ServerTlsPrefix,
  type ServerTlsSettings,
} from './server-tls.js';

const DAY_MS = 24 * 3_600_000;

export interface ServerTlsReloadOptions {
  /** Prefix of the metric names: the name of the app, or `management` for its management port. */
  readonly app: string;
  readonly settings: ServerTlsSettings;
  readonly intervalMs: number;
  readonly prefix: ServerTlsPrefix;
}

/**
 * Uses renewed certificates and keys for new connections while the server runs; open connections stay.
 * Unusable files are refused, and the previous ones stay in use.
 */
@Injectable()
export class ServerTlsReload implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watcher: FileWatcher | undefined;
  private readonly prefix: ServerTlsPrefix;
  private expires = new Date(Number.NaN);

  constructor(
    { app, settings, intervalMs, prefix }: ServerTlsReloadOptions,
    private readonly host: HttpAdapterHost,
    log: Logger,
    metrics: Metrics,
  ) {
    this.prefix = prefix;
    const paths = serverTlsPaths(settings, prefix);
    if (paths === undefined) return;
    const definitions = serverTlsMetrics(app);
    const reloads = metrics.counter(definitions.reloads);
    metrics.gauge(definitions.daysLeft, (gauge) => {
      gauge.set((this.expires.getTime() - Date.now()) / DAY_MS);
    });
    this.watcher = new FileWatcher({
      paths,
      intervalMs,
      apply: (contents) => this.apply(contents),
      onApplied: () => {
        reloads.inc({ outcome: 'applied' });
        log.info({ expires: this.expires }, 'server certificate reloaded');
      },
      onRefused: (error) => {
        reloads.inc({ outcome: 'refused' });
        log.error({ err: error }, 'server certificate reload failed');
      },
    });
  }

  /** A provider of the reload for one app's server port. */
  static provider<S extends ServerTlsSettings>(
    app: string,
    intervalMs: (settings: S) => number,
    prefix: ServerTlsPrefix = '',
  ): Provider {
    return {
      provide: ServerTlsReload,
      useFactory: (settings: S, host: HttpAdapterHost, log: Logger, metrics: Metrics) =>
        new ServerTlsReload({ app, settings, intervalMs: intervalMs(settings), prefix }, host, log, metrics),
      inject: [SETTINGS, HttpAdapterHost, LOGGER, Metrics],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.watcher?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.watcher?.stop();
  }

  private apply(contents: readonly Buffer[]): void {
    const options = toSecureContext(contents, this.prefix);
    const server: unknown = this.host.httpAdapter.getHttpServer();
    if (!(server instanceof Server)) throw new TypeError('the server port has no TLS');
    server.setSecureContext(options);
    this.expires = new Date(new X509Certificate(contents[0] ?? '').validTo);
  }
}
