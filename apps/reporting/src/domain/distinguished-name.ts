/** One attribute of a certificate's subject: `CN`, `O`, `serialNumber`… and its text. */
export interface NameAttribute {
  type: string;
  value: string;
}

/**
 * Reads a subject as Node's X509Certificate writes it: one relative name a line, several attributes of one relative
 * name joined by ` + `, and RFC 4514 §2.4 escapes within values.
 */
export function parseSubjectLines(subject: string): NameAttribute[] {
  return subject
    .split('\n')
    .flatMap((line) => splitOutsideEscapes(line, ' + '))
    .flatMap(attributeOf);
}

/** Reads a subject as people write it, `O=Genco, CN=client-7`, in the certificate's own order, as `openssl x509 -subject` prints it. */
export function parseSubjectText(text: string): NameAttribute[] {
  return splitOutsideEscapes(text, ',').flatMap(attributeOf);
}

/** One text for equal names, to look them up by. */
export function subjectKey(name: readonly NameAttribute[]): string {
  return JSON.stringify(name.map(({ type, value }) => [type.toUpperCase(), value]));
}

function splitOutsideEscapes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      start = at + separator.length;
      at = start - 1;
    }
  }
  return [...parts, text.slice(start)];
}

function attributeOf(text: string): NameAttribute[] {
  const [, type, value] = /^\s*([A-Za-z][\w.-]*)\s*=\s*(.*?)\s*$/s.exec(text) ?? [];
  return type === undefined || value === undefined ? [] : [{ type, value: unescape(value) }];
}

/** `\2C` is a byte in hexadecimal, `\,` a character that means itself. */
function unescape(value: string): string {
  return value.replace(
    /((?:\\[0-9A-Fa-f]{2})+)|\\(.)/gs,
    (_all, bytes: string | undefined, character: string | undefined) =>
      bytes === undefined
        ? (character ?? '')
        : Buffer.from(bytes.replaceAll('\\', ''), 'hex').toString('utf8'),
  );
}
