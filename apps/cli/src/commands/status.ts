import { Command } from 'commander';
import type { StatusOptions } from '../status/status.js';
import { describe } from './api-command.js';

const DETAILS = `The first line says what is wrong, and what to do next. failing: facts or alerts may not arrive. degraded: something needs a person soon.
Exit status: 0 for ok and degraded, 1 for failing, 130 after Ctrl-C. Needs access to all participants.`;

/** `busbridge status`. */
export function statusCommand(): Command {
  return describe(new Command('status'), {
    description: 'What is wrong, and the state of each app, on one screen.',
    details: DETAILS,
    examples: ['status', 'status --watch', 'status --json'],
  })
    .option('--watch', 'show it again every 2 seconds, until Ctrl-C')
    .action(async (options: StatusOptions) => (await import('../status/status.js')).showStatus(options));
}
