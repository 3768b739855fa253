import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import { remoteKeys } from '../access/signing-keys.js';
import { TokenVerifier } from '../access/token-verifier.js';
import { ActiveFaults } from '../faults/active-faults.js';
import { FaultsController } from '../faults/faults.controller.js';
import { OpenApiController } from '../openapi/openapi.controller.js';
import { recordsProviders } from '../records/records.providers.js';
import type { Settings } from '../settings.js';
import { OperatorAccessHook } from './operator-access.hook.js';
import { RecordIngestService } from './record-ingest.service.js';
import { RecordQueryService } from './record-query.service.js';
import { RecordsController } from './records.controller.js';

/** The operator API, and the providers that both ports share. */
@Module({})
export class OperatorModule {
  static register(settings: Settings): DynamicModule {
    const { JWKS_URL, JWKS_CA_FILE, TOKEN_ISSUER, TOKEN_AUDIENCE } = settings;
    return {
      module: OperatorModule,
      controllers: [RecordsController, FaultsController, OpenApiController],
      providers: [
        RecordIngestService,
        RecordQueryService,
        OperatorAccessHook,
        ActiveFaults,
        ...recordsProviders(settings),
        {
          provide: TokenVerifier,
          useFactory: (log: Logger) =>
            new TokenVerifier(remoteKeys(JWKS_URL, JWKS_CA_FILE), TOKEN_ISSUER, TOKEN_AUDIENCE, log),
          inject: [LOGGER],
        },
      ],
    };
  }
}
