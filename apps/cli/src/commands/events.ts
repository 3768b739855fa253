import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { EventsOptions, TailOptions } from '../events/events.js';
import { choicesOption, collect, collectNames, timeOption } from '../options.js';
import { apiCommand, listCommand, type ApiOptions } from './api-command.js';

const { severity: SEVERITIES } = CHOICES['/v1/events'];

const load = () => import('../events/events.js');

/** `busbridge events`. */
export function eventsCommand(): Command {
  const command = new Command('events').description('What was verified and archived.');
  addFilters(
    listCommand(command, 'list', {
      description: 'archived events, the newest facts first',
      details: 'Heartbeats are listed by --type bridge.heartbeat only.',
      examples: [
        'events list --since 7d',
        "events list --type 'margin.*' --participant WPGENCO",
        'events list --severity critical -o csv',
      ],
    }),
  ).action(async (options: EventsOptions) => (await load()).listEvents(options));
  apiCommand(command, 'show <id>', {
    description: 'an event: how it arrived, who signed it, what followed, who was notified',
    details:
      'The id may be shortened to its first 6 characters or more. --json has the exact text that the signatures cover.',
    examples: ['events show 3f2a9c', 'events show 3f2a9c --json'],
  }).action(async (id: string, options: ApiOptions) => (await load()).showEvent(id, options));
  addFilters(
    apiCommand(command, 'tail', {
      description: 'prints events as they are archived, until Ctrl-C',
      details: `--json prints one line for each event, with its content. A lost connection is opened again, and continues after the last event.
Exit status: 130 after Ctrl-C, 143 after SIGTERM, 77 when the token or certificate has ended.`,
      examples: [
        'events tail',
        'events tail --severity critical --severity warning',
        "events tail --type 'statement.*' --json --after 3f2a9c",
      ],
    }),
  )
    .option(
      '--after <id>',
      'begin after this event instead of now: its id, or "beginning" for all of the archive',
    )
    .action(async (options: TailOptions) => (await import('../events/tail.js')).tailEvents(options));
  return command;
}

const addFilters = (command: Command): Command =>
  command
    .option(
      '--type <type>',
      'only of this type, such as margin.breached or margin.*; may be repeated',
      collect(),
    )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--severity <severity>', 'only of this severity', SEVERITIES))
    .option('--subject <text>', 'only those whose subject begins so')
    .addOption(timeOption('--since <time>', 'facts since'))
    .addOption(timeOption('--until <time>', 'facts before'));
