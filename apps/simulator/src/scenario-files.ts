import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError } from '@ssb/platform';
import { parse } from 'yaml';
import { z } from 'zod';
import { countParticipants, scenarioSchema, type Scenario } from './domain/scenario/scenario.js';
import type { Settings } from './settings.js';

/** The folder of the simulator's own scenarios. */
export const SCENARIOS_DIR = fileURLToPath(new URL('../../scenarios/', import.meta.url));

/** A scenario file is missing, invalid, or does not fit the settings. */
export class ScenarioError extends ConfigurationError {
  override readonly name = 'ScenarioError';

  constructor(
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`The scenario ${path} cannot run: ${problem}`, options);
  }
}

/** Reads a scenario by its path, or by the name of one of the simulator's own. @throws ScenarioError */
export async function readScenario(nameOrPath: string): Promise<Scenario> {
  const path = /^[a-z-]+$/.test(nameOrPath) ? join(SCENARIOS_DIR, `${nameOrPath}.yaml`) : nameOrPath;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ScenarioError(path, 'the file cannot be read', { cause });
  });
  const result = scenarioSchema.safeParse(parseYaml(text, path));
  if (!result.success) throw new ScenarioError(path, z.prettifyError(result.error));
  return result.data;
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ScenarioError(path, 'the file is not YAML', { cause });
  }
}

/** @throws ScenarioError for settings that do not fit the scenario */
export function checkSettings(scenario: Scenario, settings: Settings): void {
  const { kind } = scenario;
  const { SCENARIO, FROM, UNTIL, SPEED, STEP, PARTICIPANTS } = settings;
  const refuse = (problem: string): never => {
    throw new ScenarioError(SCENARIO, problem);
  };
  if (kind === 'endless' && SPEED === Infinity && FROM === undefined)
    refuse('it has no end; SPEED=max needs FROM, the first market day');
  if (SPEED === Infinity && STEP) refuse('STEP and SPEED=max exclude each other; choose one');
  const needed = countParticipants(scenario);
  if (PARTICIPANTS.length < needed)
    refuse(
      `it needs ${needed} participants, PARTICIPANTS has ${PARTICIPANTS.length}; add codes to PARTICIPANTS`,
    );
  if (UNTIL === undefined) return;
  if (FROM === undefined) refuse('UNTIL needs FROM, the first market day');
  if (kind === 'once') refuse('it has an end of its own; leave UNTIL out');
  if (FROM !== undefined && UNTIL < FROM) refuse(`UNTIL=${UNTIL} is before FROM=${FROM}`);
}

/** The simulator's own scenarios, sorted by name. @throws ScenarioError */
export async function listScenarios(): Promise<({ name: string } & Pick<Scenario, 'kind' | 'about'>)[]> {
  const files = (await readdir(SCENARIOS_DIR)).filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.yaml'.length);
      const { kind, about } = await readScenario(name);
      return { name, kind, about };
    }),
  );
}
