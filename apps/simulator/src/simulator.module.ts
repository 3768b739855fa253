import { Module, type DynamicModule } from '@nestjs/common';
import { LEAVE, Performance, SCENARIO, STEP_INPUT } from './performance.js';
import type { Settings } from './settings.js';
import { readScenario } from './stage/scenario-file.js';
import { checkPlayable } from './stage/playable.js';

/** The simulator: reads its scenario, then plays it. */
@Module({})
export class SimulatorModule {
  static async register(settings: Settings): Promise<DynamicModule> {
    const scenario = await readScenario(settings.SCENARIO);
    checkPlayable(scenario, settings);
    return {
      module: SimulatorModule,
      providers: [
        Performance,
        { provide: SCENARIO, useValue: scenario },
        { provide: STEP_INPUT, useValue: () => process.stdin },
        // The chassis ends a process in order when it is asked to by signal.
        { provide: LEAVE, useValue: () => process.kill(process.pid, 'SIGTERM') },
      ],
    };
  }
}
