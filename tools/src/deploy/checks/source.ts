import { join } from 'node:path';
import { GO_PROGRAM_ENVIRONMENT } from '../../check/run-command.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { type DeployCheck, runOrFail } from '../deploy-check.js';

const program = (name: string): string => join(REPOSITORY_ROOT, 'node_modules/.bin', name);

export const LINT: DeployCheck = {
  name: 'lint',
  description: 'oxlint: rules for every source file',
  run: async () => {
    await runOrFail(program('oxlint'), [], { environment: GO_PROGRAM_ENVIRONMENT });
    return 'no finding';
  },
};

export const DEPENDENCY_RULES: DeployCheck = {
  name: 'dependency-rules',
  description: 'dependency-cruiser: import cycles, and what apps and libraries may import',
  run: async () => {
    const folders = ['libs', 'apps', 'tools', 'test'];
    await runOrFail(program('depcruise'), [...folders, '--config', '.dependency-cruiser.cjs']);
    return folders.join(', ');
  },
};
