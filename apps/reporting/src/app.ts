import { readServerTls, type AppOptions } from '@ssb/platform';
import { OpenApiModule } from './openapi/openapi.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { failures } from './participants/failures.js';
import { ParticipantsModule } from './participants/participants.module.js';
import { Records } from './records/records.js';
import { definition } from './settings.js';
import { TokenVerifier } from './tokens/token-verifier.js';
import { TroubleBoard } from './trouble/trouble-board.js';
import { TroubleModule } from './trouble/trouble.module.js';

/** Two ports: the operator's door with health and metrics, and the participants' own, which serves the API alone. */
export const app: AppOptions<typeof definition> = {
  name: 'reporting',
  definition,
  failures,
  unknownFields: 'refuse',
  module: (settings) => OpenApiModule.beside(OperatorModule.register(settings)),
  http: (settings) => ({ port: settings.OPERATOR_PORT }),
  companions: async (settings, operator) => [
    {
      module: TroubleModule.around(
        ParticipantsModule.register(settings, operator.get(Records), operator.get(TokenVerifier)),
        operator.get(TroubleBoard),
      ),
      // The handshake refuses a client without a certificate of CLIENT_CA_FILE (document 000, Authentication).
      http: {
        port: settings.PORT,
        https: { ...(await readServerTls(settings)), requestCert: true, rejectUnauthorized: true },
      },
    },
  ],
};
