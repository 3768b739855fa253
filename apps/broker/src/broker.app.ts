import type { AppOptions } from '@ssb/platform';
import { busAnswers } from './errors/error-responses.js';
import { BrokerModule } from './broker.module.js';
import { definition, LARGEST_MESSAGE } from './settings.js';

/** JSON may write a byte of the payload as two (a quote, a line feed); the rest of the body is small. */
const BODY_LIMIT = 2 * LARGEST_MESSAGE + 65_536;

/** The broker as a process runs it and as a test builds it. */
export const broker: AppOptions<typeof definition> = {
  name: 'broker',
  definition,
  unknownFields: 'ignore',
  module: (settings) => BrokerModule.open(settings),
  http: (settings) => ({ port: settings.PORT, bodyLimit: BODY_LIMIT }),
  failures: busAnswers,
};
