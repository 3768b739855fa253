import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { ChangeOptions, DeliveriesOptions, ShowOptions } from '../deliveries/deliveries.js';
import { choicesOption, collect, collectNames, parseName, timeOption } from '../options.js';
import { apiCommand, listCommand, requestCommand } from './api-command.js';

const { state: STATES, kind: KINDS } = CHOICES['/v1/deliveries'];
/** States that `resend` and `skip` can select. */
const RESENDABLE_STATES = STATES.filter((state) => state !== 'pending');
const SKIPPABLE_STATES = ['pending', 'parked'];

const ID = 'An id may be shortened to its first 6 characters or more.';
const DIGEST = 'A digest matches --type and --participant when one of its events does.';
const ARCHIVE_TIME = `${DIGEST} --since and --until choose events by when they were archived,
unlike in deliveries list: a reminder has the time of its event, and a digest that of its newest event.`;

const load = () => import('../deliveries/deliveries.js');

/** `busbridge deliveries`. */
export function deliveriesCommand(): Command {
  const command = new Command('deliveries').description('What the sinks get.');
  listCommand(command, 'list', {
    description: 'the deliveries, what was added last comes first',
    details: `--since and --until choose by when a delivery was added: a reminder is added later than its event.\n${ID}`,
    examples: [
      'deliveries list --state parked --sink treasury',
      'deliveries list --problem 3f2a9c --json',
      'deliveries list --since 2d --type margin.breached',
    ],
  })
    .option('--sink <name>', 'only to this sink; may be repeated', collectNames)
    .addOption(choicesOption('--state <state>', 'only in this state', STATES))
    .addOption(choicesOption('--kind <kind>', 'only of this kind', KINDS))
    .option('--type <type>', TYPE, collect())
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .option('--problem <id>', 'only of this problem')
    .option('--event <id>', 'only of this event, and of messages about it')
    .addOption(timeOption('--since <time>', 'added since'))
    .addOption(timeOption('--until <time>', 'added before'))
    .action(async (options: DeliveriesOptions) => (await load()).listDeliveries(options));
  apiCommand(command, 'show <event-id>', {
    description: 'the deliveries of an event, and every attempt',
    details: `${ID} A digest is shown with its events, and an event of a digest with that digest.`,
    examples: ['deliveries show 7d8f4a', 'deliveries show 7d8f4a --sink treasury --json'],
  })
    .option('--sink <name>', 'only to this sink; may be repeated', collectNames)
    .action(async (id: string, options: ShowOptions) => (await load()).showDeliveries(id, options));
  addSelection(
    requestCommand(
      command,
      'resend',
      {
        description: 'makes deliveries pending again',
        details: `A delivery keeps its id and body, so a receiver that has it drops it. Pending ones are unchanged. Withheld ones are
resent only with --state withheld. Without --sink the deliveries to every sink are selected. An event in a digest is
resent alone only with --event. ${ARCHIVE_TIME}`,
        examples: [
          'deliveries resend --event 7d8f4a --sink treasury',
          'deliveries resend --sink treasury --since 2026-01-31T16:00:00+08:00 --until 2026-01-31T18:00:00+08:00',
          'deliveries resend --state parked        # all that the sinks have refused',
          'deliveries resend --state withheld --since 12h --sink treasury',
        ],
      },
      600,
    ),
    RESENDABLE_STATES,
  ).action(async (options: ChangeOptions) => (await load()).changeDeliveries('resend', options));
  addSelection(
    requestCommand(
      command,
      'skip',
      {
        description: 'ends pending and parked deliveries without an attempt',
        details: `A skipped delivery is not attempted again. It stays listed, and can be resent. ${ARCHIVE_TIME}`,
        examples: [
          "deliveries skip --event 7d8f4a --comment 'The receiver is gone.'",
          'deliveries skip --sink former --state parked',
        ],
      },
      600,
    ),
    SKIPPABLE_STATES,
  ).action(async (options: ChangeOptions) => (await load()).changeDeliveries('skip', options));
  return command;
}

const TYPE = 'event type, such as margin.breached, margin.*, or delivery.digest; may be repeated';

function addSelection(command: Command, states: readonly string[]): Command {
  return command
    .option('--event <id>', 'id of an event, or of a message about one; may be repeated', collect())
    .option('--sink <name>', 'only to this sink', parseName)
    .addOption(choicesOption('--state <state>', 'only in this state', states))
    .option('--type <type>', TYPE, collect())
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(timeOption('--since <time>', 'of events archived since'))
    .addOption(timeOption('--until <time>', 'of events archived before'));
}
