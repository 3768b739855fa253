import type { z } from 'zod';
import { isUnknown } from '../placeholders.js';

const MAX_HEADERS = 20;
const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const MAX_VALUE_LENGTH = 4_096;

/** A value of a header: visible ASCII characters and spaces between them (RFC 9110, section 5.5). */
export function isHeaderValue(value: string): boolean {
  return value.length <= MAX_VALUE_LENGTH && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}

export const HEADER_VALUE_FORM = `visible ASCII characters, at most ${MAX_VALUE_LENGTH}, and spaces between them`;

/** The bridge, HTTP or the connection sets these. */
const RESERVED =
  /^(?:webhook-.*|bridge-.*|proxy-.*|traceparent|tracestate|content-(?:type|length|encoding)|user-agent|host|accept-encoding|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect)$/i;

/** Checks the headers of a sink. @returns the ways of authorization in them */
export function refineHeaders(
  {
    headers = {},
    headerFiles = {},
  }: {
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly headerFiles?: Readonly<Record<string, string>> | undefined;
  },
  context: z.RefinementCtx,
): string[] {
  const fail = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
  const entries = [
    ...Object.keys(headers).map((name) => ({ list: 'headers', name })),
    ...Object.keys(headerFiles).map((name) => ({ list: 'headerFiles', name })),
  ];
  if (entries.length > MAX_HEADERS)
    fail(['headers'], `and headerFiles have ${entries.length} entries; at most ${MAX_HEADERS} are allowed`);
  const names = entries.map(({ name }) => name.toLowerCase());
  entries.forEach(({ list, name }, index) => {
    if (!NAME.test(name)) fail([list, name], 'is not the name of a header; it takes letters, digits and -');
    else if (RESERVED.test(name)) fail([list, name], 'is set by the bridge or by HTTP; choose another name');
    else if (names.indexOf(name.toLowerCase()) < index) fail([list, name], 'is named twice; name it once');
  });
  for (const [name, value] of Object.entries(headers))
    if (!isUnknown(value) && !isHeaderValue(value)) fail(['headers', name], `must be ${HEADER_VALUE_FORM}`);
  return names.includes('authorization') ? ['the header authorization'] : [];
}
