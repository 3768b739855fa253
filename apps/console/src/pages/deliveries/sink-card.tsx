import { Link } from '@tanstack/react-router';
import type { SinkRow } from '../../api/operations.js';
import { Badge } from '../../ui/badge.js';
import { Age, MarketTime } from '../../ui/values.js';
import { SinkActions } from './sink-actions.js';
import type { SinkFormName } from './sink-forms.js';
import { describeKind, describeSink } from './sink-states.js';

interface SinkCardProps {
  readonly sink: SinkRow;
  readonly onOpen: (form: SinkFormName) => void;
}

/** A sink: whether it accepts messages, and what waits for it. */
export function SinkCard({ sink, onOpen }: SinkCardProps) {
  const { name, pending, parked, oldestPendingAt } = sink;
  const { label, tone, explanation } = describeSink(sink);
  return (
    <section className={`section sink sink-${tone}`} aria-label={name}>
      <div className="section-header">
        <h2>
          {name} <span className="hint">{describeKind(sink)}</span>
        </h2>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <p>{explanation}</p>
      <dl className="sink-counts">
        <Count label="Pending" value={pending} sink={name} state="pending" />
        <Count label="Parked" value={parked} sink={name} state="parked" />
        {oldestPendingAt !== undefined && (
          <div>
            <dt>Oldest waits for</dt>
            <dd>
              <Age since={oldestPendingAt} />
            </dd>
          </div>
        )}
      </dl>
      <Trouble sink={sink} />
      <p>
        <Link to="/deliveries" search={{ sink: name }}>
          Deliveries to {name}
        </Link>
      </p>
      <SinkActions sink={sink} onOpen={onOpen} />
    </section>
  );
}

interface CountProps {
  readonly label: string;
  readonly value: number;
  readonly sink: string;
  readonly state: string;
}

function Count({ label, value, sink, state }: CountProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value === 0 ? (
          0
        ) : (
          <Link to="/deliveries" search={{ sink, state }}>
            {value.toLocaleString('en-AU')}
          </Link>
        )}
      </dd>
    </div>
  );
}

/** Since when, by whom and why it does not deliver. */
function Trouble({ sink }: { readonly sink: SinkRow }) {
  const { failingSince, lastOutcome, disabledAt, disabledBy, disabledReason } = sink;
  return (
    <>
      {failingSince !== undefined && (
        <p>
          Failing since <MarketTime at={failingSince} /> (<Age since={failingSince} />
          ).
        </p>
      )}
      {lastOutcome !== undefined && <p className="deliveries-text">Last failure: {lastOutcome}</p>}
      {disabledAt !== undefined && (
        <p className="deliveries-text">
          Disabled by {disabledBy ?? 'the bridge'} at <MarketTime at={disabledAt} />
          {disabledReason === undefined ? '.' : `: ${disabledReason}`}
        </p>
      )}
    </>
  );
}
