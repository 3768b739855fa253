import { Fragment, type CSSProperties } from 'react';
import type { PaymentDay, PaymentTotals } from '../../api/operations.js';
import { decimalsOf, isZero } from '../../format/amount.js';
import { countOf } from '../../format/count.js';
import { formatDay } from '../../format/market-time.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/notes.js';
import { TableFrame } from '../../ui/table-frame.js';
import { Amount, Day } from '../../ui/values.js';
import { DayInvoices } from './day-invoices.js';
import type { MoneyFilters } from './money-filters.js';
import { largestOf, toBars } from './payment-bars.js';

interface PaymentDaysProps {
  readonly days: readonly PaymentDay[];
  readonly total: PaymentTotals;
  readonly filters: MoneyFilters;
  /** Shows the invoices of a day; of none when it is undefined. */
  readonly onOpen: (day: string | undefined) => void;
  /** Present while there are further days. */
  readonly onMore: (() => void) | undefined;
  readonly isReading: boolean;
}

/** A row for each day, with its invoices once it is opened. */
export function PaymentDays({ days, total, filters, onOpen, onMore, isReading }: PaymentDaysProps) {
  if (days.length === 0) return <Empty>No invoice is due on these days.</Empty>;
  const largest = largestOf(days);
  const decimals = decimalsOf(
    [...days, total].flatMap(({ payable, receivable, net }) => [payable, receivable, net]),
  );
  return (
    <>
      <TableFrame label="Payments by day">
        <table className="table money-days">
          <caption className="visually-hidden">What is paid and received on each day, in AUD</caption>
          <thead>
            <tr>
              <th scope="col">Due</th>
              <th scope="col" className="number">
                Pay
              </th>
              <th scope="col" className="money-bars-header">
                <span aria-hidden="true">◂ pay · receive ▸</span>
                <span className="visually-hidden">Chart</span>
              </th>
              <th scope="col" className="number">
                Receive
              </th>
              <th scope="col" className="number">
                Net
              </th>
              <th scope="col">Invoices</th>
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <DayRows
                key={day.dueDate}
                day={day}
                largest={largest}
                decimals={decimals}
                filters={filters}
                isOpen={day.dueDate === filters.openDay}
                onOpen={onOpen}
              />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All days</th>
              <Sums sums={total} decimals={decimals} />
              <td data-header="Invoices">
                {countOf(countAll(total), 'invoice')}
                <NotInSums sums={total} />
              </td>
            </tr>
          </tfoot>
        </table>
      </TableFrame>
      {onMore && (
        <div className="buttons">
          <Button onClick={onMore} disabled={isReading}>
            {isReading ? 'Reading…' : 'Show more days'}
          </Button>
        </div>
      )}
    </>
  );
}

interface DayRowsProps extends Pick<PaymentDaysProps, 'filters' | 'onOpen'> {
  readonly day: PaymentDay;
  readonly largest: number;
  readonly decimals: number;
  readonly isOpen: boolean;
}

function DayRows({ day, largest, decimals, filters, isOpen, onOpen }: DayRowsProps) {
  const { dueDate } = day;
  return (
    <Fragment>
      <tr className={isOpen ? 'money-chosen' : undefined}>
        <td data-header="Due">
          <Day value={dueDate} />
        </td>
        <Sums sums={day} largest={largest} decimals={decimals} />
        <td data-header="Invoices">
          <Button aria-expanded={isOpen} onClick={() => onOpen(isOpen ? undefined : dueDate)}>
            {countOf(countAll(day), 'invoice')}
            <span className="visually-hidden"> of {formatDay(dueDate)}</span>
            <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
          </Button>
          <NotInSums sums={day} />
        </td>
      </tr>
      {isOpen && (
        <tr className="money-invoices">
          <td colSpan={6}>
            <DayInvoices day={day} filters={filters} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

/** With those that are not in the sums. */
const countAll = ({ invoices, withoutDirection }: PaymentTotals): number => invoices + withoutDirection;

const NotInSums = ({ sums: { withoutDirection } }: { readonly sums: PaymentTotals }) =>
  withoutDirection > 0 && <span className="hint"> {withoutDirection} not in the sums</span>;

interface SumsProps {
  readonly sums: PaymentTotals;
  readonly decimals: number;
  /** Of the listing; no bars without it. */
  readonly largest?: number;
}

function Sums({ sums, decimals, largest }: SumsProps) {
  const bars = largest === undefined ? undefined : toBars(sums, largest);
  return (
    <>
      <td data-header="Pay" className="number">
        <Sum value={sums.payable} decimals={decimals} />
      </td>
      <td className="money-bars-cell">
        {bars && (
          <div
            className="money-bars"
            style={{ '--pay': `${bars.pay}%`, '--receive': `${bars.receive}%` } as CSSProperties}
            aria-hidden="true"
          >
            <span className="money-bar money-bar-pay" />
            <span className="money-bar money-bar-receive" />
          </div>
        )}
      </td>
      <td data-header="Receive" className="number">
        <Sum value={sums.receivable} decimals={decimals} />
      </td>
      <td data-header="Net" className="number">
        <Amount value={sums.net} decimals={decimals} />
      </td>
    </>
  );
}

/** Zero is there, but does not distract. */
const Sum = ({ value, decimals }: { readonly value: string; readonly decimals: number }) => (
  <Amount value={value} decimals={decimals} className={isZero(value) ? 'money-zero' : ''} />
);
