import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { scenarioSchema, type Scenario } from './domain/scenario/scenario.js';
import type { Settings } from './settings.js';

/** The folder of the scenarios that come with the simulator. */
export const SCENARIOS = fileURLToPath(new URL('../../scenarios/', import.meta.url));

/** A scenario file is missing or invalid, or contradicts the settings. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';

  constructor(
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`The scenario ${path} cannot run: ${problem}`, options);
  }
}

/** Reads a scenario: a path, or the bare name of one that comes with the simulator. @throws ScenarioError */
export async function readScenario(nameOrPath: string): Promise<Scenario> {
  const path = /^[a-z-]+$/.test(nameOrPath) ? join(SCENARIOS, `${nameOrPath}.yaml`) : nameOrPath;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ScenarioError(path, 'it cannot be read', { cause });
  });
  const result = scenarioSchema.safeParse(parseYaml(text, path));
  if (!result.success) throw new ScenarioError(path, z.prettifyError(result.error));
  return result.data;
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ScenarioError(path, 'it is not YAML', { cause });
  }
}

/** @throws ScenarioError for settings that contradict the scenario */
export function checkSettings({ kind }: Scenario, settings: Settings): void {
  const { SCENARIO, FROM, UNTIL, SPEED, STEP } = settings;
  const refuse = (problem: string): never => {
    throw new ScenarioError(SCENARIO, problem);
  };
  if (kind === 'endless' && SPEED === Infinity && FROM === undefined)
    refuse('it has no end; SPEED=max needs FROM, the market day on which it begins');
  if (SPEED === Infinity && STEP) refuse('STEP and SPEED=max exclude each other: choose one');
  if (UNTIL === undefined) return;
  if (FROM === undefined) refuse('UNTIL needs FROM, the market day on which it begins');
  if (kind === 'once') refuse('it has an end of its own, so that UNTIL has no meaning');
  if (FROM !== undefined && UNTIL < FROM) refuse(`UNTIL=${UNTIL} lies before FROM=${FROM}`);
}

/** Every scenario that comes with the simulator, by name. @throws ScenarioError */
export async function listScenarios(): Promise<({ name: string } & Pick<Scenario, 'kind' | 'about'>)[]> {
  const files = (await readdir(SCENARIOS)).filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.yaml'.length);
      const { kind, about } = await readScenario(name);
      return { name, kind, about };
    }),
  );
}
