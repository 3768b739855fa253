import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { OperatorConfigFile } from '@ssb/config';
import { LOGGER, ServerTlsReload, SETTINGS, type Logger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { accessProviders } from './access/access-providers.js';
import { AccessGuard } from './access/access.guard.js';
import { AuditModule } from './audit/audit.module.js';
import { ParticipantSettings } from './configuration/participant-settings.js';
import { ArchiveReadiness } from './database/archive-readiness.js';
import { BackfillsModule } from './backfills/backfills.module.js';
import { CallerModule } from './caller/caller.module.js';
import { DeadLettersModule } from './dead-letters/dead-letters.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { DocumentsModule } from './documents/documents.module.js';
import { EvidenceModule } from './evidence/evidence.module.js';
import { EventsModule } from './events/events.module.js';
import { RequestMetrics } from './http/request-metrics.js';
import { OpenItemsModule } from './open-items/open-items.module.js';
import { ApiDocument } from './openapi/api-document.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { RequestGuard } from './openapi/request.guard.js';
import { ProblemsModule } from './problems/problems.module.js';
import { QuarantineModule } from './quarantine/quarantine.module.js';
import { RequestsModule } from './requests/requests.module.js';
import { SilencesModule } from './silences/silences.module.js';
import { PositionsModule } from './positions/positions.module.js';
import { SettlementModule } from './settlement/settlement.module.js';
import { openConfig, type Settings } from './settings.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SinksModule } from './sinks/sinks.module.js';
import { StatusModule } from './status/status.module.js';

/** One module for each part of the API. */
export const API_FEATURES = [
  AuditModule,
  BackfillsModule,
  CallerModule,
  DeadLettersModule,
  DeliveriesModule,
  DocumentsModule,
  EventsModule,
  EvidenceModule,
  OpenItemsModule,
  ProblemsModule,
  QuarantineModule,
  RequestsModule,
  SilencesModule,
  SinksModule,
  StatusModule,
  PositionsModule,
  SettlementModule,
];

/** A listing that takes longer is ended, so that readers do not slow the subscriber. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** Composes the process: each feature module reads the archive and serves one part of the API. */
@Module({})
export class ApiModule implements OnApplicationShutdown {
  /** @throws ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const providers = [
      ...(await accessProviders(settings, log)),
      { provide: OperatorConfigFile, useValue: await openConfig(settings, log) },
      ParticipantSettings,
      {
        provide: Database,
        inject: [SETTINGS, LOGGER],
        useFactory: openArchiveDatabase,
      },
    ];
    return {
      module: ApiModule,
      global: true,
      imports: [...API_FEATURES, SignInModule],
      controllers: [OpenApiController],
      providers: [
        ...providers,
        ApiDocument,
        // After the credentials, so that a caller without any gets 401.
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: RequestGuard },
        ArchiveReadiness,
        RequestMetrics,
        ServerTlsReload.provider('api', ({ TLS_RELOAD_INTERVAL_MS }: Settings) => TLS_RELOAD_INTERVAL_MS),
      ],
      exports: providers,
    };
  }

  constructor(private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

/** The role api reads, and adds requests. */
function openArchiveDatabase(settings: Settings, log: Logger): Database {
  return new Database({
    url: settings.DATABASE_URL,
    schema: SCHEMA,
    connections: settings.DATABASE_CONNECTIONS,
    timeouts: { statementMs: STATEMENT_TIMEOUT_MS },
    onConnectionEvent: ({ what, reason }) => log.warn({ what, reason }, 'database connection changed'),
  });
}
