import { ensurePrivateFolder, writeFileAtomically } from '@ssb/platform';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { readScenario } from './scenario.js';

type Mapping = Readonly<Record<string, unknown>>;

/**
 * CONFIG_FILE for a scenario. If the scenario has `settings`, it is a copy of `configFile` in the folder with these settings in `defaults`.
 * @returns the path of the copy, or `configFile` @throws ScenarioNotFoundError, ScenarioError
 */
export async function prepareConfigFile(
  scenario: string,
  configFile: string,
  folder: string,
): Promise<string> {
  const read = await readScenario(scenario);
  if (read.kind === 'endless' || Object.keys(read.settings).length === 0) return configFile;
  ensurePrivateFolder(folder);
  const merged = join(folder, 'bridge.yaml');
  await writeFileAtomically(merged, mergeIntoDefaults(await readFile(configFile, 'utf8'), read.settings));
  return merged;
}

/** Merges settings into `defaults` of a configuration file, mapping by mapping. The result has no comments. */
export function mergeIntoDefaults(text: string, settings: Mapping): string {
  const config = parse(text) as Mapping;
  return stringify({ ...config, defaults: merge(config['defaults'], settings) });
}

function merge(before: unknown, after: unknown): unknown {
  if (!isMapping(before) || !isMapping(after)) return after;
  const changed = Object.entries(after).map(([key, value]) => [key, merge(before[key], value)] as const);
  return { ...before, ...Object.fromEntries(changed) };
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
