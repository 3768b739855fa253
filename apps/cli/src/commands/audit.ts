import { Command } from 'commander';
import type { Column } from '@ssb/platform/cli';
import type { QueryOf } from '../api/api-client.js';
import type { AuditRow } from '../api/operations.js';
import { collect, LISTING_FORMS, timeOption } from '../options.js';
import { printListing } from '../output/listing.js';
import { shortId, showFigures, showTime } from '../output/text.js';
import { addPaging, allowList, describe, withApi, type ListOptions } from './api-command.js';

type AuditOptions = ListOptions & Pick<QueryOf<'/v1/audit'>, 'kind' | 'author' | 'since' | 'until'>;

/** `busbridge audit`. */
export function auditCommand(): Command {
  return allowList(
    addPaging(
      describe(
        new Command('audit'),
        {
          description: 'Who requested what, when, and how it ended; the newest first.',
          details: 'Needs access to all participants.',
          examples: [
            'audit',
            'audit --kind close --kind silence --since 30d',
            'audit --author olivia -o csv',
          ],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .option(
      '--kind <kind>',
      'only of this kind, such as close, silence or retry-dead-letter; may be repeated',
      collect(),
    )
    .option('--author <name>', 'only of this author; may be repeated', collect())
    .addOption(timeOption('--since <time>', 'recorded since'))
    .addOption(timeOption('--until <time>', 'recorded before'))
    .action((_list: unknown, options: AuditOptions) => listAudit(options));
}

function listAudit(options: AuditOptions): Promise<void> {
  const { kind, author, since, until } = options;
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/audit',
      { query: { kind, author, since, until }, columns: COLUMNS, empty: 'No records match.' },
      options,
    ),
  );
}

const COLUMNS: readonly Column<AuditRow>[] = [
  { head: 'at', cell: ({ at }) => showTime(at), whole: true },
  { head: 'kind', cell: ({ kind }) => kind },
  {
    head: 'step',
    cell: ({ step }) => step,
    style: ({ step }) => (['refused', 'failed', 'unknown'].includes(step) ? 'warning' : undefined),
  },
  { head: 'author', cell: ({ author }) => author },
  { head: 'comment', cell: ({ comment }) => comment, rank: 1 },
  { head: 'about', cell: ({ parameters }) => showFigures(parameters), rank: 2 },
  { head: 'result', cell: ({ result }) => showFigures(result), rank: 3 },
  { head: 'request', cell: ({ requestId, actionId }) => shortId(requestId ?? actionId ?? ''), rank: 4 },
];
