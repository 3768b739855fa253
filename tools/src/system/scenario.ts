import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSettings } from '@ssb/platform';
import type { Scenario } from '../../../apps/simulator/dist/src/domain/scenario/scenario.js';
import { REPOSITORY_ROOT } from './processes.js';

/** The scenario does not exist. */
export class ScenarioNotFoundError extends Error {
  override readonly name = 'ScenarioNotFoundError';

  constructor(readonly scenario: string) {
    super(
      `There is no scenario ${scenario}. Use the path of a YAML file, or one of: ${listScenarios().join(', ')}.`,
    );
  }
}

const SCENARIOS_FOLDER = join(REPOSITORY_ROOT, 'apps/simulator/scenarios');

/** Names of the simulator's own scenarios. */
export function listScenarios(): string[] {
  const files = readdirSync(SCENARIOS_FOLDER).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => file.slice(0, -'.yaml'.length)).sort();
}

/** The simulator reads a bare name as one of its own scenarios, and anything else as a path. */
const BARE_NAME = /^[a-z-]+$/;

/** `SCENARIO` of the simulator. Paths become absolute, because the simulator has another working directory. */
export function toScenarioSetting(nameOrPath: string): string {
  return BARE_NAME.test(nameOrPath) ? nameOrPath : resolve(nameOrPath);
}

/** Path of a scenario's file. @throws ScenarioNotFoundError */
export function findScenarioFile(nameOrPath: string): string {
  const file = BARE_NAME.test(nameOrPath)
    ? join(SCENARIOS_FOLDER, `${nameOrPath}.yaml`)
    : resolve(nameOrPath);
  if (!existsSync(file)) throw new ScenarioNotFoundError(nameOrPath);
  return file;
}

/** Command-line options for the simulator, which validates their values. */
export interface SimulationOptions {
  readonly speed?: string;
  readonly seed?: string;
  readonly from?: string;
  readonly until?: string;
}

/** The simulator's settings for the given options. */
export function toSimulatorSettings({ speed, seed, from, until }: SimulationOptions): Record<string, string> {
  const settings = { SPEED: speed, SEED: seed, FROM: from, UNTIL: until };
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Reads a scenario as the simulator does. @throws ScenarioNotFoundError, ScenarioError */
export async function readScenario(nameOrPath: string): Promise<Scenario> {
  // A literal path, so that the bundle contains the definition.
  const simulator = await import('../../../apps/simulator/dist/src/scenario-files.js');
  return simulator.readScenario(findScenarioFile(nameOrPath));
}

/**
 * Whether the simulator loads the past of a market before it listens: an endless scenario in real time.
 * @param settings of the simulator @throws ScenarioNotFoundError, ScenarioError
 */
export async function hasBacklog(
  nameOrPath: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  return (await readScenario(nameOrPath)).kind === 'endless' && settings['FROM'] === undefined;
}

/** What the market plays first, for people. Undefined when the scenario does not say so. @throws ScenarioNotFoundError, ScenarioError */
export async function describePlay(
  nameOrPath: string,
  data: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const scenario = await readScenario(nameOrPath);
  if (scenario.kind !== 'endless' || scenario.plays.length === 0 || settings['FROM'] !== undefined)
    return undefined;
  if (existsSync(progressFile(data))) return 'The market continues where it stopped.';
  return ['The market plays:', ...scenario.plays.map((each) => `  - ${each}`)].join('\n');
}

/** Where the simulator saves how far it has come. @param data folder of all data */
export const progressFile = (data: string): string => join(data, 'simulator', 'progress.json');

/** How many participants a scenario needs. @throws ScenarioNotFoundError, ScenarioError */
export async function countScenarioParticipants(nameOrPath: string): Promise<number> {
  const { countParticipants } = await import('../../../apps/simulator/dist/src/domain/scenario/scenario.js');
  return countParticipants(await readScenario(nameOrPath));
}

/**
 * Validates scenario and settings with the simulator's own definitions. The simulator starts last, so its own check would come late.
 * @throws ScenarioNotFoundError, ScenarioError, SettingsError
 */
export async function checkSimulation(
  scenario: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await readScenario(scenario);
  const { definition } = await import('../../../apps/simulator/dist/src/settings.js');
  const placeholders = { TOKEN_CLIENT_ID: 'operator', TOKEN_CLIENT_SECRET: 'not generated yet' };
  readSettings(definition, { ...placeholders, SCENARIO: scenario, ...settings });
}
