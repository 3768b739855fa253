import { Link } from '@tanstack/react-router';
import type { DeliveryDetail, EventDetail } from '../../../api/operations.js';
import { Badge } from '../../../ui/badge.js';
import { DataTable, type Column } from '../../../ui/data-table.js';
import { Empty } from '../../../ui/notes.js';
import { Section } from '../../../ui/page.js';
import { MarketTime } from '../../../ui/values.js';
import { describeState } from '../../deliveries/delivery-states.js';

/** The problems that the event changed. */
export function EventProblems({ problems }: Pick<EventDetail, 'problems'>) {
  return (
    <Section title="Problems">
      {problems.length === 0 ? (
        <Empty>The event changed no problem.</Empty>
      ) : (
        <ul className="event-problems">
          {problems.map(({ id, kind, change, state }) => (
            <li key={id}>
              <Link to="/problems/$id" params={{ id }}>
                {kind.replaceAll('-', ' ')}
              </Link>{' '}
              {change} by this event, now {state}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Who was notified of the event, and of what followed from it. */
export function EventDeliveries({ detail }: { readonly detail: EventDetail }) {
  const { id, deliveries, moreDeliveries } = detail;
  return (
    <Section
      title="Who was notified"
      className="event-deliveries"
      aside={
        moreDeliveries && (
          <Link to="/deliveries" search={{ event: id }}>
            All deliveries
          </Link>
        )
      }
    >
      <DataTable
        caption="Deliveries of the event and of messages about it"
        columns={COLUMNS}
        rows={deliveries}
        rowKey={({ eventId, sink }) => `${eventId} ${sink}`}
        empty="No sink gets this event."
      />
    </Section>
  );
}

const COLUMNS: readonly Column<DeliveryDetail>[] = [
  {
    id: 'sink',
    header: 'Sink',
    cell: ({ eventId, sink }) => (
      <Link to="/deliveries/$eventId/$sink" params={{ eventId, sink }}>
        {sink}
      </Link>
    ),
  },
  { id: 'kind', header: 'Message', cell: ({ kind }) => kind },
  {
    id: 'state',
    header: 'State',
    cell: (delivery) => {
      const { tone, label } = describeState(delivery);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    id: 'ended',
    header: 'Accepted',
    cell: ({ state, endedAt }) => <MarketTime at={state === 'delivered' ? endedAt : undefined} />,
  },
  { id: 'attempts', header: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
];
