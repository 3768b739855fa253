import { createSecureContext } from 'node:tls';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, SETTINGS, WatchedFiles, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';

/** What the gateway shows a server, and whom it believes, as Node's TLS takes it. */
export interface ClientTlsContent {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface ClientTlsOptions {
  /** The server, for the log: `broker`. */
  readonly of: string;
  /** Files by the settings that name them; the prefix of these is for errors: `BROKER` of `BROKER_CA_FILE`. */
  readonly prefix: string;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly intervalMs: number;
  readonly log: Logger;
}

/**
 * The certificates of a way on which the gateway is the client: the server's authority, and its own where the server asks for one. The
 * files are read again when they change; a new connection takes what is current then. Files that do not fit together are refused, and
 * the old ones stay.
 */
export class ClientTls {
  private content: ClientTlsContent = {};
  private readonly files: WatchedFiles | undefined;

  /** @throws Error when certificate or key is named alone */
  constructor({ of, prefix, ca, cert, key, intervalMs, log }: ClientTlsOptions) {
    if ((cert === undefined) !== (key === undefined)) {
      throw new Error(`${prefix}_CERT_FILE and ${prefix}_KEY_FILE go together: set both, or neither.`);
    }
    const named = Object.entries({ ca, cert, key }).flatMap(([part, path]) => (path ? [{ part, path }] : []));
    if (named.length === 0) return;
    this.files = new WatchedFiles({
      paths: named.map(({ path }) => path),
      intervalMs,
      take: (contents) => {
        const content = Object.fromEntries(named.map(({ part }, index) => [part, contents[index]]));
        // Throws when the key is not the certificate's, or one of them is no PEM.
        createSecureContext(content);
        this.content = content;
      },
      changed: () =>
        log.info({ step: 'client-tls-reloaded', of }, `changed certificates for the ${of} are in use`),
      refused: (error) =>
        log.error(
          { err: error },
          `changed certificates for the ${of} cannot be used, the old ones stay in use`,
        ),
    });
  }

  /** @throws the file system's error, or TLS's when the files do not fit together */
  async start(): Promise<void> {
    await this.files?.start();
  }

  async stop(): Promise<void> {
    await this.files?.stop();
  }

  /** For the connection that is opened next. */
  get current(): ClientTlsContent {
    return this.content;
  }
}

/** The certificates of the connections to the broker. */
@Injectable()
export class BrokerTls extends ClientTls implements OnModuleInit, OnApplicationShutdown {
  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) log: Logger) {
    super({
      of: 'broker',
      prefix: 'BROKER',
      ca: settings.BROKER_CA_FILE,
      cert: settings.BROKER_CERT_FILE,
      key: settings.BROKER_KEY_FILE,
      intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
      log,
    });
  }

  async onModuleInit(): Promise<void> {
    await this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}
