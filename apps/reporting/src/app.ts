import type { AppOptions } from '@ssb/platform';
import { OperatorModule } from './operator/operator.module.js';
import { ParticipantsModule } from './participants/participants.module.js';
import { participantsTls } from './participants/tls.js';
import { Records } from './records/records.js';
import { definition } from './settings.js';
import { TokenVerifier } from './tokens/token-verifier.js';

/** Statements of many participants and days: the public notes speak of payloads up to 10 MB. */
const LARGEST_LOAD = 10 * 1024 * 1024;

/** Two ports: the operator's door with health and metrics, and the participants' own, which serves the API alone. */
export const app: AppOptions<typeof definition> = {
  name: 'reporting',
  definition,
  module: (settings) => OperatorModule.register(settings),
  http: (settings) => ({ port: settings.OPERATOR_PORT, bodyLimit: LARGEST_LOAD }),
  companions: (settings, operator) => [
    {
      module: ParticipantsModule.register(operator.get(Records), operator.get(TokenVerifier)),
      http: { port: settings.PORT, https: participantsTls(settings) },
    },
  ],
};
