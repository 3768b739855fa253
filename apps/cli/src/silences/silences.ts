import type { Column, Style } from '@ssb/platform/cli';
import { carryOut } from '../api/carry-out.js';
import type { NewSilence, Operations, SilenceRow } from '../api/operations.js';
import { withApi, type ListOptions, type RequestOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, printResult } from '../output/listing.js';
import { shortId, showTime } from '../output/text.js';

export interface SilencesOptions
  extends ListOptions, Pick<Operations['GET /v1/silences']['query'], 'all' | 'at'> {}

export interface AddOptions extends RequestOptions {
  readonly type?: readonly string[];
  readonly participant?: readonly string[];
  readonly severity?: NonNullable<NewSilence['matchers']['severities']>;
  readonly problem?: NonNullable<NewSilence['matchers']['problems']>;
  readonly reason?: readonly string[];
  readonly starts?: string;
  readonly ends?: string;
  readonly for?: string;
}

export function listSilences(options: SilencesOptions): Promise<void> {
  const { all, at } = options;
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/silences',
      { query: { all, at }, columns: COLUMNS, empty: 'No silences match. --all lists ended ones, too.' },
      options,
    ),
  );
}

const STYLES: Readonly<Record<string, Style>> = { active: 'warning', ended: 'dim' };

const COLUMNS: readonly Column<SilenceRow>[] = [
  { head: 'id', cell: ({ id }) => shortId(id) },
  { head: 'state', cell: ({ state }) => state, style: ({ state }) => STYLES[state] },
  { head: 'ends', cell: ({ endsAt }) => showTime(endsAt), whole: true },
  { head: 'covers', cell: ({ matchers }) => describeMatchers(matchers) },
  { head: 'author', cell: ({ author }) => author, rank: 2 },
  { head: 'comment', cell: ({ comment }) => comment, rank: 1 },
  { head: 'hides', cell: describeHidden, style: () => 'bad' },
  { head: 'starts', cell: ({ startsAt }) => showTime(startsAt), rank: 3, whole: true },
  { head: 'ended by', cell: ({ endedBy }) => endedBy, rank: 4 },
];

const describeMatchers = (matchers: SilenceRow['matchers']): string =>
  Object.entries(matchers)
    .map(([name, entries]) => `${name} ${(entries as readonly string[]).join(', ')}`)
    .join('; ');

function describeHidden({ hides, hidesMore }: SilenceRow): string {
  return [...hides.map(shortId), ...(hidesMore ? ['more'] : [])].join(', ');
}

export function addSilence(options: AddOptions): Promise<void> {
  const { type, participant, severity, problem, reason, starts, ends, for: length, comment, wait } = options;
  if (comment === undefined)
    throw new CommandError('Say with --comment why the deliveries are withheld.', EXIT.usage);
  if ((ends === undefined) === (length === undefined))
    throw new CommandError('Say when the silence ends, with either --for or --ends.', EXIT.usage);
  const matchers = {
    ...(type && { types: type }),
    ...(participant && { participants: participant }),
    ...(severity && { severities: severity }),
    ...(problem && { problems: problem }),
    // The API knows the reasons.
    ...(reason && { reasons: reason as NonNullable<NewSilence['matchers']['reasons']> }),
  };
  if (Object.keys(matchers).length === 0)
    throw new CommandError(
      'Say what the silence covers, with --type, --participant, --severity, --problem or --reason.',
      EXIT.usage,
    );
  const silence = {
    comment,
    matchers,
    ...(starts !== undefined && { startsAt: starts }),
    ...(ends !== undefined && { endsAt: ends }),
    ...(length !== undefined && { for: length }),
  };
  return withApi(options, async (api) => {
    const result = await carryOut(api, '/v1/silences', silence, { wait });
    const { silenceId = '', startsAt, endsAt } = result as Readonly<Record<string, string>>;
    printResult(
      result,
      options.output,
      () => `The silence ${shortId(silenceId)} applies from ${showTime(startsAt)} to ${showTime(endsAt)}.`,
    );
  });
}

export function endSilence(id: string, { comment, wait, ...options }: RequestOptions): Promise<void> {
  return withApi(options, async (api) => {
    const body = comment === undefined ? {} : { comment };
    const result = await carryOut(api, '/v1/silences/{id}/end', body, { wait, parts: { id } });
    printResult(result, options.output, () => `The silence ${shortId(id)} has ended.`);
  });
}
