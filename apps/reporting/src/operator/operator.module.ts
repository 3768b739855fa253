import { Module, type DynamicModule } from '@nestjs/common';
import { recordsProviders } from '../records/records.providers.js';
import type { Settings } from '../settings.js';
import { remoteKeys } from '../tokens/keys.js';
import { TokenCheck } from '../tokens/token-check.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { troubleBoard } from '../trouble/trouble-board.provider.js';
import { Admission } from './admission.js';
import { Bodies } from './bodies.js';
import { Door } from './door.js';
import { OperatorController } from './operator.controller.js';
import { Shelf } from './shelf.js';
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
        Door,
        Shelf,
        TokenCheck,
        Admission,
        Bodies,
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
