import type { Provider } from '@nestjs/common';
import { ConfigurationError, LOGGER, Metrics, OutgoingConnections, type Logger } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { AccessFile } from './access-file.js';
import { AccessMonitoring } from './access-monitoring.js';
import { Authenticator } from './authenticator.js';
import { CallerLimits } from './caller-limits.js';
import { ISSUER_CONNECTION, OpenIdConnect } from './openid-connect/openid-connect.js';
import { ConsoleKey } from './sessions/console-key.js';
import { Sessions } from './sessions/sessions.js';

/** Providers of `Authenticator` and of what `AccessGuard` needs. @throws ConfigurationError, or the file system's error */
export async function accessProviders(settings: Settings, log: Logger): Promise<Provider[]> {
  const file = await AccessFile.open(settings, log);
  requireIssuer(settings, file);
  return [
    { provide: AccessFile, useValue: file },
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
    ConsoleKey,
    Sessions,
    Authenticator,
    CallerLimits,
    AccessMonitoring,
  ];
}

/** A file that loses its issuer later ends the sessions of the issuer. */
function requireIssuer(
  { OPENID_CONNECT_CLIENT_ID: clientId, API_ACCESS_FILE: path }: Settings,
  file: AccessFile,
): void {
  if (clientId !== undefined && file.current().openIdConnect === undefined)
    throw new ConfigurationError(
      `OPENID_CONNECT_CLIENT_ID is set, but ${path} has no openIdConnect with the issuer. Add it, or unset OPENID_CONNECT_CLIENT_ID.`,
    );
}
