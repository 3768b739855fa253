import { Module, type DynamicModule } from '@nestjs/common';
import { OpenApiController } from '../openapi/openapi.controller.js';
import { Records } from '../records/records.js';
import type { Settings } from '../settings.js';
import { Callers } from '../tokens/callers.js';
import { TokenCheck } from '../tokens/token-check.js';
import { TokenVerifier } from '../tokens/token-verifier.js';
import { TrustedProxies } from '../tokens/trusted-proxies.js';
import { Answer } from './answer.js';
import { MapReload } from './map-reload.js';
import { Routes } from './routes.js';
import { TlsReload } from './tls-reload.js';

/** The participants' port: the read-only interface of document 000, its description, and nothing else. */
@Module({})
export class ParticipantsModule {
  /** Shares the records and the token verifier of the operator's side. */
  static register(settings: Settings, records: Records, tokens: TokenVerifier): DynamicModule {
    const callers = new Callers({
      place: settings.PARTICIPANT_FROM,
      form: settings.PARTICIPANT_FORM,
      proxies: new TrustedProxies(settings.TRUSTED_PROXIES),
      participantHeader: settings.PROXY_PARTICIPANT_HEADER,
      thumbprintHeader: settings.PROXY_THUMBPRINT_HEADER,
    });
    return {
      module: ParticipantsModule,
      controllers: [OpenApiController],
      providers: [
        Answer,
        Routes,
        TokenCheck,
        TlsReload,
        MapReload,
        { provide: Callers, useValue: callers },
        { provide: Records, useValue: records },
        { provide: TokenVerifier, useValue: tokens },
      ],
    };
  }
}
