import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { ServerTlsReload } from '@ssb/platform';
import { ClientCertificates } from '../access/client-certificates.js';
import { FaultInjectionHook } from '../faults/fault-injection.hook.js';
import { OpenApiController } from '../openapi/openapi.controller.js';
import type { Settings } from '../settings.js';
import { OperationMetrics } from './operation-metrics.js';
import { OperationResponder } from './operation-responder.js';
import { PrudentialController } from './prudential.controller.js';
import { SettlementController } from './settlement.controller.js';
import { UnknownAddressHook } from './unknown-address.hook.js';

/** The participants' port: the read-only interface of document 000, its description, and fault injection. */
@Module({})
export class ParticipantsModule {
  /** @param shared `RecordStore`, `TokenVerifier` and `ActiveFaults` of the operator's module */
  static register(settings: Settings, shared: readonly Provider[]): DynamicModule {
    return {
      module: ParticipantsModule,
      controllers: [PrudentialController, SettlementController, OpenApiController],
      providers: [
        ...shared,
        ClientCertificates,
        OperationMetrics,
        OperationResponder,
        // Hooks run in this order: the response to an unknown address is sent before faults apply.
        UnknownAddressHook,
        FaultInjectionHook,
        ServerTlsReload.provider('reporting', () => settings.TLS_RELOAD_INTERVAL_MS),
      ],
    };
  }
}
