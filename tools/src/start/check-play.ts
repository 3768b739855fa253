import { join } from 'node:path';
import { readSettings, type SettingsDefinition } from '@ssb/platform';
import { REPOSITORY } from '../system/app-process.js';
import { scenarioFile } from '../system/scenario.js';

/**
 * Judges what the command line says of the play by the simulator's own settings, before anything starts: the simulator itself would say
 * the same, but comes up last.
 * @throws NoScenarioError, SettingsError
 */
export async function checkPlay(scenario: string, play: Readonly<Record<string, string>>): Promise<void> {
  // For its throw: the simulator would look for the file only when it starts.
  scenarioFile(scenario);
  const { definition } = (await import(join(REPOSITORY, 'apps/simulator/dist/settings.js'))) as {
    definition: SettingsDefinition;
  };
  // Its account is made later.
  const account = { TOKEN_CLIENT_ID: 'operator', TOKEN_CLIENT_SECRET: 'none yet' };
  readSettings(definition, { ...account, SCENARIO: scenario, ...play });
}
