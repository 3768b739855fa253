import { Link } from '@tanstack/react-router';
import type { DeliveryRow } from '../../api/operations.js';
import { describeType } from '../../format/event-type.js';
import { Badge } from '../../ui/badge.js';
import type { Column } from '../../ui/data-table.js';
import { MarketTime } from '../../ui/values.js';
import { keyOf } from './delivery-selection.js';
import { describeWhat, toneOf } from './delivery-message.js';
import { describeState } from './delivery-states.js';

interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
}

/** @param selection absent when the person may not act */
export function deliveryColumns(selection: Selection | undefined): readonly Column<DeliveryRow>[] {
  return [
    ...(selection ? [selectColumn(selection)] : []),
    { id: 'message', header: 'Message', cell: (delivery) => <Message delivery={delivery} /> },
    { id: 'sink', header: 'Sink', cell: ({ sink }) => sink },
    { id: 'state', header: 'State', cell: (delivery) => <State delivery={delivery} /> },
    { id: 'attempts', header: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
    {
      id: 'added',
      header: 'Added',
      cell: ({ addedAt }) => (
        <span className="deliveries-added">
          <MarketTime at={addedAt} />
        </span>
      ),
    },
  ];
}

function selectColumn({ keys, onToggle }: Selection): Column<DeliveryRow> {
  return {
    id: 'select',
    header: 'Select',
    cell: (delivery) => (
      <label className="deliveries-select">
        <input
          type="checkbox"
          checked={keys.has(keyOf(delivery))}
          onChange={() => onToggle(keyOf(delivery))}
          aria-label={`Select ${describeType(delivery.type)}, ${describeWhat(delivery)}, to ${delivery.sink}`}
        />
      </label>
    ),
  };
}

function Message({ delivery }: { readonly delivery: DeliveryRow }) {
  const { eventId, sink, kind, type, replayed } = delivery;
  return (
    <span className="deliveries-cell">
      <span>
        <Link to="/deliveries/$eventId/$sink" params={{ eventId, sink }} className="deliveries-type">
          {describeType(type)}
        </Link>{' '}
        <Badge tone={toneOf(delivery)}>{replayed ? `${kind}, replayed` : kind}</Badge>
      </span>
      <span className="hint deliveries-text">{describeWhat(delivery)}</span>
    </span>
  );
}

function State({ delivery }: { readonly delivery: DeliveryRow }) {
  const { lastOutcome, nextAttemptAt } = delivery;
  const { label, tone, explanation } = describeState(delivery);
  return (
    <span className="deliveries-cell">
      <span title={explanation}>
        <Badge tone={tone}>{label}</Badge>
      </span>
      {lastOutcome !== undefined && <span className="hint deliveries-text">{lastOutcome}</span>}
      {nextAttemptAt !== undefined && (
        <span className="hint">
          next attempt <MarketTime at={nextAttemptAt} short />
        </span>
      )}
    </span>
  );
}
