import { Module, type DynamicModule } from '@nestjs/common';
import { ServerTlsReload } from '@ssb/platform';
import { OpenApiController } from '../openapi/openapi.controller.js';
import { Records } from '../records/records.js';
import type { Settings } from '../settings.js';
import { Callers } from '../tokens/callers.js';
import { TokenCheck } from '../tokens/token-check.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { Answer } from './answer.js';
import { Routes } from './routes.js';

/** The participants' port: the read-only interface of document 000, its description, and nothing else. */
@Module({})
export class ParticipantsModule {
  /** Shares the records and the token verifier of the operator's side. */
  static register(settings: Settings, records: Records, tokens: TokenVerifier): DynamicModule {
    return {
      module: ParticipantsModule,
      controllers: [OpenApiController],
      providers: [
        Answer,
        Callers,
        Routes,
        TokenCheck,
        ServerTlsReload.provider('reporting', () => settings.TLS_RELOAD_INTERVAL_MS),
        { provide: Records, useValue: records },
        { provide: TokenVerifier, useValue: tokens },
      ],
    };
  }
}
