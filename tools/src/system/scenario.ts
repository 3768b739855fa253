import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSettings, type SettingsDefinition } from '@ssb/platform';
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

/** `SCENARIO` of the simulator. A path is made absolute, as the simulator's working directory is another one. */
export function scenarioSetting(nameOrPath: string): string {
  return BARE_NAME.test(nameOrPath) ? nameOrPath : resolve(nameOrPath);
}

/** The file of a scenario. @throws NoScenarioError */
export function scenarioFile(nameOrPath: string): string {
  const file = BARE_NAME.test(nameOrPath) ? join(SCENARIOS, `${nameOrPath}.yaml`) : resolve(nameOrPath);
  if (!existsSync(file)) throw new NoScenarioError(nameOrPath);
  return file;
}

/** Options of the command line for the simulator, which validates their values. */
export interface SimulationOptions {
  readonly speed?: string;
  readonly seed?: string;
  readonly from?: string;
  readonly until?: string;
}

/** The simulator's settings for the options that are given. */
export function simulationSettings({ speed, seed, from, until }: SimulationOptions): Record<string, string> {
  const settings = { SPEED: speed, SEED: seed, FROM: from, UNTIL: until };
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/**
 * Validates with the simulator's own definition before anything starts, because the simulator starts last.
 * @throws NoScenarioError, SettingsError
 */
export async function checkSimulation(
  scenario: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  scenarioFile(scenario);
  const { definition } = (await import(join(REPOSITORY, 'apps/simulator/dist/src/settings.js'))) as {
    definition: SettingsDefinition;
  };
  const account = { TOKEN_CLIENT_ID: 'operator', TOKEN_CLIENT_SECRET: 'not made yet' };
  readSettings(definition, { ...account, SCENARIO: scenario, ...settings });
}
