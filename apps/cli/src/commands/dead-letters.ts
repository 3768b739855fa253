import { Command } from 'commander';
import type { RemoveOptions, RetryOptions } from '../dead-letters/dead-letters.js';
import { apiCommand, listCommand, type ApiOptions, type ListOptions } from './api-command.js';

const load = () => import('../dead-letters/dead-letters.js');

const COMMENT = ['--comment <text>', 'why; it is in the audit log'] as const;

/** `busbridge dead-letters`. */
export function deadLettersCommand(): Command {
  const command = new Command('dead-letters').description('Events that could not be published.');
  listCommand(command, 'list', {
    description: 'the dead letters, the oldest first; those without a valid HMAC last',
    details: 'Only a verified dead letter has a valid HMAC. Everything in another one can be forged.',
    examples: ['dead-letters list', 'dead-letters list --limit 1000 -o csv'],
  }).action(async (options: ListOptions) => (await load()).listLetters(options));
  apiCommand(command, 'show <id>', {
    description: 'a dead letter with its event',
    examples: ['dead-letters show 7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1'],
  }).action(async (id: string, options: ApiOptions) => (await load()).showLetter(id, options));
  apiCommand(command, 'retry <id...>', {
    description: 'queues dead letters again; each leaves the list after its publication',
    details:
      'The ids are those of the list, or "all". The configuration of the bus-publisher decides; a refused event stays in the list.\n' +
      'Exit status: 0 when no event was refused, else 1.',
    examples: [
      'dead-letters retry 7d8f4a1e-3f0c-4a53-9b1a-52f1f0f0c9d1',
      "dead-letters retry all --comment 'The channel exists again.'",
      'dead-letters retry unverified-0f3c… --unverified   # after a lost key or an upgrade: read the event first',
    ],
  })
    .option('--unverified', 'accept one dead letter without a valid HMAC', false)
    .option(...COMMENT)
    .action(async (ids: string[], options: RetryOptions) => (await load()).retryLetters(ids, options));
  apiCommand(command, 'remove <id...>', {
    description: 'removes dead letters without publishing them, such as forged ones',
    details: 'A removed dead letter cannot be restored. Read it with "show" first.',
    examples: ["dead-letters remove unverified-0f3c… --comment 'forged'"],
  })
    .option(...COMMENT)
    .action(async (ids: string[], options: RemoveOptions) => (await load()).removeLetters(ids, options));
  return command;
}
