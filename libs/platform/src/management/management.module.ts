import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from '../observability/health.controller.js';
import type { tlsReloadSettings } from '../settings/connection-settings.js';
import type { SettingsOf } from '../settings/settings.js';
import type { ServerTlsSettings } from '../tls/server-tls.js';
import { ServerTlsReload } from '../tls/server-tls-reload.js';
import { ManagementAccess } from './management-access.js';

/** The management addresses: liveness, readiness, report and metrics, with the renewal of the port's certificate. */
@Module({})
export class ManagementModule {
  static register(access: ManagementAccess): DynamicModule {
    return {
      module: ManagementModule,
      // Controllers of an app without an interface are protected as well.
      global: true,
      exports: [ManagementAccess],
      controllers: [HealthController],
      providers: [
        { provide: ManagementAccess, useValue: access },
        ServerTlsReload.provider(
          'management',
          (settings: ServerTlsSettings & SettingsOf<typeof tlsReloadSettings>) =>
            settings.TLS_RELOAD_INTERVAL_MS,
          'MANAGEMENT_',
        ),
      ],
    };
  }
}
