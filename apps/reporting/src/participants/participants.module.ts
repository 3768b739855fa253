import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { ServerTlsReload } from '@ssb/platform';
import { FaultInjection } from '../faults/fault-injection.hook.js';
import { OpenApiController } from '../openapi/openapi.controller.js';
import type { Settings } from '../settings.js';
import { Callers } from '../access/client-certificates.js';
import { Answer } from './answer.js';
import { Routes } from './routes.js';

/** The participants' port: the read-only interface of document 000, its description, and the faults that are injected there. */
@Module({})
export class ParticipantsModule {
  /** @param shared `Records`, `TokenVerifier` and `ActiveFaults` of the operator's side */
  static register(settings: Settings, shared: readonly Provider[]): DynamicModule {
    return {
      module: ParticipantsModule,
      controllers: [OpenApiController],
      providers: [
        ...shared,
        Answer,
        Callers,
        // Nest initialises providers in this order. `Routes` registers its 404 hook before the hooks of `FaultInjection`.
        Routes,
        FaultInjection,
        ServerTlsReload.provider('reporting', () => settings.TLS_RELOAD_INTERVAL_MS),
      ],
    };
  }
}
