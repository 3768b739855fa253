/** The names of a certificate's subjectAltName extension that a participant may be told by. */
export interface AlternativeNames {
  dns: readonly string[];
  uri: readonly string[];
}

const ENTRY = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,]*)/g;

/** Reads the text of Node's X509Certificate: `DNS:a.example, URI:urn:x`; a value with a special character is quoted as JSON. */
export function parseAlternativeNames(text: string | undefined): AlternativeNames {
  const found = [...(text ?? '').matchAll(ENTRY)].map(([, kind = '', value = '']) => ({
    kind,
    value: value.startsWith('"') ? String(JSON.parse(value)) : value,
  }));
  const of = (kind: string) => found.filter((entry) => entry.kind === kind).map(({ value }) => value);
  return { dns: of('DNS'), uri: of('URI') };
}
