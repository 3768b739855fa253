import { Module, type DynamicModule } from '@nestjs/common';
import { HealthController } from './http/health.controller.js';
import { LOGGER, type Logger } from './logging/logger.js';
import { Metrics } from './observability/metrics.js';
import { Readiness } from './observability/readiness.js';

/** Injection token of the app's parsed settings. */
export const SETTINGS = Symbol('SETTINGS');

export interface PlatformParts {
  readonly settings: unknown;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
}

/** What every app injects: settings, logger, metrics, readiness. */
@Module({})
export class PlatformModule {
  static register(parts: PlatformParts, { health }: { health: boolean }): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: parts.settings },
      { provide: LOGGER, useValue: parts.log },
      { provide: Metrics, useValue: parts.metrics },
      { provide: Readiness, useValue: parts.readiness },
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
