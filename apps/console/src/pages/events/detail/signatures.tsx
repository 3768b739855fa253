import type { EventDetail } from '../../../api/operations.js';
import { Facts, Section } from '../../../ui/page.js';
import { MarketTime } from '../../../ui/values.js';
import { useVerification } from '../../../verification/use-verification.js';
import { VerificationResult } from '../../../verification/verification-result.js';
import { EvidenceDownload } from './evidence-download.js';

/** Who signed the event, what that proves, and whether this browser can confirm it. */
export function Signatures({ detail }: { readonly detail: EventDetail }) {
  const { id, text, verdict, message, event } = detail;
  const proof = typeof event['proof'] === 'string' ? event['proof'] : '';
  // `VerificationResult` decides when it is verified.
  const { data: verification } = useVerification({ id, text }, false);
  return (
    <Section title="Signatures">
      <VerificationResult id={id} text={text} />
      {message && (
        <>
          {verification?.verdict !== 'verified' && <h3>What the signatures would prove</h3>}
          <dl className="event-signatures">
            <div>
              <dt>The bridge signed the event.</dt>
              <dd>It announced exactly these figures, for this channel, whichever gateway carried them.</dd>
            </div>
            <div>
              <dt>The gateway signed the message.</dt>
              <dd>The text is, letter by letter, the one that the gateway of the bridge sent.</dd>
            </div>
          </dl>
        </>
      )}
      {message && (
        <details>
          <summary>Keys and signatures</summary>
          <div className="stack">
            <SignerFacts name="Bridge" signer={verdict.origin} signature={proof} />
            <SignerFacts name="Gateway" signer={verdict.gateway} signature={message.signature} />
            <Facts
              rows={[
                ['Channel', <code key="">{message.channel}</code>],
                ['Topic', <code key="">{message.topic}</code>],
                ['Message on the bus', <code key="">{message.id}</code>],
              ]}
            />
          </div>
        </details>
      )}
      <EvidenceDownload id={id} />
    </Section>
  );
}

interface SignerFactsProps {
  readonly name: string;
  readonly signer: EventDetail['verdict']['gateway'];
  readonly signature: string;
}

function SignerFacts({ name, signer, signature }: SignerFactsProps) {
  if (signer === undefined) return null;
  const { did, trusted, trustedFrom, trustedUntil, revokedSince } = signer;
  return (
    <div>
      <h3>{name}</h3>
      <Facts
        rows={[
          ['DID', <code key="">{did}</code>],
          ['Trusted when it was archived', trusted ? 'yes' : 'no'],
          trustedFrom !== undefined && ['Trusted since', <MarketTime key="" at={trustedFrom} />],
          trustedUntil !== undefined && ['Trusted until', <MarketTime key="" at={trustedUntil} />],
          revokedSince !== undefined && [
            'Key possibly compromised since',
            <MarketTime key="" at={revokedSince} />,
          ],
          ['Signature', <code key="">{signature}</code>],
        ]}
      />
    </div>
  );
}
