import type { IncomingMessage } from 'node:http';

/** What is wrong with the Host of a request (RFC 9112 §3.2), in a sentence; undefined when nothing is. HTTP/1.0 knows no Host. Pure. */
export function hostFault({
  rawHeaders,
  httpVersion,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>): string | undefined {
  let hosts = 0;
  // Names stand at the even places. Node's own `headers` has the first Host alone, whatever follows it.
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'There is more than one Host header.';
  return hosts === 0 && httpVersion === '1.1' ? 'A Host header is missing.' : undefined;
}
