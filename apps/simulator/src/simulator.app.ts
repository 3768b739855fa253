import { Module, type DynamicModule } from '@nestjs/common';
import type { AppOptions } from '@ssb/platform';
import { checkSettings, readScenario } from './scenario-files.js';
import { definition, type Settings } from './settings.js';
import { EXIT, SCENARIO, SimulationRunner, STEP_INPUT } from './simulation/simulation-runner.js';

@Module({})
class SimulatorModule {
  static async register(settings: Settings): Promise<DynamicModule> {
    const scenario = await readScenario(settings.SCENARIO);
    checkSettings(scenario, settings);
    return {
      module: SimulatorModule,
      providers: [
        SimulationRunner,
        { provide: SCENARIO, useValue: scenario },
        { provide: STEP_INPUT, useValue: () => process.stdin },
        // The signal starts a graceful shutdown.
        { provide: EXIT, useValue: () => process.kill(process.pid, 'SIGTERM') },
      ],
    };
  }
}

/** Simulates a market for the reporting API. Its port serves health and metrics only. */
export const simulatorApp: AppOptions<typeof definition> = {
  name: 'simulator',
  definition,
  module: (settings) => SimulatorModule.register(settings),
  http: (settings) => ({ port: settings.PORT }),
};
