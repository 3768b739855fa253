import { describeProblemKind, PROBLEM_KINDS } from '@ssb/events';
import { standardError, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import { carryOut } from '../api/carry-out.js';
import type { Operations, ProblemDetail, ProblemRow } from '../api/operations.js';
import { checkParticipants } from '../api/visible-participants.js';
import { withApi, type ApiOptions, type ListOptions, type RequestOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, printResult, readRows } from '../output/listing.js';
import { renderParts, severityStyle, shortId, showFigures, showTime } from '../output/text.js';
import { renderProblem, showWorst } from './render-problem.js';

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
  { head: 'since', cell: ({ since }) => showTime(since), rank: 4, whole: true },
  {
    head: 'worst',
    cell: (problem) => [problem.worstLevel, showWorst(problem)].join(' ').trim(),
    align: 'right',
    rank: 2,
  },
  { head: 'acknowledged by', cell: ({ acknowledgedBy }) => acknowledgedBy, rank: 5 },
  { head: 'about', cell: shownKey },
];

/** The participant has its own column, so that a cut key still names its run. */
function shownKey({ key, participant }: ProblemRow): string {
  return key.startsWith(`${participant}/`) ? key.slice(participant.length + 1) : key;
}

/** Of an ended problem the worst one: its last severity says nothing. */
function shownSeverity({ endedAt, severity, worstSeverity }: ProblemRow): ProblemRow['severity'] {
  return endedAt === undefined ? severity : worstSeverity;
}

export function showProblem(id: string | undefined, options: ShowOptions): Promise<void> {
  if (id !== undefined && (options.kind ?? options.participant) !== undefined)
    throw new CommandError('Give either an id, or --kind and --participant.', EXIT.usage);
  return withApi(options, async (api) => {
    const found = id === undefined ? await findProblem(api, options) : undefined;
    const problem = await api.get('/v1/problems/{id}', { parts: { id: found?.problem.id ?? id ?? '' } });
    const other = found?.other;
    printResult({ ...problem, ...(other !== undefined && { other }) }, options.output, () =>
      renderParts([
        ['', renderProblem(problem, standardOutput.width)],
        ['', found && other && describeOther(found.problem, other)],
      ]),
    );
  });
}

/** Problems among which one is chosen: a page of the API. */
const MAX_CHOICES = 100;

interface FoundProblem {
  readonly problem: ProblemRow;
  /** Another problem of the kind that is open, or newer than this one. */
  readonly other: ProblemRow | undefined;
}

/** Of a kind, a critical one before others, and a present one before an ended one. */
async function findProblem(api: ApiClient, { kind, participant }: ShowOptions): Promise<FoundProblem> {
  await checkParticipants(api, participant);
  const filters = { kind: kind && [kind], participant };
  const read = async (more: Pick<Query, 'state'>): Promise<readonly ProblemRow[]> =>
    (await readRows(api, '/v1/problems', { ...filters, ...more }, { limit: MAX_CHOICES, cursor: undefined }))
      .items;
  const present = await read({});
  const all = kind === undefined ? present : [...present, ...(await read({ state: ['resolved', 'closed'] }))];
  const problem =
    kind === undefined ? all[0] : (all.find(({ worstSeverity }) => worstSeverity === 'critical') ?? all[0]);
  if (problem !== undefined)
    return {
      problem,
      other: kind && all.find((each) => each !== problem && (isPresent(each) || isNewer(each, problem))),
    };
  throw new CommandError(
    kind === undefined
      ? 'There is no open problem. "busbridge problems list --all" has the ended ones.'
      : `There is no problem of the kind ${kind}. "busbridge problems list --all" has all.`,
    EXIT.findings,
  );
}

const isPresent = ({ endedAt }: ProblemRow): boolean => endedAt === undefined;

const isNewer = (one: ProblemRow, other: ProblemRow): boolean =>
  Date.parse(one.openedAt) > Date.parse(other.openedAt);

function describeOther(shown: ProblemRow, other: ProblemRow): StyledText {
  const which = isNewer(other, shown) ? 'A newer problem' : 'Another problem';
  const state = isPresent(other) ? `is ${other.state}` : 'has ended';
  return StyledText.of(
    `${which} ${state}: ${other.participant}, ${other.worstLevel ?? other.worstSeverity}: busbridge problems show ${shortId(other.id)}`,
    'warning',
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

/** Whether the next event about it opens another problem. */
function isReopened({ kind, closedByPerson, endedAt }: ProblemDetail): boolean {
  if (closedByPerson || endedAt !== undefined) return false;
  const known = PROBLEM_KINDS.find((each) => each === kind);
  return known === undefined || describeProblemKind(known).staysClosed !== true;
}

function decide(
  path: '/v1/problems/{id}/acknowledge' | '/v1/problems/{id}/close',
  id: string,
  { comment = '', wait, ...options }: RequestOptions,
  done: string,
): Promise<void> {
  return withApi(options, async (api) => {
    const problem = await api.get('/v1/problems/{id}', { parts: { id } });
    if (path.endsWith('/close') && isReopened(problem))
      standardError.writeLine(
        `It is not over: no alert comes before the next event about it, which opens another problem. "busbridge problems ack" keeps this one.`,
      );
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
