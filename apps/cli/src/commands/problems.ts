import { PROBLEM_KINDS } from '@ssb/events';
import { standardOutput } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { Command } from 'commander';
import { fail } from '../fail.js';
import { print } from '../print.js';
import { carryOut } from '../requests/carry-out.js';
import { checkEventFilters } from '../requests/filters.js';
import { listAttempts, listDeliveries } from '../requests/list-deliveries.js';
import {
  findProblem,
  listChanges,
  listProblems,
  PROBLEM_STATES,
  SEVERITIES,
} from '../requests/list-problems.js';
import {
  DATABASE_HELP,
  addRequestOptions,
  collect,
  parseLimit,
  parseName,
  type RequestOptions,
} from '../requests/options.js';
import { renderChanges, renderProblem, renderProblems } from '../requests/render-problems.js';
import { renderAttempts, renderDeliveries, renderFigures, toCell } from '../requests/render.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';

const DATABASE_AND_ID_HELP = `${DATABASE_HELP}The id of a problem may be shortened to its first 6 characters or more.
`;

const LIST_HELP = `${DATABASE_AND_ID_HELP}
Open problems come first, then acknowledged ones; of these the worst first.

Examples:
  busbridge problems list
  busbridge problems list --severity critical --participant WPGENCO
  busbridge problems list --all --limit 200 --json
`;

const SHOW_HELP = `${DATABASE_AND_ID_HELP}
Examples:
  busbridge problems show 3f2a9c
  busbridge problems show 3f2a9c --json
`;

const ACKNOWLEDGE_HELP = `${DATABASE_AND_ID_HELP}
An acknowledged problem becomes open again when its severity or level rises.

Examples:
  busbridge problems acknowledge 3f2a9c --comment 'Cash is on its way.'
  busbridge problems acknowledge 3f2a9c --author jane.doe
`;

const CLOSE_HELP = `${DATABASE_AND_ID_HELP}
Close a problem that no event ends, such as an invoice discrepancy, or one that is settled otherwise. The next event that reports the state opens another problem.

Examples:
  busbridge problems close 3f2a9c --comment 'The operator has corrected the invoice.'
`;

const REBUILD_HELP = `${DATABASE_AND_ID_HELP}
The subscriber derives all problems again from the archive and the requests. The result is the same unless the table was changed otherwise.

Examples:
  busbridge problems rebuild --wait 600
`;

/** `busbridge problems`. */
export function problemsCommand(): Command {
  const command = new Command('problems').description(
    'Works with problems: states that last until they are handled.',
  );
  command
    .command('list')
    .description('the problems that are open or acknowledged')
    .option('--state <state>', `${PROBLEM_STATES.join(', ')}; may be repeated`, collect(PROBLEM_STATES))
    .option('--all', 'ended ones, too', false)
    .option('--kind <kind>', `${PROBLEM_KINDS.join(', ')}; may be repeated`, collect(PROBLEM_KINDS))
    .option('--severity <severity>', `${SEVERITIES.join(', ')}; may be repeated`, collect(SEVERITIES))
    .option('--participant <code>', 'only of this participant; * for faults of the bridge', parseName)
    .option('--limit <number>', 'how many at most', parseLimit, 50)
    .option('--json', 'print JSON', false)
    .addHelpText('after', LIST_HELP)
    .action((options: ListOptions) =>
      withSubscriberDatabase('requests', (database) => list(database, options)),
    );
  command
    .command('show')
    .description('a problem with its history, its deliveries and their attempts')
    .argument('<id>', 'id of the list')
    .option('--json', 'print JSON', false)
    .addHelpText('after', SHOW_HELP)
    .action((id: string, { json }: { json: boolean }) =>
      withSubscriberDatabase('requests', (database) => show(database, id, json)),
    );
  addRequestOptions(command.command('acknowledge'))
    .description('records that a person knows of the problem')
    .argument('<id>', 'id of the list')
    .addHelpText('after', ACKNOWLEDGE_HELP)
    .action((id: string, options: RequestOptions) => decide('acknowledge', id, options));
  addRequestOptions(command.command('close'))
    .description('ends the problem; --comment is required')
    .argument('<id>', 'id of the list')
    .addHelpText('after', CLOSE_HELP)
    .action((id: string, options: RequestOptions) =>
      options.comment === undefined
        ? fail('Say with --comment why the problem is closed.')
        : decide('close', id, options),
    );
  addRequestOptions(command.command('rebuild'), 3_600)
    .description('derives all problems again from the archive and the requests')
    .addHelpText('after', REBUILD_HELP)
    .action((options: RequestOptions) =>
      withSubscriberDatabase('requests', async (database) => {
        const result = await carryOut(database, { kind: 'rebuild-problems', parameters: {} }, options);
        print(result, options.json, () => `The problems are derived again. ${renderFigures(result)}`.trim());
      }),
    );
  return command;
}

interface ListOptions {
  readonly state?: readonly string[];
  readonly all: boolean;
  readonly kind?: readonly string[];
  readonly severity?: readonly string[];
  readonly participant?: string;
  readonly limit: number;
  readonly json: boolean;
}

async function list(database: Database, { json, ...options }: ListOptions): Promise<void> {
  const { state, all, kind, severity, participant, limit } = options;
  if (participant !== undefined) await checkEventFilters(database, { participant: [participant] });
  const states = state ?? (all ? PROBLEM_STATES : ['open', 'acknowledged']);
  const found = await listProblems(database, {
    states,
    kinds: kind,
    severities: severity,
    participant,
    limit,
  });
  print(found, json, ({ problems, more }) =>
    problems.length === 0 ? 'There are no such problems.' : renderProblems(problems, more),
  );
}

/** Deliveries of a problem that are shown; "busbridge deliveries list --problem" lists all. */
const MAX_SHOWN_DELIVERIES = 100;

async function show(database: Database, id: string, json: boolean): Promise<void> {
  const problem = await findProblem(database, id);
  const { problemId } = problem;
  const changes = await listChanges(database, problemId);
  const found = await listDeliveries(database, { problemId, limit: MAX_SHOWN_DELIVERIES });
  const attempts = await listAttempts(
    database,
    found.deliveries.map(({ eventId }) => eventId),
  );
  if (json) return standardOutput.writeJson({ ...problem, changes, ...found, attempts });
  const deliveries =
    found.deliveries.length === 0 ? 'It has no deliveries.' : renderDeliveries(found.deliveries);
  const rest = found.more ? `\nThere are more: busbridge deliveries list --problem ${problemId}` : '';
  standardOutput.write(
    `${renderProblem(problem)}\n\n${renderChanges(changes)}\n\n${deliveries}${rest}\n\n${renderAttempts(attempts)}\n`,
  );
}

const DONE = { acknowledge: 'acknowledged', close: 'closed' } as const;

function decide(kind: keyof typeof DONE, id: string, options: RequestOptions): Promise<void> {
  return withSubscriberDatabase('requests', async (database) => {
    const { problemId, kind: problem, key } = await findProblem(database, id);
    const result = await carryOut(database, { kind, parameters: { problemId } }, options);
    print(
      { problemId, ...result },
      options.json,
      () => `The problem ${problem} of ${toCell(key)} is ${DONE[kind]}.`,
    );
  });
}
