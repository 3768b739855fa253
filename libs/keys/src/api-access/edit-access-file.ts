import { isSeq, parseDocument, type Document } from 'yaml';
import type { AccessToken } from './access-schema.js';

const NEW_FILE = `# Who may use the archive API: docs/api.md. "busbridge tokens" adds and removes tokens.
tokens: []
`;

/** Adds a token to the text of an access file, which keeps its comments. @param text undefined for a new file */
export function addToken(text: string | undefined, token: AccessToken): string {
  const document = parseDocument(text ?? NEW_FILE);
  const tokens = document.get('tokens');
  if (isSeq(tokens) && tokens.items.length > 0) tokens.add(document.createNode(token));
  else document.set('tokens', document.createNode([token]));
  return render(document);
}

/** Removes the token with this id from the text of an access file, which keeps its comments. */
export function removeToken(text: string, id: string): string {
  const document = parseDocument(text);
  const tokens = document.get('tokens');
  if (isSeq(tokens))
    tokens.items = tokens.items.filter((_, index) => document.getIn(['tokens', index, 'id']) !== id);
  return render(document);
}

/** Long texts stay in one line. */
const render = (document: Document): string => document.toString({ lineWidth: 0 });
