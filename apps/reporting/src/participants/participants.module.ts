import { Module, type DynamicModule } from '@nestjs/common';
import { Records } from '../records/records.js';
import { TokenCheck } from '../tokens/token-check.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { Answer } from './answer.js';
import { PrudentialController } from './prudential.controller.js';
import { SettlementController } from './settlement.controller.js';

/** The participants' port: the read-only interface of document 000 and nothing else. */
@Module({})
export class ParticipantsModule {
  /** Shares the records and the token verifier of the operator's side. */
  static register(records: Records, tokens: TokenVerifier): DynamicModule {
    return {
      module: ParticipantsModule,
      controllers: [PrudentialController, SettlementController],
      providers: [
        Answer,
        TokenCheck,
        { provide: Records, useValue: records },
        { provide: TokenVerifier, useValue: tokens },
      ],
    };
  }
}
