import type { PaymentTotals } from '../../api/operations.js';
import { Note } from '../../ui/notes.js';
import { Amount } from '../../ui/values.js';

/** The sums of all days. */
export function Totals({ total }: { readonly total: PaymentTotals }) {
  return (
    <dl className="money-totals">
      <div>
        <dt>Pay, AUD</dt>
        <dd>
          <Amount value={total.payable} />
        </dd>
      </div>
      <div>
        <dt>Receive, AUD</dt>
        <dd>
          <Amount value={total.receivable} />
        </dd>
      </div>
      <div>
        <dt>Net, AUD</dt>
        <dd>
          <Amount value={total.net} />
        </dd>
      </div>
    </dl>
  );
}

/** Says that the sums are not complete. */
export function WithoutDirection({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <Note kind="warning">
      {count === 1 ? '1 invoice is' : `${count} invoices are`} not in the sums, because the amount or who pays
      is unknown.
    </Note>
  );
}
