import { createSecureContext, Server } from 'node:tls';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LOGGER, SETTINGS, WatchedFiles, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { serverTlsOf, serverTlsPaths } from './server-tls.js';

/**
 * Takes a renewed certificate of the gateway's port into use: new connections get it, those that are open go on. Files that cannot
 * be used are refused, and the old ones stay.
 */
@Injectable()
export class ServerTlsReload implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly files: WatchedFiles | undefined;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) log: Logger,
  ) {
    const paths = serverTlsPaths(settings);
    if (paths === undefined) return;
    this.files = new WatchedFiles({
      paths,
      intervalMs: settings.FILES_RELOAD_INTERVAL_MS,
      take: (contents) => this.take(contents),
      changed: () => log.info({ step: 'tls-reloaded' }, 'the renewed certificate of this port is in use'),
      refused: (error) =>
        log.error({ err: error }, 'the changed TLS files cannot be used, the old certificate stays in use'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.files?.start();
  }

  onApplicationShutdown(): void {
    this.files?.stop();
  }

  private take(contents: readonly Buffer[]): void {
    const options = serverTlsOf(contents);
    // Throws when the key is not the certificate's, or either is no PEM; the server has not been touched then.
    createSecureContext({ cert: contents[0], key: contents[1] });
    const server: unknown = this.host.httpAdapter.getHttpServer();
    if (!(server instanceof Server)) throw new TypeError('the port of the gateway is no TLS server');
    server.setSecureContext(options);
  }
}
