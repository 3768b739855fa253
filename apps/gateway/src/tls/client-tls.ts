import { createSecureContext } from 'node:tls';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  ConfigurationError,
  FileWatcher,
  LOGGER,
  assertCertificate,
  SETTINGS,
  type Logger,
} from '@ssb/platform';
import type { Settings } from '../settings.js';
import { ClientCertificates } from './client-certificates.js';

/** TLS options of a client connection: trusted authority, own certificate and key. */
export interface ClientTlsContent {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface ClientTlsOptions {
  /** The server, for the log: `broker`. */
  readonly server: string;
  /** Prefix of the settings, for errors: `BROKER` of `BROKER_CA_FILE`. */
  readonly settingsPrefix: string;
  /** Paths of the PEM files. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly intervalMs: number;
  readonly log: Logger;
}

/**
 * The certificates of connections that the gateway opens, reloaded when their files change.
 * While new files do not match, the previous certificates stay in use.
 */
export class ClientTls {
  private content: ClientTlsContent = {};
  private readonly files: FileWatcher | undefined;

  /** @throws ConfigurationError when only one of certificate and key is set */
  constructor({ server, settingsPrefix, ca, cert, key, intervalMs, log }: ClientTlsOptions) {
    if ((cert === undefined) !== (key === undefined)) {
      throw new ConfigurationError(
        `${settingsPrefix}_CERT_FILE and ${settingsPrefix}_KEY_FILE go together: set both, or neither.`,
      );
    }
    const files = Object.entries({ ca, cert, key }).flatMap(([name, path]) => (path ? [{ name, path }] : []));
    if (files.length === 0) return;
    this.files = new FileWatcher({
      paths: files.map(({ path }) => path),
      intervalMs,
      apply: (contents) => {
        const content = Object.fromEntries(files.map(({ name }, index) => [name, contents[index]]));
        files.forEach(({ name, path }, index) => {
          if (name !== 'key') assertCertificate(path, contents[index] ?? '');
        });
        assertUsable(settingsPrefix, content);
        this.content = content;
      },
      onApplied: () => log.info({ of: server }, 'client certificates reloaded'),
      onRefused: (error) => log.error({ of: server, err: error }, 'client certificate reload failed'),
    });
  }

  /** @throws ConfigurationError, or the file system's error */
  async start(): Promise<void> {
    await this.files?.start();
  }

  async stop(): Promise<void> {
    await this.files?.stop();
  }

  get current(): ClientTlsContent {
    return this.content;
  }
}

/** @throws ConfigurationError when the key is not the certificate's, or is not PEM */
function assertUsable(settingsPrefix: string, content: ClientTlsContent): void {
  try {
    createSecureContext(content);
  } catch (cause) {
    throw new ConfigurationError(
      `${settingsPrefix}_KEY_FILE is not the private key of the certificate in ${settingsPrefix}_CERT_FILE.`,
      { cause },
    );
  }
}

/** The certificates of the connections to the broker. */
@Injectable()
export class BrokerTls extends ClientTls implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) log: Logger,
    certificates: ClientCertificates,
  ) {
    super({
      server: 'broker',
      settingsPrefix: 'BROKER',
      ca: settings.BROKER_CA_FILE,
      cert: settings.BROKER_CERT_FILE,
      key: settings.BROKER_KEY_FILE,
      intervalMs: settings.TLS_RELOAD_INTERVAL_MS,
      log,
    });
    certificates.observe('broker', () => this.current.cert);
  }

  async onModuleInit(): Promise<void> {
    await this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}
