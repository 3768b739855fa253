import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { scenarioSchema, type Scenario } from '../domain/scenario.js';

/** A scenario file is missing, or is no scenario; each problem is a sentence with the place. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';

  constructor(
    readonly path: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`The scenario ${path} cannot be played: ${problem}`, options);
  }
}

/** The folder of the scenarios that come with the simulator. */
export const SCENARIOS = fileURLToPath(new URL('../../scenarios/', import.meta.url));

/** Reads a scenario: a path, or the bare name of one that comes with the simulator. @throws ScenarioError */
export async function readScenario(nameOrPath: string): Promise<Scenario> {
  const path = /^[a-z-]+$/.test(nameOrPath) ? join(SCENARIOS, `${nameOrPath}.yaml`) : nameOrPath;
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ScenarioError(path, 'it cannot be read', { cause });
  });
  const result = scenarioSchema.safeParse(parsed(text, path));
  if (!result.success) throw new ScenarioError(path, z.prettifyError(result.error));
  return result.data;
}

function parsed(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ScenarioError(path, 'it is no YAML', { cause });
  }
}
