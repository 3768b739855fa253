import { join, resolve } from 'node:path';
import { REPOSITORY } from './app-process.js';

/** The simulator's own rule: a bare name is one of its scenarios, anything else is a path. */
const BARE_NAME = /^[a-z-]+$/;

/** What the simulator is told to play; a path is made absolute, as its working directory is not ours. */
export function scenarioSetting(nameOrPath: string): string {
  return BARE_NAME.test(nameOrPath) ? nameOrPath : resolve(nameOrPath);
}

/** The file of a scenario. */
export function scenarioFile(nameOrPath: string): string {
  return BARE_NAME.test(nameOrPath)
    ? join(REPOSITORY, 'apps/simulator/scenarios', `${nameOrPath}.yaml`)
    : resolve(nameOrPath);
}
