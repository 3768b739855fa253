import { useText } from '../../api/read-text.js';
import { indentJson } from '../../format/json-text.js';
import { Content } from '../../ui/page.js';
import { findMemberText } from './member-text.js';

/** The event of a dead letter, as the API sends it. */
export function LetterText({ id }: { readonly id: string }) {
  const text = useText('/v1/dead-letters/{id}', { id });
  return (
    <Content of={text} what="the text of the event">
      {(json) => (
        <pre className="operations-text" tabIndex={0} role="region" aria-label="The event">
          {indentJson(findMemberText(json, 'event') ?? '')}
        </pre>
      )}
    </Content>
  );
}
