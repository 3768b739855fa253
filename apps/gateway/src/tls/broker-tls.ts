import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { ClientTls, type ClientTlsContent } from './client-tls.js';

export type BrokerTlsContent = ClientTlsContent;

/** The certificates of the way to the broker. */
@Injectable()
export class BrokerTls implements OnModuleInit, OnApplicationShutdown {
  private readonly files: ClientTls;

  constructor(@Inject(SETTINGS) settings: Settings, @Inject(LOGGER) log: Logger) {
    this.files = new ClientTls({
      of: 'broker',
      prefix: 'BROKER',
      ca: settings.BROKER_CA_FILE,
      cert: settings.BROKER_CERT_FILE,
      key: settings.BROKER_KEY_FILE,
      intervalMs: settings.FILES_RELOAD_INTERVAL_MS,
      log,
    });
  }

  async onModuleInit(): Promise<void> {
    await this.files.start();
  }

  onApplicationShutdown(): void {
    this.files.stop();
  }

  /** For the connection that is opened next. */
  get current(): ClientTlsContent {
    return this.files.current;
  }
}
