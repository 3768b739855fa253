import { toPrintable } from '@ssb/net';
import type { Database } from '@ssb/postgres';
import { Command } from 'commander';
import { print } from '../print.js';
import {
  findRequest,
  listAuditedSteps,
  listRequests,
  REQUEST_STATES,
  type AuditedStep,
  type ListedRequest,
} from '../requests/list-requests.js';
import { DATABASE_HELP, collect, numberOf, parseLimit, parseName } from '../options.js';
import { table, toCell } from '../requests/render.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';

const LIST_HELP = `${DATABASE_HELP}
The newest requests come first. A waiting request is carried out in its turn, or at the next start of a subscriber.

Examples:
  busbridge requests list
  busbridge requests list --state waiting --state running
  busbridge requests list --author jane.doe --limit 200 --json
`;

const SHOW_HELP = `${DATABASE_HELP}
The audit table keeps each step with the role of the database that added the request.

Examples:
  busbridge requests show 107
`;

/** `busbridge requests`. */
export function requestsCommand(): Command {
  const command = new Command('requests').description('Shows what people have requested of the subscriber.');
  command
    .command('list')
    .description('the requests with their states and results')
    .option('--state <state>', `${REQUEST_STATES.join(', ')}; may be repeated`, collect(REQUEST_STATES))
    .option('--author <name>', 'only of this person', parseName)
    .option('--limit <number>', 'how many at most', parseLimit, 50)
    .option('--json', 'print JSON', false)
    .addHelpText('after', LIST_HELP)
    .action((options: ListOptions) =>
      withSubscriberDatabase('requests', (database) => list(database, options)),
    );
  command
    .command('show')
    .description('a request with its parameters, its result and its audit')
    .argument('<number>', 'number of the list', numberOf('busbridge requests list'))
    .option('--json', 'print JSON', false)
    .addHelpText('after', SHOW_HELP)
    .action((requestId: number, { json }: { json: boolean }) =>
      withSubscriberDatabase('requests', async (database) => {
        const request = await findRequest(database, requestId);
        const audit = await listAuditedSteps(database, request);
        print({ ...request, audit }, json, () => `${renderRequest(request)}\n\n${renderAudit(audit)}`);
      }),
    );
  return command;
}

interface ListOptions {
  readonly state?: readonly string[];
  readonly author?: string;
  readonly limit: number;
  readonly json: boolean;
}

async function list(database: Database, { state, author, limit, json }: ListOptions): Promise<void> {
  print(await listRequests(database, { states: state, author, limit }), json, ({ requests, more }) => {
    if (requests.length === 0) return 'There are no such requests.';
    return `${renderRequests(requests)}${more ? '\nThere are more: give a higher --limit.' : ''}`;
  });
}

const renderRequests = (requests: readonly ListedRequest[]): string =>
  table(
    ['number', 'requested at', 'kind', 'state', 'author', 'about', 'result'],
    requests.map((each) => [
      each.requestId,
      each.requestedAt,
      each.kind,
      each.state,
      each.author,
      describe(each.parameters),
      describe(each.result ?? each.progress),
    ]),
  );

/** A reason is a sentence. */
function describe(values: Readonly<Record<string, unknown>> | null): string {
  return Object.entries(values ?? {})
    .map(([name, value]) =>
      name === 'reason'
        ? String(value)
        : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(', ');
}

/** Longer than the reasons of refusals. */
const MAX_TEXT_LENGTH = 10_000;

function renderRequest(request: ListedRequest): string {
  const { parameters, progress, result, comment } = request;
  const lines: readonly (readonly [string, unknown])[] = [
    ['number', request.requestId],
    ['kind', request.kind],
    ['state', request.state],
    ['requested at', request.requestedAt],
    ['ended at', request.endedAt],
    ['author', request.author],
    ['comment', comment],
    ['about', describe(parameters)],
    ['progress', describe(progress)],
    ['result', describe(result)],
  ];
  return lines
    .map(([name, value]) => [
      name,
      typeof value === 'string' ? toPrintable(value, MAX_TEXT_LENGTH) : toCell(value),
    ])
    .flatMap(([name = '', text = '']) => (text === '' ? [] : [`${name.padEnd(13)} ${text}`]))
    .join('\n');
}

const renderAudit = (audit: readonly AuditedStep[]): string =>
  table(
    ['at', 'step', 'author', 'role', 'result'],
    audit.map((each) => [each.at, each.step, each.author, each.databaseRole, describe(each.result)]),
  );
