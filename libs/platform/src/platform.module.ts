import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, type Logger } from './logging/logger.js';
import { Degradations } from './observability/degradations.js';
import { Liveness } from './observability/liveness.js';
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
  readonly liveness: Liveness;
  readonly degradations: Degradations;
}

/** Provides settings, logger, metrics and readiness to every module of an app. */
@Module({})
export class PlatformModule {
  static register({
    settings,
    log,
    metrics,
    readiness,
    liveness,
    degradations,
  }: PlatformContext): DynamicModule {
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: log },
      { provide: Metrics, useValue: metrics },
      { provide: Readiness, useValue: readiness },
      { provide: Liveness, useValue: liveness },
      { provide: Degradations, useValue: degradations },
    ];
    return {
      module: PlatformModule,
      global: true,
      providers,
      exports: providers,
    };
  }
}
