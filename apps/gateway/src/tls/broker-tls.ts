import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { ClientTls } from './client-tls.js';

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

  onApplicationShutdown(): void {
    this.stop();
  }
}
