import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';
import { checkImages, IMAGE_PROGRAMS } from '../images/check-images.js';
import { checkSupplyChain } from '../supply-chain/check-supply-chain.js';
import { COMPOSE_CHECK } from '../tools/tools.js';

export const IMAGES: DeployCheck = {
  name: 'images',
  description: 'the image of every app, built by buildah; the demo market runs from the images',
  programs: IMAGE_PROGRAMS,
  run: async (context) => {
    await checkImages(context);
    return 'every app';
  },
};

export const SUPPLY_CHAIN: DeployCheck = {
  name: 'supply-chain',
  description: 'licences, install scripts, checksums and advisories of the production dependencies',
  run: async (context) => {
    await checkSupplyChain(context);
    return 'package-lock.json';
  },
};

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
