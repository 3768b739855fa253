import { standardOutput, StyledText } from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import { CommandError } from '../exit.js';
import { readRows } from '../output/listing.js';
import { countOf } from '../output/text.js';
import { FIRST_DAY } from './days.js';

type Filters = Pick<QueryOf<'/v1/settlement-calendar'>, 'participant' | 'market'>;

/** Below payments: those of overdue runs are not known yet. */
export const printOverdueRuns = (api: ApiClient, filters: Filters): Promise<void> =>
  printBelow(
    () => describeOverdueRuns(api, filters),
    'Overdue runs could not be read, so it is unknown whether amounts are missing',
  );

/** When it cannot be read, the exit status is that of the error. */
export async function printBelow(read: () => Promise<StyledText | undefined>, failed: string): Promise<void> {
  try {
    const text = await read();
    if (text !== undefined) standardOutput.writeLine(text);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.exitCode = error.status;
    standardOutput.writeLine(StyledText.of(`${failed}: ${error.message}`, 'warning'));
  }
}

/** Overdue runs that are counted: a page of the API. */
const MAX_COUNTED = 100;

async function describeOverdueRuns(api: ApiClient, filters: Filters): Promise<StyledText | undefined> {
  const query = { ...filters, status: ['overdue'] as const, since: FIRST_DAY };
  const range = { limit: MAX_COUNTED, cursor: undefined };
  const { items, next } = await readRows(api, '/v1/settlement-calendar', query, range);
  if (items.length === 0) return undefined;
  const runs = countOf(items.length, 'settlement run is', 'settlement runs are');
  return StyledText.of(
    `${next === undefined ? '' : 'More than '}${runs} overdue, so amounts may be missing: busbridge open-items`,
    'warning',
  );
}
