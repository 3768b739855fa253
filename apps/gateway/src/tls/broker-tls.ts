import { createSecureContext } from 'node:tls';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, SETTINGS, WatchedFiles, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';

/** What the gateway shows the broker, and whom it believes, as Node's TLS takes it. */
export interface BrokerTlsContent {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * The certificates of the way to the broker: its authority, and the gateway's own where the broker asks for one. The files are read
 * again when they change; a new connection takes what is current then. Files that do not fit together are refused, the old stay.
 */
@Injectable()
export class BrokerTls implements OnModuleInit, OnApplicationShutdown {
  private content: BrokerTlsContent = {};
  private readonly files: WatchedFiles | undefined;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) log: Logger) {
    const { BROKER_CA_FILE: ca, BROKER_CERT_FILE: cert, BROKER_KEY_FILE: key } = settings;
    if ((cert === undefined) !== (key === undefined)) {
      throw new Error('BROKER_CERT_FILE and BROKER_KEY_FILE go together: set both, or neither.');
    }
    const named = Object.entries({ ca, cert, key }).flatMap(([part, path]) => (path ? [{ part, path }] : []));
    if (named.length === 0) return;
    this.files = new WatchedFiles({
      paths: named.map(({ path }) => path),
      intervalMs: settings.FILES_RELOAD_INTERVAL_MS,
      take: (contents) => {
        const content = Object.fromEntries(named.map(({ part }, index) => [part, contents[index]]));
        // Throws when the key is not the certificate's, or one of them is no PEM.
        createSecureContext(content);
        this.content = content;
      },
      changed: () =>
        log.info({ step: 'broker-tls-reloaded' }, 'changed certificates for the broker are in use'),
      refused: (error) =>
        log.error(
          { err: error },
          'changed certificates for the broker cannot be used, the old ones stay in use',
        ),
    });
  }

  async onModuleInit(): Promise<void> {
    await this.files?.start();
  }

  onApplicationShutdown(): void {
    this.files?.stop();
  }

  /** For the connection that is opened next. */
  get current(): BrokerTlsContent {
    return this.content;
  }
}
