import { silenceMatchers, type SilenceMatchers } from '@ssb/config';
import { ALERT_REASON_NAMES, PROBLEM_KINDS, SEVERITIES } from '@ssb/events';
import type { Database } from '@ssb/postgres';
import { Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../duration.js';
import { collectTypePatterns } from '../event-types.js';
import { fail } from '../fail.js';
import { print } from '../print.js';
import { carryOut } from '../requests/carry-out.js';
import { listSilences, type ListedSilence } from '../requests/list-silences.js';
import {
  DATABASE_HELP,
  addRequestOptions,
  collect,
  collectNames,
  numberOf,
  parseLimit,
  parseTimeWithZone,
  type RequestOptions,
} from '../options.js';
import { shortId, table } from '../requests/render.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';

const LIST_HELP = `${DATABASE_HELP}
The column "hides" has the critical problems that the silence hides.

Examples:
  busbridge silences list
  busbridge silences list --all --limit 200 --json
`;

const ADD_HELP = `${DATABASE_HELP}
A silence covers an event that each given matcher matches, and withholds its alerts, reminders, escalations and notices from every sink. It
ends by itself; alerts.maxSilence limits its length. It covers a fault of the bridge only with --problem bridge-fault or --reason. The sinks of
alerts.audit learn of each critical problem that it hides.

Examples:
  busbridge silences add --participant WPGENCO --problem statement-overdue --for 4h --comment 'The operator publishes late today.'
  busbridge silences add --reason clock-offset --for 30m --comment 'The clock of the host is being repaired.'
  busbridge silences add --type 'payment.*' --starts 2026-12-24T18:00:00+08:00 --ends 2026-12-27T08:00:00+08:00 --comment 'Nobody is here.'
`;

const END_HELP = `${DATABASE_HELP}
An open problem whose alert was withheld is then reminded of once.

Examples:
  busbridge silences end 17 --comment 'The operator has published.'
`;

/** `busbridge silences`. */
export function silencesCommand(): Command {
  const command = new Command('silences').description('Withholds deliveries for a while.');
  command
    .command('list')
    .description('the silences that apply or will apply')
    .option('--all', 'ended ones, too', false)
    .option('--limit <number>', 'how many at most', parseLimit, 50)
    .option('--json', 'print JSON', false)
    .addHelpText('after', LIST_HELP)
    .action((options: ListOptions) =>
      withSubscriberDatabase('requests', (database) => list(database, options)),
    );
  addRequestOptions(command.command('add'))
    .description('adds a silence; --comment and an end are required')
    .option(
      '--type <type>',
      'event type, such as margin.breached, or margin.*; may be repeated',
      collectTypePatterns,
    )
    .option('--participant <code>', 'may be repeated', collectNames)
    .option('--severity <severity>', `${SEVERITIES.join(', ')}; may be repeated`, collect(SEVERITIES))
    .option('--problem <kind>', `${PROBLEM_KINDS.join(', ')}; may be repeated`, collect(PROBLEM_KINDS))
    .option('--reason <reason>', 'of faults of the bridge; may be repeated', collect(ALERT_REASON_NAMES))
    .option(
      '--starts <time>',
      'when it starts, such as 2026-12-24T18:00:00+08:00 (default: now)',
      parseTimeWithZone,
    )
    .option('--ends <time>', 'when it ends', parseTimeWithZone)
    .option('--for <duration>', 'how long it lasts, such as 30m, 4h, 2d', parseLength)
    .addHelpText('after', ADD_HELP)
    .action((options: AddOptions) => add(options));
  addRequestOptions(command.command('end'))
    .description('ends a silence before its time')
    .argument('<number>', 'number of the list', numberOf('busbridge silences list'))
    .addHelpText('after', END_HELP)
    .action((silenceId: number, options: RequestOptions) =>
      withSubscriberDatabase('requests', async (database) => {
        const result = await carryOut(database, { kind: 'end-silence', parameters: { silenceId } }, options);
        print(result, options.json, () => `The silence ${silenceId} has ended.`);
      }),
    );
  return command;
}

interface ListOptions {
  readonly all: boolean;
  readonly limit: number;
  readonly json: boolean;
}

async function list(database: Database, { json, ...filter }: ListOptions): Promise<void> {
  print(await listSilences(database, filter), json, ({ silences, more }) => {
    if (silences.length === 0) return 'There are no such silences.';
    return `${renderSilences(silences)}${more ? '\nThere are more: give a higher --limit.' : ''}`;
  });
}

const renderSilences = (silences: readonly ListedSilence[]): string =>
  table(
    ['number', 'state', 'starts', 'ends', 'covers', 'author', 'comment', 'ended by', 'hides'],
    silences.map((each) => [
      each.silenceId,
      each.state,
      each.startsAt,
      each.endsAt,
      describeMatchers(each.matchers),
      each.author,
      each.comment,
      each.endedBy,
      each.hiddenProblems.map(shortId).join(', '),
    ]),
  );

const describeMatchers = (matchers: SilenceMatchers): string =>
  Object.entries(matchers)
    .map(([name, entries]) => `${name} ${entries.join(', ')}`)
    .join('; ');

interface AddOptions extends RequestOptions {
  readonly type?: string[];
  readonly participant?: string[];
  readonly severity?: string[];
  readonly problem?: string[];
  readonly reason?: string[];
  readonly starts?: string;
  readonly ends?: string;
  readonly for?: number;
}

function add(options: AddOptions): Promise<void> | void {
  const { type, participant, severity, problem, reason, starts, ends, for: lengthMs, comment } = options;
  if (comment === undefined) return fail('Say with --comment why the deliveries are withheld.');
  if ((ends === undefined) === (lengthMs === undefined))
    return fail('Say when the silence ends, with either --for or --ends.');
  const given = {
    types: type,
    participants: participant,
    severities: severity,
    problems: problem,
    reasons: reason,
  };
  const matchers = silenceMatchers.safeParse(given);
  if (!matchers.success) {
    const issue = matchers.error.issues[0];
    return issue === undefined || issue.path.length === 0
      ? fail('Say what the silence covers, with --type, --participant, --severity, --problem or --reason.')
      : fail(`--${String(issue.path[0]).replace(/ies$/, 'y').replace(/s$/, '')} ${issue.message}.`);
  }
  const parameters = {
    matchers: matchers.data,
    startsAt: starts,
    endsAt: ends,
    ...(lengthMs !== undefined && { seconds: lengthMs / 1_000 }),
  };
  return withSubscriberDatabase('requests', async (database) => {
    const result = await carryOut(database, { kind: 'silence', parameters }, options);
    const { silenceId, startsAt, endsAt } = result;
    print(
      result,
      options.json,
      () => `The silence ${String(silenceId)} applies from ${String(startsAt)} to ${String(endsAt)}.`,
    );
  });
}

function parseLength(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0) throw new InvalidArgumentError('A silence lasts at least 1s.');
  return ms;
}
