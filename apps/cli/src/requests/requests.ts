import {
  renderFittedTable,
  standardOutput,
  type Column,
  type Style,
  type StyledText,
} from '@ssb/platform/cli';
import type { AuditedStep, Operations, RequestDetail, RequestRow } from '../api/operations.js';
import { withApi, type ApiOptions, type ListOptions } from '../commands/api-command.js';
import { printListing, printResult } from '../output/listing.js';
import { renderFields, renderParts, shortId, showTime } from '../output/text.js';

export interface RequestsOptions
  extends ListOptions, Pick<Operations['GET /v1/requests']['query'], 'state' | 'author'> {}

export function listRequests(options: RequestsOptions): Promise<void> {
  const { state, author } = options;
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/requests',
      { query: { state, author }, columns: COLUMNS, empty: 'No requests match.' },
      options,
    ),
  );
}

const STYLES: Readonly<Partial<Record<RequestRow['state'], Style>>> = {
  done: 'good',
  refused: 'bad',
  failed: 'bad',
};

const COLUMNS: readonly Column<RequestRow>[] = [
  { head: 'id', cell: ({ id }) => shortId(id) },
  { head: 'requested', cell: ({ requestedAt }) => showTime(requestedAt), whole: true },
  { head: 'kind', cell: ({ kind }) => kind },
  { head: 'state', cell: ({ state }) => state, style: ({ state }) => STYLES[state] },
  { head: 'author', cell: ({ author }) => author, rank: 2 },
  { head: 'about', cell: ({ parameters }) => describe(parameters), rank: 3 },
  { head: 'result', cell: ({ result, progress }) => describe(result ?? progress), rank: 1 },
];

/** A reason is a sentence. */
function describe(values: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return name === 'reason' ? text : `${name} ${text}`;
    })
    .join(', ');
}

export function showRequest(id: string, options: ApiOptions): Promise<void> {
  return withApi(options, async (api) => {
    const request = await api.get('/v1/requests/{id}', { parts: { id } });
    printResult(request, options.output, () => renderRequest(request, standardOutput.width));
  });
}

function renderRequest(request: RequestDetail, width: number | undefined): StyledText {
  return renderParts([
    [
      '',
      renderFields([
        ['id', request.id],
        ['kind', request.kind],
        ['state', request.state, STYLES[request.state]],
        ['requested', showTime(request.requestedAt)],
        ['ended', showTime(request.endedAt)],
        ['author', request.author],
        ['comment', request.comment],
        ['about', describe(request.parameters)],
        ['progress', describe(request.progress)],
        ['result', describe(request.result)],
        [
          'subscriber',
          request.endedAt === undefined && !request.subscriberRuns ? 'None is running.' : undefined,
          'warning',
        ],
      ]),
    ],
    ['Audit', renderFittedTable(STEPS, request.steps, width)],
  ]);
}

const STEPS: readonly Column<AuditedStep>[] = [
  { head: 'at', cell: ({ at }) => showTime(at), whole: true },
  { head: 'step', cell: ({ step }) => step },
  { head: 'author', cell: ({ author }) => author },
  { head: 'role', cell: ({ databaseRole }) => databaseRole, rank: 1 },
  { head: 'result', cell: ({ result }) => describe(result) },
];
