import { Link } from '@tanstack/react-router';
import type { CalendarRow } from '../../api/operations.js';
import { withoutSign } from '../../format/amount.js';
import { Badge } from '../../ui/badge.js';
import { Empty } from '../../ui/notes.js';
import { Amount, Day } from '../../ui/values.js';
import { publicationOf } from './newest-statements.js';
import { RecentTime } from './recent-time.js';

/** Statements that were published, with their amounts. */
export function PublishedStatements({ rows }: { readonly rows: readonly CalendarRow[] }) {
  if (rows.length === 0) return <Empty>No statement was published in the last 7 days.</Empty>;
  return (
    <ul className="overview-list">
      {rows.map((row) => (
        <li key={row.id}>
          <Statement row={row} />
        </li>
      ))}
    </ul>
  );
}

function Statement({ row }: { readonly row: CalendarRow }) {
  const { id, market, period, periodFrom, designation, participant, revisions, payment, charge } = row;
  const at = publicationOf(row);
  return (
    <>
      <p className="overview-line">
        <span>
          <Link to="/statements/$id" params={{ id }} className="overview-title">
            {market} {period ?? periodFrom}, {designation}
          </Link>{' '}
          <span className="overview-subject">{participant}</span>{' '}
          {revisions > 0 && <Badge tone="warning">revision {revisions}</Badge>}
        </span>
        <span className="overview-when">{at !== undefined && <RecentTime at={at} />}</span>
      </p>
      <Invoice row={row} />
      <p className="overview-facts">
        <span>
          payments <Amount value={payment} />
        </span>
        <span>
          charges <Amount value={charge} />
        </span>
      </p>
    </>
  );
}

function Invoice({ row }: { readonly row: CalendarRow }) {
  const { payableAmount, direction, invoiceTotal, paymentDueDate } = row;
  const amount = payableAmount ?? invoiceTotal;
  if (amount === undefined) return <p className="overview-facts">no invoice yet</p>;
  return (
    <p>
      Invoice: {direction !== undefined && `${direction} `}
      <strong>
        <Amount value={direction === undefined ? amount : withoutSign(amount)} />
      </strong>
      {paymentDueDate !== undefined && (
        <>
          {' by '}
          <Day value={paymentDueDate} />
        </>
      )}
    </p>
  );
}
