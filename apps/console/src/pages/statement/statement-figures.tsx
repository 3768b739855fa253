import type { StatementDetail } from '../../api/operations.js';
import { describeDaysLeft, describeDistance } from '../../format/days-left.js';
import { daysBetween } from '../../format/market-time.js';
import { Figure, Figures } from '../../ui/figure.js';
import { Empty } from '../../ui/notes.js';
import { Amount, Day } from '../../ui/values.js';
import { findAmount, type RunAmount } from '../calendar/run-state.js';
import { netOf } from './invoice-age.js';
import { Rows } from './statement-rows.js';

/** Below this a last day is marked. */
const SOON_DAYS = 7;

interface StatementFiguresProps {
  readonly statement: StatementDetail;
  readonly today: string;
}

/** What is paid and by whom, when, and how long it can be disputed. */
export function StatementFigures({ statement, today }: StatementFiguresProps) {
  const { disagreeUntil, paymentDueDate } = statement;
  return (
    <Figures>
      <Payable statement={statement} />
      {paymentDueDate !== undefined && (
        <Figure
          label="Payment due"
          tone={paymentDueDate >= today && isSoon(paymentDueDate, today) ? 'warning' : 'muted'}
          value={<Day value={paymentDueDate} />}
        >
          <p className="hint">
            {describeDistance(paymentDueDate, today)}. Whether it was paid is unknown to the bridge.
          </p>
        </Figure>
      )}
      {disagreeUntil !== undefined && (
        <Figure
          label="Last day to dispute"
          tone={disagreeUntil >= today && isSoon(disagreeUntil, today) ? 'warning' : 'muted'}
          value={<Day value={disagreeUntil} />}
        >
          <p className="hint">{describeDaysLeft(disagreeUntil, today)}</p>
        </Figure>
      )}
    </Figures>
  );
}

const isSoon = (day: string, today: string): boolean => daysBetween(today, day) < SOON_DAYS;

function Payable({ statement }: { readonly statement: StatementDetail }) {
  const amount = findAmount(statement);
  if (amount === undefined) return null;
  return (
    <Figure
      label={describeAmount(statement.participant, amount)}
      value={
        <>
          <Amount value={amount.amount} /> <small>AUD</small>
        </>
      }
    >
      <p className="hint">{describeBasis(statement, amount)}</p>
    </Figure>
  );
}

function describeAmount(participant: string, { direction, of }: RunAmount): string {
  if (direction === undefined) return of === 'invoice' ? 'Amount of the invoice' : 'Net of the statement';
  return `${participant} ${direction === 'pay' ? 'pays' : 'receives'}`;
}

function describeBasis(
  { invoiceNumber, designation }: StatementDetail,
  { direction, of }: RunAmount,
): string {
  if (of === 'invoice') {
    const by = invoiceNumber === undefined ? 'By the invoice.' : `By the invoice ${invoiceNumber}.`;
    return designation === 'INITIAL' ? by : `${by} It settles only the difference from the run before.`;
  }
  return direction === undefined
    ? 'There is no invoice yet. An adjustment settles its difference from the run before.'
    : 'Net of the statement; there is no invoice yet.';
}

/** What each side pays, and the difference. */
export function StatementSums({ statement: { payment, charge } }: { readonly statement: StatementDetail }) {
  if (payment === undefined || charge === undefined)
    return <Empty>The market operator has not published the statement yet.</Empty>;
  return (
    <Rows
      hasSum
      rows={[
        ['Payments to the participant, AUD', <Amount key="payment" value={payment} />],
        ['Charges to the participant, AUD', <Amount key="charge" value={charge} />],
        ['Net, payments minus charges, AUD', <Amount key="net" value={netOf({ payment, charge })} />],
      ]}
    />
  );
}
