import { Link } from '@tanstack/react-router';
import type { CalendarRow } from '../../api/operations.js';
import { withoutSign } from '../../format/amount.js';
import { nameRun } from '../../format/run-name.js';
import { Badge } from '../../ui/badge.js';
import { Empty } from '../../ui/notes.js';
import { Amount, Day } from '../../ui/values.js';
import type { Publication } from './newest-publications.js';
import { RecentTime } from './recent-time.js';

const MAX_SHOWN = 8;

interface PublicationListProps {
  /** The newest first. */
  readonly publications: readonly Publication[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** Statements and invoices that are new, with their amounts. */
export function PublicationList({ publications, isCut }: PublicationListProps) {
  if (publications.length === 0) return <Empty>Nothing was published in the last 7 days.</Empty>;
  const more = publications.length - MAX_SHOWN;
  return (
    <>
      <ul className="overview-list">
        {publications.slice(0, MAX_SHOWN).map((publication) => (
          <li key={publication.row.id}>
            <Item publication={publication} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p>
          <Link to="/calendar">
            {isCut && 'More than '}
            {more} more in the settlement calendar
          </Link>
        </p>
      )}
    </>
  );
}

function Item({ publication: { row, what, at } }: { readonly publication: Publication }) {
  const { id, market, periodFrom, designation, participant, revisions, payment, charge } = row;
  return (
    <>
      <p className="overview-line">
        <span>
          <Link to="/statements/$id" params={{ id }} className="overview-title">
            {nameRun({ market, periodFrom, designation })}
          </Link>{' '}
          <span className="overview-subject">{participant}</span>{' '}
          {revisions > 0 && <Badge tone="warning">revision {revisions}</Badge>}
        </span>
        <span className="overview-when">
          {what} {what === 'invoiced' ? <Day value={at} /> : <RecentTime at={at} />}
        </span>
      </p>
      <Invoice row={row} />
      <p className="overview-facts">
        <span>
          payments <Amount value={payment} />
        </span>
        <span>
          charges <Amount value={charge} />
        </span>
        {designation !== 'INITIAL' && <span>settled is only the change since the run before</span>}
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
