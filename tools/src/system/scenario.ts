import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { REPOSITORY } from './app-process.js';

/** There is no such scenario. */
export class NoScenarioError extends Error {
  override readonly name = 'NoScenarioError';

  constructor(readonly scenario: string) {
    super(`There is no scenario ${scenario}. Name a YAML file, or one of: ${scenarioNames().join(', ')}.`);
  }
}

const SCENARIOS = join(REPOSITORY, 'apps/simulator/scenarios');

/** The scenarios that come with the simulator, by name. */
export function scenarioNames(): string[] {
  const files = readdirSync(SCENARIOS).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => file.slice(0, -'.yaml'.length)).sort();
}

/** The simulator's own rule: a bare name is one of its scenarios, anything else is a path. */
const BARE_NAME = /^[a-z-]+$/;

/** What the simulator is told to play; a path is made absolute, as its working directory is not ours. */
export function scenarioSetting(nameOrPath: string): string {
  return BARE_NAME.test(nameOrPath) ? nameOrPath : resolve(nameOrPath);
}

/** The file of a scenario. @throws NoScenarioError */
export function scenarioFile(nameOrPath: string): string {
  const file = BARE_NAME.test(nameOrPath) ? join(SCENARIOS, `${nameOrPath}.yaml`) : resolve(nameOrPath);
  if (!existsSync(file)) throw new NoScenarioError(nameOrPath);
  return file;
}
