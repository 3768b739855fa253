import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.js';
import type { QuarantineDetail } from '../../api/operations.js';
import { formatBytes } from '../../format/bytes.js';
import { Badge } from '../../ui/badge.js';
import { Note } from '../../ui/notes.js';
import { Content, Facts, Section } from '../../ui/page.js';
import { Absent, MarketTime } from '../../ui/values.js';
import { ForAllParticipants, OperationsFrame } from './operations-frame.js';
import { explainReason } from './quarantine-reasons.js';
import { Recheck } from './recheck.js';

/** A message that failed verification: why, from whom, and its payload as text. */
export function QuarantinedMessagePage() {
  return (
    <ForAllParticipants title="Quarantined message">
      <QuarantinedMessage />
    </ForAllParticipants>
  );
}

function QuarantinedMessage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const message = useRead('/v1/quarantine/{id}', { parts: { id } });
  return (
    <OperationsFrame
      title="Quarantined message"
      readAt={message.dataUpdatedAt}
      intro={
        <p>
          <Link to="/operations/quarantine">All quarantined messages</Link>
        </p>
      }
    >
      <Content of={message} what="the message">
        {(data) => (
          <>
            {data.state === 'released' ? (
              <Note kind="info">
                A later evaluation accepted the message at <MarketTime at={data.releasedAt} />. It is archived
                and was alerted.
              </Note>
            ) : (
              <Note kind="warning">Nothing in this message is verified. Do not act on what it says.</Note>
            )}
            <Reason message={data} />
            <Recheck isOpen={data.state === 'open'} />
            <Section title="Message">
              <MessageFacts message={data} />
            </Section>
            <Payload message={data} />
          </>
        )}
      </Content>
    </OperationsFrame>
  );
}

function Reason({ message: { reason, detail } }: { readonly message: QuarantineDetail }) {
  const { meaning, advice } = explainReason(reason);
  return (
    <Section title={`Reason: ${reason}`}>
      <p className="operations-meaning">{meaning}</p>
      <p>{advice}</p>
      <p className="hint">{detail}</p>
    </Section>
  );
}

function MessageFacts({ message }: { readonly message: QuarantineDetail }) {
  return (
    <>
      <Facts
        rows={[
          [
            'Signer',
            <Badge key="signer" tone={message.trusted ? 'warning' : 'muted'}>
              {message.trusted ? 'a trusted gateway or bridge' : 'unknown'}
            </Badge>,
          ],
          ['Topic', message.topic ?? <Absent key="topic" />],
          ['Stored by the bus', <MarketTime key="appended" at={message.appendedAt} />],
          ['Quarantined', <MarketTime key="quarantined" at={message.quarantinedAt} />],
          message.releasedAt !== undefined && [
            'Released',
            <MarketTime key="released" at={message.releasedAt} />,
          ],
          ['Size', formatBytes(message.payloadBytes)],
        ]}
      />
      <details className="operations-details">
        <summary>Sender, channel and signature</summary>
        <Facts
          rows={[
            ['Sender', <code key="sender">{message.sender}</code>],
            ['Channel', <code key="channel">{message.channel}</code>],
            ['Id on the bus', <code key="message">{message.messageId}</code>],
            message.transactionId !== undefined && [
              'Transaction',
              <code key="transaction">{message.transactionId}</code>,
            ],
            ['Signature', <code key="signature">{message.signature}</code>],
          ]}
        />
      </details>
    </>
  );
}

function Payload({ message }: { readonly message: QuarantineDetail }) {
  const { payload, encoding, payloadTruncated } = message;
  return (
    <Section title={encoding === 'base64' ? 'Payload in base64' : 'Payload'}>
      {encoding === 'base64' && <p className="hint">The payload is not text.</p>}
      {payloadTruncated && <p className="hint">Only its beginning is shown, or was stored.</p>}
      <pre className="operations-text" tabIndex={0} role="region" aria-label="Payload as text">
        {payload}
      </pre>
    </Section>
  );
}
