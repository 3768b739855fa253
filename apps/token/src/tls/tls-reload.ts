import { createHash } from 'node:crypto';
import { createSecureContext, Server } from 'node:tls';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LOGGER, type Logger, Metrics, SETTINGS } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { readTlsFiles, type TlsContent, type TlsFiles, tlsFilesOf } from './tls-files.js';

/**
 * Reads certificate, key and client authorities again when the files change. Contents are compared, not dates: a mounted secret
 * changes by a link that is turned. New connections get the new certificate; those that are open stay as they are. Files
 * that do not fit together are refused loudly, and what was stays in use.
 */
@Injectable()
export class TlsReload implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly files: TlsFiles | undefined;
  private readonly outcomes;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private busy = false;
  /** Digest of what was looked at last, so that each content is judged and told of once. */
  private seen: string | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(Metrics) metrics: Metrics,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {
    this.files = tlsFilesOf(settings);
    this.outcomes = metrics.counter({
      name: 'token_tls_reloads_total',
      help: 'Changes of the TLS files, by whether they were taken or refused',
      labelNames: ['outcome'],
    });
  }

  onApplicationBootstrap(): void {
    const { files } = this;
    if (files === undefined) return;
    this.timer = setInterval(() => {
      if (this.busy) return;
      this.busy = true;
      this.looking = this.look(files).finally(() => (this.busy = false));
    }, this.settings.TLS_RELOAD_INTERVAL_MS);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private async look(files: TlsFiles): Promise<void> {
    try {
      const content = await readTlsFiles(files);
      const digest = digestOf(content);
      const before = this.seen;
      if (digest === before) return;
      this.seen = digest;
      this.take(content);
      // The first look finds what the server began with, or what came in the moment since: no news either way.
      if (before === undefined) return;
      this.outcomes.inc({ outcome: 'taken' });
      this.log.info({ step: 'tls-reloaded' }, 'the TLS certificate was read from its files');
    } catch (error) {
      this.outcomes.inc({ outcome: 'refused' });
      this.log.error(
        { err: error },
        'the TLS files cannot be used; the certificate from before stays in use',
      );
    }
  }

  private take(content: TlsContent): void {
    // Throws when the key is not the certificate's, or either is no PEM; the server has not been touched then.
    createSecureContext({ ...content });
    const server: unknown = this.adapter.httpAdapter.getHttpServer();
    if (!(server instanceof Server)) throw new TypeError('the token port is no TLS server');
    server.setSecureContext({ ...content, minVersion: 'TLSv1.2' });
  }
}

function digestOf({ cert, key, ca }: TlsContent): string {
  const hash = createHash('sha256');
  for (const part of [cert, key, ca ?? Buffer.alloc(0)]) hash.update(`${part.length} `).update(part);
  return hash.digest('base64');
}
