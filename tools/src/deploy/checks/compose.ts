import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';
import { COMPOSE_CHECK } from '../tools/tools.js';

export const COMPOSE_FILE: DeployCheck = {
  name: 'compose',
  description: 'docker-compose.yml, loaded as Compose loads it, with all profiles',
  tools: [COMPOSE_CHECK],
  run: async ({ findTool }) => {
    const output = await runOrFail(await findTool(COMPOSE_CHECK), [
      join(REPOSITORY_ROOT, 'docker-compose.yml'),
    ]);
    return /\d+ services/.exec(output)?.[0] ?? output.trim();
  },
};
