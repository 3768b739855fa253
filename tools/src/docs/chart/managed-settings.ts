import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** Settings by the chart value that decides. */
type Listed = Readonly<Record<string, readonly string[]>>;

const listed = parse(readFileSync(join(REPOSITORY_ROOT, 'docs/chart-settings.yaml'), 'utf8')) as {
  readonly managed: Listed;
  readonly unset: Listed;
  readonly replaced: readonly string[];
};

/** The settings that no container has: CONFIG_FILE has those of each participant, and `npm start` alone has others. */
export const UNSET_SETTINGS: readonly string[] = Object.values(listed.unset).flat();

/** Settings with another form that the chart uses instead. */
export const REPLACED_SETTINGS = listed.replaced;

/** The settings that the chart sets itself, and the chart value that decides. */
export const MANAGED_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ ...listed.managed, ...listed.unset }).flatMap(([value, names]) =>
    names.map((name) => [name, value]),
  ),
);

/** Whether `settings` of a component refuses a setting. */
export function isManaged(name: string): boolean {
  return name in MANAGED_SETTINGS || REPLACED_SETTINGS.includes(name);
}
