import type { InterfaceStatus, PollingStatus, RequestBudgetStatus } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Absent, Age, MarketTime } from '../../ui/values.js';

interface PollingRow {
  readonly participant: string;
  readonly leaseHolder: string | undefined;
  readonly status: InterfaceStatus | undefined;
}

const COLUMNS: readonly Column<PollingRow>[] = [
  {
    id: 'participant',
    header: 'Participant',
    cell: ({ participant, leaseHolder }) => (
      <span>
        {participant} {leaseHolder === undefined && <Badge tone="critical">no poller polls it</Badge>}
      </span>
    ),
  },
  { id: 'interface', header: 'Interface', cell: ({ status }) => status?.interface ?? <Absent /> },
  { id: 'state', header: 'Last success', cell: ({ status }) => <Success status={status} /> },
  {
    id: 'budgets',
    header: 'Requests left',
    cell: ({ status }) =>
      status === undefined || status.budgets.length === 0 ? (
        <Absent />
      ) : (
        <span className="operations-budgets">
          {status.budgets.map((budget) => (
            <Budget key={budget.seconds} budget={budget} />
          ))}
        </span>
      ),
  },
  {
    id: 'lease',
    header: 'Polled by',
    cell: ({ leaseHolder }) =>
      leaseHolder === undefined ? (
        <Absent />
      ) : (
        <details className="operations-details">
          <summary>{leaseHolder.split(':')[0]}</summary>
          <code>{leaseHolder}</code>
        </details>
      ),
  },
];

/** Who polls each participant, when that last succeeded, and how many requests are left. */
export function PollingSection({ polling }: { readonly polling: readonly PollingStatus[] }) {
  const rows = polling.flatMap(({ participant, leaseHolder, interfaces }): readonly PollingRow[] =>
    interfaces.length === 0
      ? [{ participant, leaseHolder, status: undefined }]
      : interfaces.map((status) => ({ participant, leaseHolder, status })),
  );
  return (
    <Section title="Polling">
      <DataTable
        caption="Polling of each participant and interface"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ participant, status }) => `${participant} ${status?.interface ?? ''}`}
        empty="No poller responds, or no participant is configured."
      />
    </Section>
  );
}

function Success({ status }: { readonly status: InterfaceStatus | undefined }) {
  if (status === undefined) return <span className="hint">the poller shows no details</span>;
  const { lastSuccessAt, failingSince } = status;
  return (
    <span>
      {lastSuccessAt === undefined ? (
        'not yet'
      ) : (
        <>
          <Age since={lastSuccessAt} /> ago
        </>
      )}{' '}
      {failingSince !== undefined && (
        <>
          <Badge tone="warning">fails</Badge>{' '}
          <span className="hint">
            since <MarketTime at={failingSince} />
          </span>
        </>
      )}
    </span>
  );
}

/** Below this part of a request budget it is marked. */
const LOW_SHARE = 0.1;

function Budget({ budget: { seconds, requests, left } }: { readonly budget: RequestBudgetStatus }) {
  const share = left === undefined || requests === 0 ? 0 : Math.min(1, Math.max(0, left / requests));
  const isLow = left !== undefined && share < LOW_SHARE;
  return (
    <span className="operations-budget">
      <span>
        {left === undefined ? 'unknown' : left.toLocaleString('en-AU')} of {requests.toLocaleString('en-AU')}{' '}
        in {formatDuration(seconds * 1_000)} {isLow && <Badge tone="warning">low</Badge>}
      </span>
      <span className={isLow ? 'operations-bar operations-bar-low' : 'operations-bar'} aria-hidden="true">
        <span style={{ inlineSize: `${share * 100}%` }} />
      </span>
    </span>
  );
}
