import type { Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LOGGER, Metrics, SETTINGS, WatchedFiles, type Logger } from '@ssb/platform';
import { Callers } from '../tokens/callers.js';
import { clientCertificateOf } from '../tokens/client-certificate.js';
import type { Settings } from '../settings.js';
import { tlsFilesFrom, tlsPaths } from './tls.js';

const DAY_MS = 24 * 3_600_000;

/**
 * Takes renewed certificates and keys into use while the server runs: new connections get them, connections that are open go
 * on. Files that cannot be used are refused, and the old ones stay.
 */
@Injectable()
export class TlsReload implements OnModuleInit, OnApplicationShutdown {
  private readonly files: WatchedFiles;
  private server: Server | undefined;
  private expires = new Date(Number.NaN);

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(Callers) private readonly callers: Callers,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) log: Logger,
    @Inject(Metrics) metrics: Metrics,
  ) {
    const reloads = metrics.counter({
      name: 'reporting_tls_reloads_total',
      help: 'Changed certificate files of the participants’ port, by outcome: taken or refused',
      labelNames: ['outcome'],
    });
    const expiresAt = () => this.expires.getTime();
    metrics.gauge({
      name: 'reporting_server_certificate_days_left',
      help: 'Days until the certificate of the participants’ port expires',
      collect() {
        this.set((expiresAt() - Date.now()) / DAY_MS);
      },
    });
    this.files = new WatchedFiles({
      paths: tlsPaths(settings),
      intervalMs: settings.FILES_RELOAD_INTERVAL_MS,
      take: (contents) => this.take(contents),
      changed: () => {
        reloads.inc({ outcome: 'taken' });
        log.info({ expires: this.expires }, 'renewed certificates are in use');
      },
      refused: (error) => {
        reloads.inc({ outcome: 'refused' });
        log.error({ err: error }, 'changed certificate files cannot be used, the old ones stay in use');
      },
    });
  }

  async onModuleInit(): Promise<void> {
    this.server = this.host.httpAdapter.getHttpServer() as Server;
    this.server.on('secureConnection', (socket) => this.endUncertified(socket));
    await this.files.start();
  }

  onApplicationShutdown(): void {
    this.files.stop();
  }

  private take(contents: readonly Buffer[]): void {
    const { expires, ...files } = tlsFilesFrom(contents);
    this.server?.setSecureContext({ ...files, minVersion: 'TLSv1.2' });
    this.expires = expires;
  }

  /**
   * Where proxies are trusted by address, the handshake lets everybody in; whoever is neither proxy nor certified goes here. The certificate
   * itself is looked for: Node calls a resumed TLS 1.3 session authorized even if it never had one.
   */
  private endUncertified(socket: TLSSocket): void {
    if (clientCertificateOf(socket) === undefined && !this.callers.options.proxies.trustsAddressOf(socket))
      socket.destroy();
  }
}
