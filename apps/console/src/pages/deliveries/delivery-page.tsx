import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeliveryDetail } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { describeType, shortType } from '../../format/event-type.js';
import { ActionResult, type SentRequest } from '../../ui/action-result.js';
import { Badge } from '../../ui/badge.js';
import { Content, Facts, Page, Section } from '../../ui/page.js';
import { SubNavigation } from '../../ui/sub-navigation.js';
import { MarketTime } from '../../ui/values.js';
import { AttemptList } from './attempt-list.js';
import { DeliveryActions } from './delivery-actions.js';
import { describeWhat } from './delivery-message.js';
import { DELIVERY_PARTS } from './delivery-parts.js';
import { describeState } from './delivery-states.js';
import './deliveries.css';
import './delivery.css';

/** One message for one sink, with its attempts. */
export function DeliveryPage() {
  const { eventId = '', sink = '' } = useParams({ strict: false }) as {
    readonly eventId?: string;
    readonly sink?: string;
  };
  const delivery = useRead('/v1/deliveries/{eventId}/{sink}', { parts: { eventId, sink } });
  const { data, dataUpdatedAt } = delivery;
  const [sent, setSent] = useState<readonly SentRequest[]>([]);
  return (
    <Page
      title={data === undefined ? `Delivery to ${sink}` : `${describeType(data.type)}, to ${sink}`}
      intro={<SubNavigation label="Deliveries and sinks" parts={DELIVERY_PARTS} />}
      readAt={dataUpdatedAt}
    >
      <Content of={delivery} what="the delivery">
        {(detail) => (
          <>
            <State delivery={detail} onSent={setSent} />
            <ActionResult sent={sent} onDismiss={() => setSent([])} />
            <Section title="Attempts">
              <AttemptList delivery={detail} />
            </Section>
            <About delivery={detail} />
          </>
        )}
      </Content>
    </Page>
  );
}

interface StateProps {
  readonly delivery: DeliveryDetail;
  readonly onSent: (sent: readonly SentRequest[]) => void;
}

/** Whether the sink has it, and what can be done. */
function State({ delivery, onSent }: StateProps) {
  const { state, endedAt, nextAttemptAt, lastOutcome, resentAt, replacedBy } = delivery;
  const { label, tone, explanation } = describeState(delivery);
  return (
    <section className={`section delivery-state delivery-state-${tone}`} aria-label="State">
      <div className="delivery-facts">
        <p className="delivery-label">
          <Badge tone={tone}>{label}</Badge>
        </p>
        <p>
          {explanation}
          {endedAt !== undefined && (
            <>
              {' '}
              At <MarketTime at={endedAt} />.
            </>
          )}
        </p>
        {state !== 'delivered' && lastOutcome !== undefined && (
          <p className="deliveries-text">Last outcome: {lastOutcome}</p>
        )}
        {nextAttemptAt !== undefined && (
          <p>
            Next attempt: <MarketTime at={nextAttemptAt} />
          </p>
        )}
        {resentAt !== undefined && (
          <p>
            A person resent it at <MarketTime at={resentAt} />.
          </p>
        )}
        {replacedBy !== undefined && (
          <p>
            Replaced by{' '}
            <Link to="/events/$id" params={{ id: replacedBy }}>
              a newer event
            </Link>
            .
          </p>
        )}
      </div>
      <DeliveryActions delivery={delivery} onSent={onSent} />
    </section>
  );
}

/** What the message is about. */
function About({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { eventId, aboutEventId, kind, severity, type, subject, participant, replayed } = delivery;
  const { archivedAt, addedAt, problemId, digestId, digestEvents = [], sink } = delivery;
  return (
    <Section title="About" className="delivery-about">
      <Facts
        rows={[
          ['Kind', replayed ? `${kind}, replayed` : kind],
          ['Severity of the problem', severity],
          ['Type', `${describeType(type)} (${shortType(type)})`],
          ['Participant', participant === '*' ? 'several' : participant],
          ['About', describeWhat({ participant, subject })],
          archivedAt !== undefined && ['Event archived', <MarketTime at={archivedAt} />],
          ['Delivery added', <MarketTime at={addedAt} />],
          [
            'Event',
            digestEvents.length > 0 ? (
              'a digest of several events'
            ) : (
              <Link to="/events/$id" params={{ id: aboutEventId ?? eventId }}>
                The event that the sink receives
              </Link>
            ),
          ],
          problemId !== undefined && [
            'Problem',
            <Link to="/problems/$id" params={{ id: problemId }}>
              The problem and its history
            </Link>,
          ],
          digestId !== undefined && [
            'Digest that has it',
            <Link to="/deliveries/$eventId/$sink" params={{ eventId: digestId, sink }}>
              The digest
            </Link>,
          ],
        ]}
      />
      <details>
        <summary>Ids{digestEvents.length > 0 && ' and events of the digest'}</summary>
        <p className="deliveries-text">
          The sink sees the id <code>{eventId}</code> and the subject <code>{subject}</code>.
        </p>
        {digestEvents.length > 0 && (
          <ul className="delivery-digest">
            {digestEvents.map((id) => (
              <li key={id}>
                <Link to="/events/$id" params={{ id }}>
                  <code>{id}</code>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </details>
    </Section>
  );
}
