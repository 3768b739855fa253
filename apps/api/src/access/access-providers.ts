import type { Provider } from '@nestjs/common';
import { LOGGER, Metrics, OutgoingConnections, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { AccessFile } from './access-file.js';
import { AccessMonitoring } from './access-monitoring.js';
import { Authenticator } from './authenticator.js';
import { CallerLimits } from './caller-limits.js';
import { ISSUER_CONNECTION, OpenIdConnect } from './openid-connect/openid-connect.js';

/** Providers of `Authenticator` and of what `AccessGuard` needs. @throws AccessFileError, or the file system's error */
export async function accessProviders(settings: Settings, log: Logger): Promise<Provider[]> {
  return [
    { provide: AccessFile, useValue: await AccessFile.open(settings, log) },
    {
      provide: OutgoingConnections,
      inject: [Metrics, LOGGER],
      useFactory: (metrics: Metrics, logger: Logger) =>
        new OutgoingConnections({ app: 'api', settings, metrics, log: logger }),
    },
    {
      provide: ISSUER_CONNECTION,
      inject: [OutgoingConnections],
      useFactory: (connections: OutgoingConnections) =>
        connections.open('openid-connect', { ca: settings.OPENID_CONNECT_CA_FILE }),
    },
    OpenIdConnect,
    Authenticator,
    CallerLimits,
    AccessMonitoring,
  ];
}
