import { useState } from 'react';
import { indentJson } from '../../../format/json-text.js';
import { Button } from '../../../ui/button.js';
import { Section } from '../../../ui/page.js';

/** Characters that a browser shows without delay. */
const MAX_SHOWN = 200_000;

/** The text of the event as it was signed. */
export function RawEvent({ text }: { readonly text: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section title="Text" aside={<CopyButton text={text} />}>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>Show the event as JSON</summary>
        {isOpen && <Text text={text} />}
      </details>
    </Section>
  );
}

function Text({ text }: { readonly text: string }) {
  const [isExact, setIsExact] = useState(false);
  const shown = isExact ? text : indentJson(text);
  return (
    <div className="stack">
      <label className="events-check">
        <input type="checkbox" checked={isExact} onChange={({ target }) => setIsExact(target.checked)} />
        Exactly as it was signed, without line breaks
      </label>
      <pre tabIndex={0} aria-label="The event as JSON" className="event-text">
        {shown.slice(0, MAX_SHOWN)}
      </pre>
      {shown.length > MAX_SHOWN && (
        <p className="hint">The text is longer. “Copy” takes all of it, and so does the evidence file.</p>
      )}
    </div>
  );
}

/** Copies the exact text, which the signatures cover. */
function CopyButton({ text }: { readonly text: string }) {
  const [result, setResult] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setResult('Copied');
    } catch {
      setResult('The browser does not allow it. Select the text instead.');
    }
  };
  return (
    <span className="event-copy">
      <span role="status" className="hint">
        {result}
      </span>
      <Button onClick={() => void copy()}>Copy the exact text</Button>
    </span>
  );
}
