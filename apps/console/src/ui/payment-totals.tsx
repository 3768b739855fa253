import type { PaymentTotals } from '../api/operations.js';
import { decimalsOf } from '../format/amount.js';
import { countOf } from '../format/count.js';
import { Note } from './notes.js';
import './payment-totals.css';
import { Amount } from './values.js';

/** What is paid and received on all days together. */
export function Totals({
  total: { payable, receivable, net, withoutDirection },
}: {
  readonly total: PaymentTotals;
}) {
  const decimals = decimalsOf([payable, receivable, net]);
  return (
    <>
      <div className="payment-totals">
        <dl>
          {(
            [
              ['Pay', payable],
              ['Receive', receivable],
              ['Net', net],
            ] as const
          ).map(([name, value]) => (
            <div key={name}>
              <dt>{name}, AUD</dt>
              <dd>
                <Amount value={value} decimals={decimals} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
      {withoutDirection > 0 && (
        <Note kind="warning">
          {countOf(withoutDirection, 'invoice is', 'invoices are')} not in the sums, because the amount or who
          pays is unknown.
        </Note>
      )}
    </>
  );
}
