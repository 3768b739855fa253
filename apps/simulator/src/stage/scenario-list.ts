import { readdir } from 'node:fs/promises';
import { readScenario, SCENARIOS } from './scenario-file.js';

export interface ScenarioEntry {
  name: string;
  kind: 'once' | 'endless';
  about: string;
}

/** Every scenario that comes with the simulator, by name. @throws ScenarioError */
export async function listScenarios(): Promise<ScenarioEntry[]> {
  const files = (await readdir(SCENARIOS)).filter((file) => file.endsWith('.yaml')).sort();
  return Promise.all(
    files.map(async (file) => {
      const name = file.slice(0, -'.yaml'.length);
      const { kind, about } = await readScenario(name);
      return { name, kind, about };
    }),
  );
}

/** The list as people read it. */
export function scenarioListText(entries: readonly ScenarioEntry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  return entries.map(({ name, about }) => `${name.padEnd(width)}  ${about}\n`).join('');
}
