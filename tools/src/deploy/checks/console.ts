import { POSTGRES, REDIS, CHROMIUM } from '../../programs/required-programs.js';
import { type DeployCheck, requireProgram } from '../deploy-check.js';
import { runTests } from '../run-tests.js';

export const CONSOLE: DeployCheck = {
  name: 'console',
  description:
    'the console in Chromium: every page in both themes with axe, sign-in and roles, actions by keyboard alone',
  run: async () => {
    for (const program of [REDIS, POSTGRES, CHROMIUM]) requireProgram(program);
    return runTests('console', 1);
  },
};
