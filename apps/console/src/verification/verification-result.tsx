import { useEffect, useState } from 'react';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note } from '../ui/notes.js';
import { useVerification } from './use-verification.js';
import type { TrustSource, Verification } from './verify-in-browser.js';

/** Characters of an event that a browser verifies without a noticeable delay. */
const MAX_UNASKED = 300_000;

interface VerificationResultProps {
  readonly id: string;
  /** The text of the event that the page shows. */
  readonly text: string;
}

/** Verifies the signatures of an event here, once the page has nothing else to do. A large event is verified on request. */
export function VerificationResult({ id, text }: VerificationResultProps) {
  const isIdle = useIdle();
  const [isRequested, setIsRequested] = useState(false);
  const { data, error, refetch } = useVerification(
    { id, text },
    isRequested || (isIdle && text.length <= MAX_UNASKED),
  );
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (data) return <Result verification={data} />;
  if (text.length > MAX_UNASKED && !isRequested)
    return (
      <div className="buttons">
        <Button kind="primary" onClick={() => setIsRequested(true)}>
          Verify in this browser
        </Button>
      </div>
    );
  return (
    <p role="status" className="hint">
      This browser verifies the signatures…
    </p>
  );
}

const COMPARED: Readonly<Record<TrustSource, string>> = {
  'trusted-keys': 'the list of trusted keys',
  evidence: 'the keys that the evidence file itself names',
};

function Result({ verification }: { readonly verification: Verification }) {
  const { verdict, detail, proved, notProved, notes, trustSource } = verification;
  return (
    <div className="stack" role="status">
      {verdict === 'verified' && (
        <p>
          <Badge tone="good">Verified by this browser</Badge> It computed both signatures again, and compared
          the signers with {COMPARED[trustSource]}.
        </p>
      )}
      {verdict === 'not-verified' && (
        <Note kind="critical">
          <strong>Not verified.</strong> {detail} Do not rely on this event until you know why.
        </Note>
      )}
      {verdict === 'unsigned' && (
        <p>
          <Badge tone="muted">Not signed</Badge> {detail}
        </p>
      )}
      {notes.map((note) => (
        <Note key={note} kind="warning">
          {note}
        </Note>
      ))}
      <details>
        <summary>What was checked, and what was not</summary>
        <div className="stack">
          <Sentences title="Proved" sentences={proved} />
          <Sentences title="Not checked" sentences={notProved} />
          <p className="hint">
            The rules are those of <code>busbridge verify</code>. They ran in this browser.
          </p>
        </div>
      </details>
    </div>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

/** Turns true when the browser has nothing else to do. */
function useIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    // Safari has no requestIdleCallback.
    if (!('requestIdleCallback' in globalThis)) {
      const timer = setTimeout(() => setIsIdle(true), 500);
      return () => clearTimeout(timer);
    }
    const request = requestIdleCallback(() => setIsIdle(true), { timeout: 2_000 });
    return () => cancelIdleCallback(request);
  }, []);
  return isIdle;
}
