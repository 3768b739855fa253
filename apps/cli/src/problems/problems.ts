import { standardOutput, type Column } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import { carryOut } from '../api/carry-out.js';
import type { Operations, ProblemRow } from '../api/operations.js';
import { withApi, type ApiOptions, type ListOptions, type RequestOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, printResult, readRows } from '../output/listing.js';
import { severityStyle, shortId, showAmount, showFigures, showTime } from '../output/text.js';
import { renderProblem } from './render-problem.js';

type Query = Operations['GET /v1/problems']['query'];

export interface ProblemsOptions
  extends ListOptions, Pick<Query, 'state' | 'kind' | 'severity' | 'participant' | 'since'> {
  readonly all?: true;
}

export interface ShowOptions extends ApiOptions, Pick<Query, 'participant'> {
  readonly kind?: ProblemRow['kind'];
}

const STATES = ['open', 'acknowledged', 'resolved', 'closed'] as const;

export function listProblems(options: ProblemsOptions): Promise<void> {
  const { state = options.all ? STATES : undefined, kind, severity, participant, since } = options;
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/problems',
      {
        query: { state, kind, severity, participant, since },
        columns: COLUMNS,
        empty: 'No problems match.',
      },
      options,
    ),
  );
}

const COLUMNS: readonly Column<ProblemRow>[] = [
  { head: 'id', cell: ({ id }) => shortId(id) },
  { head: 'severity', cell: shownSeverity, style: (problem) => severityStyle(shownSeverity(problem)) },
  { head: 'kind', cell: ({ kind }) => kind },
  { head: 'participant', cell: ({ participant }) => participant },
  { head: 'state', cell: ({ state }) => state, rank: 1 },
  { head: 'since', cell: ({ since }) => showTime(since) },
  {
    head: 'worst',
    cell: ({ worstLevel, worstMeasure }) => [worstLevel, showAmount(worstMeasure)].join(' ').trim(),
  },
  { head: 'acknowledged by', cell: ({ acknowledgedBy }) => acknowledgedBy, rank: 2 },
  { head: 'about', cell: ({ key }) => key, rank: 3 },
];

/** Of an ended problem the worst one: its last severity says nothing. */
function shownSeverity({ endedAt, severity, worstSeverity }: ProblemRow): ProblemRow['severity'] {
  return endedAt === undefined ? severity : worstSeverity;
}

export function showProblem(id: string | undefined, options: ShowOptions): Promise<void> {
  if (id !== undefined && (options.kind ?? options.participant) !== undefined)
    throw new CommandError('Give either an id, or --kind and --participant.', EXIT.usage);
  return withApi(options, async (api) => {
    const problemId = id ?? (await findProblem(api, options)).id;
    const problem = await api.get('/v1/problems/{id}', { parts: { id: problemId } });
    printResult(problem, options.output, () => renderProblem(problem, standardOutput.width));
  });
}

/** The worst one that is open or acknowledged; of a kind without one, the newest that has ended. */
async function findProblem(api: ApiClient, { kind, participant }: ShowOptions): Promise<ProblemRow> {
  const filters = { kind: kind && [kind], participant };
  const range = { limit: 1, cursor: undefined };
  const present = await readRows(api, '/v1/problems', filters, range);
  const ended: typeof present =
    kind === undefined || present.items.length > 0
      ? present
      : await readRows(api, '/v1/problems', { ...filters, state: ['resolved', 'closed'] }, range);
  const [problem] = ended.items;
  if (problem !== undefined) return problem;
  throw new CommandError(
    kind === undefined
      ? 'There is no open problem. "busbridge problems list --all" has the ended ones.'
      : `There is no problem of the kind ${kind}. "busbridge problems list --all" has all.`,
    EXIT.findings,
  );
}

export const acknowledge = (id: string, options: RequestOptions): Promise<void> =>
  decide('/v1/problems/{id}/acknowledge', id, options, 'acknowledged');

export function close(id: string, options: RequestOptions): Promise<void> {
  const { comment } = options;
  if (comment === undefined)
    throw new CommandError('Say with --comment why the problem is closed.', EXIT.usage);
  return decide('/v1/problems/{id}/close', id, options, 'closed');
}

function decide(
  path: '/v1/problems/{id}/acknowledge' | '/v1/problems/{id}/close',
  id: string,
  { comment = '', wait, ...options }: RequestOptions,
  done: string,
): Promise<void> {
  return withApi(options, async (api) => {
    const problem = await api.get('/v1/problems/{id}', { parts: { id } });
    const body = path.endsWith('/close') || comment !== '' ? { comment } : {};
    const result = await carryOut(api, path, body as { comment: string }, {
      wait,
      parts: { id: problem.id },
    });
    printResult(result, options.output, () => `The problem ${problem.kind} of ${problem.key} is ${done}.`);
  });
}

export function rebuild({ comment, wait, ...options }: RequestOptions): Promise<void> {
  return withApi(options, async (api) => {
    const result = await carryOut(api, '/v1/problems/rebuild', comment === undefined ? {} : { comment }, {
      wait,
    });
    printResult(result, options.output, () =>
      `The problems are derived again. ${showFigures(result)}`.trim(),
    );
  });
}
