import { Link } from '@tanstack/react-router';
import type { StatementDetail, StatementVersion } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { subtractAmounts } from '../../format/subtract.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Amount, Day, MarketTime } from '../../ui/values.js';

const COLUMNS: readonly Column<StatementVersion>[] = [
  {
    id: 'kind',
    header: 'Version',
    cell: ({ kind, lateSeconds, restated, eventId }) => (
      <span>
        <Badge tone={kind === 'revised' ? 'warning' : 'info'}>{kind}</Badge>
        {lateSeconds !== undefined && (
          <span className="hint"> {formatDuration(lateSeconds * 1_000)} late</span>
        )}
        {restated === true && <span className="hint"> an earlier version may have existed</span>}
        <span className="statement-links">
          {kind === 'revised' && (
            <Link to="/statements/$id/differences" params={{ id: eventId }}>
              Changes
            </Link>
          )}
          <Link to="/events/$id" params={{ id: eventId }}>
            Event
          </Link>
        </span>
      </span>
    ),
  },
  {
    id: 'publishedAt',
    header: 'Published',
    cell: ({ publishedAt, disagreeUntil }) => (
      <span className="statement-pair">
        <MarketTime at={publishedAt} />
        {disagreeUntil !== undefined && (
          <span className="hint">
            dispute until <Day value={disagreeUntil} />
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'payment',
    header: 'Payment',
    kind: 'number',
    cell: ({ payment, paymentDifference }) => <Changed value={payment} difference={paymentDifference} />,
  },
  {
    id: 'charge',
    header: 'Charge',
    kind: 'number',
    cell: ({ charge, chargeDifference }) => <Changed value={charge} difference={chargeDifference} />,
  },
  {
    id: 'net',
    header: 'Net',
    kind: 'number',
    cell: ({ payment, charge }) => <Amount value={subtractAmounts(payment, charge)} />,
  },
];

function Changed({ value, difference }: { readonly value: string; readonly difference: string | undefined }) {
  return (
    <span className="statement-changed">
      <Amount value={value} />
      {difference !== undefined && /[1-9]/.test(difference) && (
        <span className="hint">
          change <Amount value={difference} />
        </span>
      )}
    </span>
  );
}

/** The publications of the statement, the newest first. */
export function StatementVersions({ statement }: { readonly statement: StatementDetail }) {
  const { versions, moreVersions } = statement;
  return (
    <Section title="Versions of the statement">
      <DataTable
        caption="Versions of the statement, the newest first"
        columns={COLUMNS}
        rows={versions}
        rowKey={({ eventId }) => eventId}
        empty="The operator has not published the statement yet."
      />
      {moreVersions && <p className="hint">Earlier versions are left out. The events have all.</p>}
    </Section>
  );
}
