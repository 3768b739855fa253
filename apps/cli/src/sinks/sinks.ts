import type { Column, StyledText } from '@ssb/platform/cli';
import { carryOut } from '../api/carry-out.js';
import type { SinkRow } from '../api/operations.js';
import { withApi, type ListOptions, type RequestOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, printResult } from '../output/listing.js';
import { renderFields, showTime } from '../output/text.js';

export function listSinks(options: ListOptions): Promise<void> {
  return withApi(options, (api) =>
    printListing(api, '/v1/sinks', { query: {}, columns: COLUMNS, empty: 'There are no sinks.' }, options),
  );
}

const STYLES = { delivering: 'good', failing: 'bad', disabled: 'warning' } as const;

const COLUMNS: readonly Column<SinkRow>[] = [
  { head: 'sink', cell: ({ name }) => name },
  { head: 'kind', cell: ({ kind }) => kind, rank: 2 },
  {
    head: 'state',
    cell: ({ state, inConfigFile }) => (inConfigFile ? state : 'not in CONFIG_FILE'),
    style: ({ state, inConfigFile }) => (inConfigFile ? STYLES[state] : 'warning'),
  },
  { head: 'pending', cell: ({ pending }) => String(pending), align: 'right' },
  { head: 'oldest pending', cell: ({ oldestPendingAt }) => showTime(oldestPendingAt), rank: 3, whole: true },
  { head: 'parked', cell: ({ parked }) => String(parked), align: 'right' },
  { head: 'last outcome', cell: ({ lastOutcome }) => lastOutcome, rank: 1 },
  {
    head: 'since',
    cell: ({ disabledAt, failingSince }) => showTime(disabledAt ?? failingSince),
    whole: true,
  },
  { head: 'by', cell: ({ disabledBy }) => disabledBy, rank: 4 },
  { head: 'reason', cell: ({ disabledReason }) => disabledReason, rank: 5 },
];

export function testSink(name: string, { comment, wait, ...options }: RequestOptions): Promise<void> {
  return withApi(options, async (api) => {
    const body = comment === undefined ? {} : { comment };
    const result = await carryOut(api, '/v1/sinks/{name}/test', body, { wait, parts: { name } });
    printResult(result, options.output, renderTest);
    if (result['outcome'] !== 'delivered') process.exitCode = EXIT.findings;
  });
}

/** The description of an attempt without a status says why it failed. */
function renderTest(result: Readonly<Record<string, unknown>>): StyledText {
  const { outcome, status, description, durationMs, response, id } = result;
  const isDelivered = outcome === 'delivered';
  return renderFields([
    ['outcome', toText(outcome), isDelivered ? 'good' : 'bad'],
    ['status', toText(status)],
    ['reason', isDelivered || status !== undefined ? undefined : toText(description)],
    ['ms', toText(durationMs)],
    ['response', toText(response)],
    ['id', toText(id)],
  ]);
}

function toText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

export function changeSink(
  change: 'enable' | 'disable',
  name: string,
  { comment, wait, ...options }: RequestOptions,
): Promise<void> {
  if (change === 'disable' && comment === undefined)
    throw new CommandError('Say with --comment why the sink is disabled.', EXIT.usage);
  return withApi(options, async (api) => {
    const body = comment === undefined ? {} : { comment };
    const path = `/v1/sinks/{name}/${change}` as const;
    const result = await carryOut(api, path, body as { comment: string }, { wait, parts: { name } });
    const already = result['changed'] === false ? ' already' : '';
    printResult(result, options.output, () => `The sink ${name} is ${change}d${already}.`);
  });
}
