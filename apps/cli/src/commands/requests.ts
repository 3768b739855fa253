import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import { choicesOption, parseName } from '../options.js';
import type { RequestsOptions } from '../requests/requests.js';
import { apiCommand, listCommand, type ApiOptions } from './api-command.js';

const load = () => import('../requests/requests.js');

/** `busbridge requests`. */
export function requestsCommand(): Command {
  const command = new Command('requests').description('What people have requested of the subscriber.');
  listCommand(
    command,
    'list',
    {
      description: 'the requests with their states and results, the newest first',
      details:
        'A waiting request is carried out in its turn, or at the next start of a subscriber. "busbridge audit" also has actions on poller and bus-publisher.',
      examples: [
        'requests list',
        'requests list --state waiting --state running',
        'requests list --author jane.doe --limit 200 --json',
      ],
    },
    false,
  )
    .addOption(choicesOption('--state <state>', 'only in this state', CHOICES['/v1/requests'].state))
    .option('--author <name>', 'only of this person', parseName)
    .action(async (options: RequestsOptions) => (await load()).listRequests(options));
  apiCommand(command, 'show <id>', {
    description: 'a request with its parameters, its result and its audit',
    details: 'The id may be shortened to its first 6 characters or more.',
    examples: ['requests show 7d1f02', 'requests show 7d1f02 --json'],
  }).action(async (id: string, options: ApiOptions) => (await load()).showRequest(id, options));
  return command;
}
