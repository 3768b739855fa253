import type { AppOptions } from '@ssb/platform';
import { definition } from './settings.js';
import { SimulatorModule } from './simulator.module.js';

/** Plays a market into the reporting API; its one port serves health and metrics. */
export const app: AppOptions<typeof definition> = {
  name: 'simulator',
  definition,
  module: (settings) => SimulatorModule.register(settings),
  http: (settings) => ({ port: settings.PORT }),
};
