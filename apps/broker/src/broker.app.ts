import { managementAddress, type AppOptions } from '@ssb/platform';
import { BrokerModule } from './broker.module.js';
import { busErrorResponses } from './errors/error-responses.js';
import { RESPONSE_FORMATS } from './messages/response-format.js';
import { definition, MAX_PAYLOAD_BYTES } from './settings.js';

/** JSON may escape a byte of the payload as two. The rest of the body is small. */
const BODY_LIMIT = 2 * MAX_PAYLOAD_BYTES + 65_536;

/** Builds the broker for its process and for tests. */
export const broker: AppOptions<typeof definition> = {
  name: 'broker',
  definition,
  unknownFields: 'ignore',
  module: (settings) => BrokerModule.open(settings),
  http: (settings) => ({ port: settings.PORT, bodyLimit: BODY_LIMIT }),
  management: managementAddress,
  errorResponder: (log, _metrics, { BROKER_COMPATIBILITY }) =>
    busErrorResponses(log, RESPONSE_FORMATS[BROKER_COMPATIBILITY]),
};
