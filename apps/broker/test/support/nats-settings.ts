import { createLogger, type Logger } from '@ssb/platform';
import type { NatsSettings } from '../../src/storage/nats/connect-nats.js';

export const quiet: Logger = createLogger({ name: 'test', level: 'silent', format: 'json' });

/** The NATS settings of a broker in production. */
export function natsSettings(url: string, more: Partial<NatsSettings> = {}): NatsSettings {
  return {
    NODE_ENV: 'production',
    NATS_URL: [url],
    NATS_CA_FILE: undefined,
    ...more,
  };
}
