import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, type Logger } from './logging/logger.js';
import { HealthController } from './observability/health.controller.js';
import { Metrics } from './observability/metrics.js';
import { Readiness } from './observability/readiness.js';

/** Injection token of the app's parsed settings. */
export const SETTINGS = Symbol('SETTINGS');

/** What all servers of one process share. */
export interface PlatformContext {
  readonly settings: unknown;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** Provides settings, logger, metrics and readiness to every module of an app. */
@Module({})
export class PlatformModule {
  static register(
    { settings, log, metrics, readiness }: PlatformContext,
    { health }: { health: boolean },
  ): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: log },
      { provide: Metrics, useValue: metrics },
      { provide: Readiness, useValue: readiness },
    ];
    return {
      module: PlatformModule,
      global: true,
      controllers: health ? [HealthController] : [],
      providers,
      exports: providers,
    };
  }
}
