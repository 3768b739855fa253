import { Command, InvalidArgumentError, Option } from 'commander';
import { CHOICES } from '../api/operations.js';
import { choicesOption, collectNames, timeOption } from '../options.js';
import type { ProblemsOptions, ShowOptions } from '../problems/problems.js';
import { apiCommand, listCommand, requestCommand, type RequestOptions } from './api-command.js';

const { state: STATES, kind: KINDS, severity: SEVERITIES } = CHOICES['/v1/problems'];

const ID = 'The id may be shortened to its first 6 characters or more.';

const load = () => import('../problems/problems.js');

/** `busbridge problems`. */
export function problemsCommand(): Command {
  const command = new Command('problems').description('States that last until they are handled.');
  listCommand(command, 'list', {
    description: 'the problems that are open or acknowledged, the worst first',
    examples: [
      'problems list',
      'problems list --severity critical --participant WPGENCO',
      'problems list --all --since 7d --json',
    ],
  })
    .addOption(choicesOption('--state <state>', 'only in this state', STATES))
    .addOption(new Option('--all', 'ended ones, too').conflicts('state'))
    .addOption(kindsOption())
    .addOption(choicesOption('--severity <severity>', 'only of this severity', SEVERITIES))
    .option('--participant <code>', 'only of this participant; * for faults of the bridge', collectNames)
    .addOption(timeOption('--since <time>', 'only those that were opened since'))
    .action(async (options: ProblemsOptions) => (await load()).listProblems(options));
  apiCommand(command, 'show [id]', {
    description: 'a problem: its history, who was notified, and whether they accepted it',
    details: `${ID} Without an id, the worst open problem is shown. With --kind, an open problem that was critical
(such as a breach) comes first, then the newest of the last 100 ended ones that was, then any other. A line at the end (with --json: other) names
another problem of the kind that is open or newer.`,
    examples: ['problems show 3f2a9c', 'problems show --kind margin', 'problems show 3f2a9c --json'],
  })
    .addOption(
      kindOption('of this kind: an open one that was critical, or the newest that was').argParser(parseKind),
    )
    .option('--participant <code>', 'of this participant', collectNames)
    .action(async (id: string | undefined, options: ShowOptions) => (await load()).showProblem(id, options));
  requestCommand(command, 'ack <id>', {
    description: 'records that a person knows of the problem',
    details: `${ID} An acknowledged problem becomes open again when its severity or level rises.`,
    examples: ["problems ack 3f2a9c --comment 'Cash is on its way.'"],
  })
    .alias('acknowledge')
    .action(async (id: string, options: RequestOptions) => (await load()).acknowledge(id, options));
  requestCommand(command, 'close <id>', {
    description: 'ends a problem that no event ends; --comment is required',
    details: `${ID} The next event that reports the state opens another problem; no alert comes before it. A problem
that an event ends, such as margin, is better acknowledged. A disagreement stays closed: later reminders alert nobody.`,
    examples: ["problems close 3f2a9c --comment 'The operator has corrected the invoice.'"],
  }).action(async (id: string, options: RequestOptions) => (await load()).close(id, options));
  requestCommand(
    command,
    'rebuild',
    {
      description: 'derives all problems again from the archive and the requests',
      details: 'The result is the same unless the table was changed otherwise.',
      examples: ['problems rebuild --wait 600'],
    },
    3_600,
  ).action(async (options: RequestOptions) => (await load()).rebuild(options));
  return command;
}

/** The type of the event, margin.breached, is more familiar than the kind. */
function parseKind(text: string): string {
  if (KINDS.some((kind) => kind === text)) return text;
  throw new InvalidArgumentError(
    `One of ${KINDS.join(', ')}. The kind of a breach is margin; of a forecast one, breach-forecast.`,
  );
}

function kindOption(description: string): Option {
  const option = new Option('--kind <kind>', description);
  option.argChoices = [...KINDS];
  return option;
}

const collectKinds = (text: string, earlier: readonly string[] = []): string[] => [
  ...earlier,
  parseKind(text),
];

const kindsOption = (): Option => kindOption('only of this kind; may be repeated').argParser(collectKinds);
