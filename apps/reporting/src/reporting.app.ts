import type { Provider } from '@nestjs/common';
import { managementAddress, readServerTls, type AppOptions } from '@ssb/platform';
import { ActiveFaults } from './faults/active-faults.js';
import { OperatorModule } from './operator/operator.module.js';
import { failures } from './failures.js';
import { ParticipantsModule } from './participants/participants.module.js';
import { RecordStore } from './records/record-store.js';
import { definition } from './settings.js';
import { TokenVerifier } from './access/token-verifier.js';

/** Providers of the operator's module that both ports share. */
const SHARED = [RecordStore, TokenVerifier, ActiveFaults];

/** Two ports beside the management port: the operator API, and the participants' port, which serves document 000 only. */
export const app: AppOptions<typeof definition> = {
  name: 'reporting',
  definition,
  errorResponder: failures,
  unknownFields: 'refuse',
  module: (settings) => OperatorModule.register(settings),
  http: (settings) => ({ port: settings.OPERATOR_PORT }),
  management: managementAddress,
  secondaryServers: async (settings, operator) => [
    {
      module: ParticipantsModule.register(
        settings,
        SHARED.map((provide): Provider => ({ provide, useValue: operator.get<unknown>(provide) })),
      ),
      // The handshake refuses a client without a certificate of CLIENT_CA_FILE (document 000, Authentication).
      http: {
        port: settings.PORT,
        https: { ...(await readServerTls(settings)), requestCert: true, rejectUnauthorized: true },
      },
    },
  ],
};
