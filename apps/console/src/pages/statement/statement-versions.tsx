import { Link } from '@tanstack/react-router';
import type { StatementDetail, StatementVersion } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { subtractAmounts } from '../../format/subtract.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Amount, Day, MarketTime } from '../../ui/values.js';
import { netOf } from './invoice-age.js';

const COLUMNS: readonly Column<StatementVersion>[] = [
  { id: 'version', header: 'Version', cell: (version) => <Version version={version} /> },
  {
    id: 'net',
    header: 'Net',
    kind: 'number',
    cell: (version) => <Changed value={netOf(version)} difference={findNetDifference(version)} />,
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
];

function findNetDifference({ paymentDifference, chargeDifference }: StatementVersion): string | undefined {
  return paymentDifference === undefined || chargeDifference === undefined
    ? undefined
    : subtractAmounts(paymentDifference, chargeDifference);
}

function Version({ version }: { readonly version: StatementVersion }) {
  const { kind, lateSeconds, restated, eventId, publishedAt, disagreeUntil } = version;
  return (
    <span className="statement-pair statement-version">
      <span>
        <Badge tone={kind === 'revised' ? 'warning' : 'info'}>{kind}</Badge>
        {lateSeconds !== undefined && (
          <span className="hint"> {formatDuration(lateSeconds * 1_000)} late</span>
        )}
        {restated === true && <span className="hint"> first seen</span>}
      </span>
      <MarketTime at={publishedAt} />
      {disagreeUntil !== undefined && (
        <span className="hint">
          dispute until <Day value={disagreeUntil} />
        </span>
      )}
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
  );
}

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
        empty="The market operator has not published the statement yet."
      />
      {versions.some(({ restated }) => restated === true) && (
        <p className="hint">
          First seen: the version was published before the bridge followed this run. If you need one before
          it, look for it at the market operator.
        </p>
      )}
      {moreVersions && <p className="hint">Earlier versions are left out. The events have all.</p>}
    </Section>
  );
}
