import { Module, type DynamicModule } from '@nestjs/common';
import { recordsProviders } from '../records/records.providers.js';
import type { Settings } from '../settings.js';
import { remoteKeys } from '../tokens/keys.js';
import { TokenCheck } from '../tokens/token-check.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { troubleBoard } from '../trouble/trouble-board.provider.js';
import { Admission } from './admission.js';
import { OperatorController } from './operator.controller.js';
import { RecordIngestService } from './record-ingest.service.js';
import { RecordQueryService } from './record-query.service.js';
import { TroublesController } from './troubles.controller.js';

/** The operator's side: the door that records come in by, and what both sides share. */
@Module({})
export class OperatorModule {
  static register(settings: Settings): DynamicModule {
    const { JWKS_URL, JWKS_CA_FILE, TOKEN_ISSUER, TOKEN_AUDIENCE } = settings;
    return {
      module: OperatorModule,
      controllers: [OperatorController, TroublesController],
      providers: [
        RecordIngestService,
        RecordQueryService,
        TokenCheck,
        Admission,
        troubleBoard,
        ...recordsProviders(settings),
        {
          provide: TokenVerifier,
          useFactory: () =>
            new TokenVerifier(remoteKeys(JWKS_URL, JWKS_CA_FILE), TOKEN_ISSUER, TOKEN_AUDIENCE),
        },
      ],
    };
  }
}
