import type { OpenItemRow } from '../../api/operations.js';
import { nameRun } from '../../format/run-name.js';

/** What is unknown hides further items, so it comes first. Then what is overdue, then what is missing longest. */
export function sortOpenItems(items: readonly OpenItemRow[]): readonly OpenItemRow[] {
  return items.toSorted(
    (one, other) =>
      Number(other.kind === 'unknown') - Number(one.kind === 'unknown') ||
      Number(other.overdueSince !== undefined) - Number(one.overdueSince !== undefined) ||
      timeOf(one) - timeOf(other),
  );
}

/** What is missing, in words: `Invoice of WEM from Sun 20 Sep 2026, INITIAL`. */
export function describeOpenItem(item: OpenItemRow): string {
  const { kind, market = '', periodFrom = '', designation = '', invoiceNumber } = item;
  const run = nameRun({ market, periodFrom, designation });
  switch (kind) {
    case 'unknown':
      return `Not known what is missing: the ${item.interface ?? 'operator'} interface has not been read`;
    case 'calculation':
      return 'Calculation of the margin';
    case 'document':
      return `PDF of invoice ${invoiceNumber ?? ''} of ${run}`;
    case 'statement':
    case 'invoice':
      return `${kind === 'statement' ? 'Statement' : 'Invoice'} of ${run}`;
  }
}

const timeOf = ({ since }: OpenItemRow): number => (since === undefined ? 0 : Date.parse(since));
