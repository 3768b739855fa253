import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import { choicesOption, collect, collectNames, parseTimeWithZone, timeOption } from '../options.js';
import type { AddOptions, SilencesOptions } from '../silences/silences.js';
import { listCommand, requestCommand, type RequestOptions } from './api-command.js';

const { kind: KINDS, severity: SEVERITIES } = CHOICES['/v1/problems'];

const ADD_DETAILS = `A silence covers an event that each given option matches, and withholds its alerts, reminders, escalations and notices from every sink. It
ends by itself; alerts.maxSilence limits its length. It covers a fault of the bridge only with --problem bridge-fault or --reason. The sinks of
alerts.audit learn of each critical problem that it hides.`;

const load = () => import('../silences/silences.js');

/** `busbridge silences`. */
export function silencesCommand(): Command {
  const command = new Command('silences').description('Withholds deliveries for a while.');
  listCommand(
    command,
    'list',
    {
      description: 'the silences that apply or will apply, the newest first',
      details: 'The column "hides" has the critical problems that the silence hides.',
      examples: ['silences list', 'silences list --all --limit 200 --json', 'silences list --at 2d'],
    },
    false,
  )
    .option('--all', 'ended ones, too')
    .addOption(timeOption('--at <time>', 'only those that applied at this time'))
    .action(async (options: SilencesOptions) => (await load()).listSilences(options));
  requestCommand(command, 'add', {
    description: 'adds a silence; --comment and an end are required',
    details: ADD_DETAILS,
    examples: [
      "silences add --participant WPGENCO --problem statement-overdue --for 4h --comment 'The operator publishes late today.'",
      "silences add --reason clock-offset --for 30m --comment 'The clock of the host is being repaired.'",
      "silences add --type 'payment.*' --starts 2026-12-24T18:00:00+08:00 --ends 2026-12-27T08:00:00+08:00 --comment 'Nobody is here.'",
    ],
  })
    .option('--type <type>', 'event type, such as margin.breached, or margin.*; may be repeated', collect())
    .option('--participant <code>', 'may be repeated', collectNames)
    .addOption(choicesOption('--severity <severity>', 'of the event', SEVERITIES))
    .addOption(choicesOption('--problem <kind>', 'kind of the problem', KINDS))
    .option('--reason <reason>', 'of faults of the bridge; may be repeated', collect())
    .option(
      '--starts <time>',
      'when it starts, such as 2026-12-24T18:00:00+08:00 (default: now)',
      parseTimeWithZone,
    )
    .option('--ends <time>', 'when it ends', parseTimeWithZone)
    .option('--for <duration>', 'how long it lasts, such as 30m, 4h, 2d')
    .action(async (options: AddOptions) => (await load()).addSilence(options));
  requestCommand(command, 'end <id>', {
    description: 'ends a silence before its time',
    details:
      'The id may be shortened to its first 6 characters or more. An open problem whose alert was withheld is then reminded of once.',
    examples: ["silences end 7d1f02 --comment 'The operator has published.'"],
  }).action(async (id: string, options: RequestOptions) => (await load()).endSilence(id, options));
  return command;
}
